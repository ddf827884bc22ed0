import { createHash } from 'node:crypto'
import { writeBase58 } from '../../../lib/addresses/base58.ts'
import type { ClockSetting } from '../control.ts'

/** The first slot. The programs of the runtime count as deployed before it. */
export const genesisSlot = 440_208_000
/** A blockhash is valid for this number of further blocks. */
export const blockhashAge = 150
export const slotsPerEpoch = 432_000

/** The pace of the slots behind `after`, from a time on: one every `stepMs`, or none with 0. */
export type Beat = { after: number; atMs: number; stepMs: number; clock: ClockSetting }

/** A branch of the chain: its blocks are in the slots from `from` on, until a fork leaves it at `until`. */
type Branch = { from: number; height: number; until?: number }

/**
 * Computes slots, block heights, times and blockhashes when asked: slots pass by themselves, and an idle chain does
 * nothing. A fork leaves slots without a block behind.
 */
export class Slots {
  readonly #seed: Buffer
  readonly #beats: { beat: Beat; floor: number }[] = []
  readonly #branches: Branch[] = [{ from: genesisSlot, height: 0 }]
  readonly #hashes = new Map<number, string>()
  #highest = genesisSlot

  constructor(seed: Buffer) {
    this.#seed = seed
  }

  /** Changes the pace of the slots that come. */
  add(beat: Beat): void {
    this.#beats.push({ beat, floor: this.#beats.length === 0 ? 0 : this.time(beat.after) })
    this.#highest = Math.max(this.#highest, beat.after)
  }

  /** Leaves the present branch after a slot; the next block is in a later slot. */
  fork(after: number, next: number): void {
    const branch = this.#branchOf(after)
    const height = this.height(after) + 1
    this.#branches.length = this.#branches.indexOf(branch) + 1
    branch.until = after
    this.#branches.push({ from: next, height })
  }

  get beat(): Beat {
    return (this.#beats.at(-1) as { beat: Beat }).beat
  }

  /** The newest slot. It never moves back, even when the machine's clock does. */
  head(nowMs: number): number {
    const { after, atMs, stepMs } = this.beat
    const passed = stepMs === 0 ? 0 : Math.max(0, Math.floor((nowMs - atMs) / stepMs))
    this.#highest = Math.max(this.#highest, after + passed)
    return this.#highest
  }

  has(slot: number): boolean {
    return this.blockAtOrBelow(slot) === slot
  }

  /** The newest slot up to this one that has a block. */
  blockAtOrBelow(slot: number): number {
    const { from, until = slot } = this.#branchOf(slot)
    return Math.max(from, Math.min(slot, until))
  }

  height(slot: number): number {
    const block = this.blockAtOrBelow(slot)
    const { from, height } = this.#branchOf(block)
    return height + block - from
  }

  /** The slot of the block a number of blocks below. */
  below(slot: number, blocks: number): number {
    let block = this.blockAtOrBelow(slot)
    let left = Math.min(blocks, this.height(block))
    for (;;) {
      const { from } = this.#branchOf(block)
      if (block - left >= from) return block - left
      left -= block - from + 1
      block = this.blockAtOrBelow(from - 1)
    }
  }

  /** The blockhash of a slot. No two branches share a slot, so the slot and the seed of the chain determine it. */
  hash(slot: number): string {
    const known = this.#hashes.get(slot)
    if (known) return known
    const text = writeBase58(createHash('sha256').update(this.#seed).update(String(slot)).digest())
    if (this.#hashes.size > 8 * blockhashAge) this.#hashes.clear()
    this.#hashes.set(slot, text)
    return text
  }

  /** Finds the block of a blockhash that is still valid at a slot. */
  findHash(hash: string, at: number): number | undefined {
    for (let age = 0; age <= blockhashAge; age++) {
      const slot = this.below(at, age)
      if (this.hash(slot) === hash) return slot
      if (slot === genesisSlot) return undefined
    }
    return undefined
  }

  /** The business time of a slot in seconds. It never decreases from slot to slot. */
  time(slot: number): number {
    const index = Math.max(
      this.#beats.findLastIndex(({ beat }) => beat.after < slot),
      0,
    )
    const { beat, floor } = this.#beats[index] as { beat: Beat; floor: number }
    const realMs = beat.atMs + Math.max(slot - beat.after, 0) * beat.stepMs
    const endMs = this.#beats[index + 1]?.beat.atMs ?? realMs
    return Math.max(floor, businessTime(beat.clock, Math.min(realMs, Math.max(endMs, beat.atMs))))
  }

  #branchOf(slot: number): Branch {
    return (this.#branches.findLast(({ from }) => from <= slot) ?? this.#branches[0]) as Branch
  }
}

function businessTime(clock: ClockSetting, realMs: number): number {
  return Math.floor(('frozenAtMs' in clock ? clock.frozenAtMs : realMs + clock.offsetMs) / 1_000)
}

/** True if two settings of the clock tell the same time, but for less than a second. */
export function isSameClock(before: ClockSetting, after: ClockSetting): boolean {
  if ('frozenAtMs' in before) return 'frozenAtMs' in after && before.frozenAtMs === after.frozenAtMs
  return 'offsetMs' in after && Math.abs(before.offsetMs - after.offsetMs) < 1_000
}
