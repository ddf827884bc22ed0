import { randomBytes } from 'node:crypto'
import { Changes } from '../changes.ts'
import type { ClockSetting, ReorgOptions } from '../control.ts'
import type { Journal } from '../journal.ts'
import { RpcError } from '../rpc-error.ts'
import { Engine } from './engine.ts'
import { addressesIn, execute } from './execution.ts'
import { placeGenesis } from './genesis.ts'
import { type JournalEntry, readChange } from './journal-entry.ts'
import { Pool } from './pool.ts'
import { type Beat, genesisSlot, isSameClock, Slots } from './slots.ts'
import { State } from './state.ts'
import { programs } from './token-accounts.ts'
import { decodeTransaction, type WireTransaction } from './transaction.ts'

export type SolanaOptions = {
  journal: Journal<JournalEntry>
  clock: ClockSetting
  /** The time of a slot. */
  slotMs: number
  /** The number of slots between the head and the newest final block. */
  finalityLag: number
  /** Called when the chain in memory may differ from its journal: the process must end and begin from the journal. */
  onLost(error: unknown): void
  /** Called after each change of the chain, but not when only time passes. */
  onNews?: (() => void) | undefined
}

export type Commitment = 'processed' | 'confirmed' | 'finalized'

// Collects transactions that arrive together into one write to the disk.
const collectMs = 5
// Lets other requests in between: each transaction occupies the process for one to three milliseconds.
const mostAtOnce = 25
const shownHashes = 512

/**
 * The chain of SOLANA: slots pass by themselves, and a transaction is executed in the present slot. Changes happen one
 * after the other; a transaction is on the disk before any client sees it.
 */
export class SolanaChain {
  readonly network = 'SOLANA'
  readonly finalityLag: number
  readonly pool = new Pool()
  readonly state: State
  readonly engine = new Engine()
  readonly #options: SolanaOptions
  readonly #changes: Changes
  readonly #waiting = new Map<string, (() => void)[]>()
  #slots = new Slots(Buffer.alloc(0))
  #timer: NodeJS.Timeout | undefined
  #multiplier = 1_000
  /** True if slots pass only on demand. */
  isPaused = false

  constructor(options: SolanaOptions) {
    this.#options = options
    this.finalityLag = Math.max(options.finalityLag, 1)
    this.#changes = new Changes(options.onLost)
    this.state = new State(this.engine)
    placeGenesis(this.engine)
  }

  /** Takes over the accounts and the transactions of the journal; a new chain begins with its first slot. */
  async open(): Promise<void> {
    const { journal, clock, slotMs } = this.#options
    const entries = journal.entries.splice(0)
    if (entries.length === 0) {
      const beat = { after: genesisSlot, atMs: Date.now(), stepMs: slotMs, clock }
      entries.push({ kind: 'genesis', seed: randomBytes(32).toString('hex') }, { kind: 'beat', beat, isPaused: false })
      await journal.append(entries)
    }
    this.engine.stage(() => {
      for (const entry of entries) this.#takeOver(entry)
    })
    // A crash can tear a change apart, and the settings can change.
    const stepMs = this.isPaused ? 0 : slotMs
    if (this.#slots.beat.stepMs !== stepMs) await this.#changes.run(() => this.#commit([this.#pace()]))
  }

  #takeOver(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'genesis':
        this.#slots = new Slots(Buffer.from(entry.seed, 'hex'))
        return
      case 'beat':
        this.isPaused = entry.isPaused
        this.#slots.add(entry.beat)
        return
      case 'transaction': {
        const { landed, changes } = entry
        const before = new Map(changes.map(([address]) => [address, this.engine.get(address)]))
        for (const change of changes) {
          const account = readChange(change)
          this.engine.set(change[0], account)
          this.state.noteHolder(change[0], account)
        }
        this.state.record(landed, addressesIn(landed), before)
        return
      }
      case 'fork':
        this.state.returnTo(entry.after)
        this.#slots.fork(entry.after, entry.next)
        return
      case 'done':
        this.#changes.done.add(entry.key)
        return
      case 'fees':
        this.#multiplier = entry.multiplier
    }
  }

  get slots(): Omit<Slots, 'add' | 'fork'> {
    return this.#slots
  }

  get head(): number {
    return this.#slots.head(Date.now())
  }

  /** The newest block of a commitment, a number of slots behind the present. */
  slotOf(commitment: Commitment, behind = 0): number {
    const lag = commitment === 'processed' ? 0 : commitment === 'confirmed' ? 1 : this.finalityLag
    return this.#slots.blockAtOrBelow(Math.max(this.head - lag - behind, genesisSlot))
  }

  /** The price of a compute unit below which transactions wait, in millionths of a lamport. */
  get leastPrice(): bigint {
    return this.#multiplier > 1_000 ? this.usualPrice : 0n
  }

  get usualPrice(): bigint {
    return BigInt(this.#multiplier)
  }

  settled(): Promise<void> {
    return this.#changes.settled()
  }

  /** Takes a transaction; one with a key is the sandbox's own, and its signatures are not checked. */
  send(transaction: WireTransaction, key?: string): void {
    this.pool.add(transaction, key)
    this.#wake()
  }

  /** Runs a transaction in the present slot and forgets its effects. */
  simulate(transaction: WireTransaction): ReturnType<Engine['simulate']> {
    this.#enter(this.head, transaction)
    return this.engine.simulate(transaction)
  }

  /** Finds the transaction of a request to the sandbox: one of the chain, or one that waits. */
  findRequest(key: string): string | undefined {
    return this.state.findRequest(key) ?? this.pool.findRequest(key)
  }

  /** Resolves when the transaction waits no longer. */
  mined(signature: string): Promise<void> {
    if (!this.pool.has(signature)) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.set(signature, [...(this.#waiting.get(signature) ?? []), resolve]))
  }

  /** Lets slots pass at once, even when the chain is paused. Transactions that wait are executed in the first. */
  mine(slots: number, key?: string): Promise<void> {
    return this.#changes.runOnce(key, async () => {
      const head = this.head
      const entries: JournalEntry[] = [this.#beat({ after: head, stepMs: 0 }), ...this.#include(head + 1)]
      entries.push(this.#beat({ after: head + slots, stepMs: this.isPaused ? 0 : this.#options.slotMs }))
      await this.#commit(entries, key)
    })
  }

  pause(): Promise<void> {
    this.isPaused = true
    return this.#changes.run(() => this.#commit([this.#pace()]))
  }

  async resume(): Promise<void> {
    this.isPaused = false
    await this.#changes.run(() => this.#commit([this.#pace()]))
    this.#wake()
  }

  async setFees(multiplier: number): Promise<void> {
    this.#multiplier = Math.round(multiplier * 1_000)
    await this.#changes.run(() => this.#commit([{ kind: 'fees', multiplier: this.#multiplier }]))
    this.#wake()
  }

  /** Lets the next slots have the time of another clock. */
  async setClock(clock: ClockSetting): Promise<void> {
    if (isSameClock(this.#slots.beat.clock, clock)) return
    await this.#changes.run(() =>
      this.#commit([this.#beat({ after: this.head, stepMs: this.#slots.beat.stepMs, clock })]),
    )
  }

  /** Abandons the newest blocks: their slots stay empty, and the chain goes on from the block below them. */
  fork({ depth, drop = false, force = false }: ReorgOptions, key?: string): Promise<void> {
    return this.#changes.runOnce(key, async () => {
      const head = this.head
      const [after, final] = [this.#slots.below(head, depth), this.slotOf('finalized')]
      if (after < final && !force) {
        const most = this.#slots.height(head) - this.#slots.height(final)
        throw new RpcError(`slot ${final} is final: depth must be at most ${most}`)
      }
      if (depth < 1 || depth > this.#slots.height(head) || !this.state.canReturnTo(after)) {
        throw new RpcError('the chain does not remember so many blocks')
      }
      const entries: JournalEntry[] = [this.#beat({ after: head, stepMs: 0 })]
      const replaced = this.state.returnTo(after)
      this.#slots.fork(after, head + 1)
      entries.push({ kind: 'fork', after, next: head + 1 })
      for (const { signature, raw, key: request } of replaced) {
        if (drop === true || (drop !== false && drop.includes(signature))) continue
        this.pool.add(decodeTransaction(Buffer.from(raw, 'base64')), request)
      }
      entries.push(...this.#include(head + 1))
      entries.push(this.#beat({ after: head + 1, stepMs: this.isPaused ? 0 : this.#options.slotMs }))
      await this.#commit(entries, key)
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.isPaused = true
    await this.settled()
    await this.#options.journal.close()
  }

  #beat(given: Omit<Beat, 'atMs' | 'clock'> & { clock?: ClockSetting }): JournalEntry {
    const beat = { atMs: Date.now(), clock: this.#slots.beat.clock, ...given }
    this.#slots.add(beat)
    return { kind: 'beat', beat, isPaused: this.isPaused }
  }

  #pace(): JournalEntry {
    return this.#beat({ after: this.head, stepMs: this.isPaused ? 0 : this.#options.slotMs })
  }

  #wake(): void {
    if (this.isPaused || this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#changes.run(() => this.#work()).catch(this.#options.onLost)
    }, collectMs)
  }

  async #work(): Promise<void> {
    if (this.isPaused) return
    const entries = this.#include(this.head, mostAtOnce)
    await this.#commit(entries)
    if (entries.length === mostAtOnce) this.#wake()
  }

  /** Executes transactions that wait. The engine alone knows them until they are in the journal. */
  #include(slot: number, most = Number.POSITIVE_INFINITY): JournalEntry[] {
    const entries: JournalEntry[] = []
    for (const { transaction, price, key } of this.pool.list()) {
      if (entries.length >= most) break
      const [signature] = transaction.signatures as [string]
      const isOwn = key !== undefined
      const isDead =
        this.state.find(signature) || (!isOwn && this.#slots.findHash(transaction.blockhash, slot) === undefined)
      if (!isDead && !isOwn && price < this.leastPrice) continue
      this.pool.remove(signature)
      if (isDead) continue
      this.#enter(slot, transaction)
      const done = execute(this.engine, { transaction, slot, key })
      if ('err' in done) continue
      const { landed, changes, before } = done
      for (const change of changes) this.state.noteHolder(change[0], readChange(change))
      this.state.record(landed, addressesIn(landed, transaction), before)
      entries.push({ kind: 'transaction', landed, changes })
    }
    return entries
  }

  /** Shows the slot to the programs of a transaction; few of them look at the blocks before it. */
  #enter(slot: number, { keys }: WireTransaction): void {
    this.engine.enter(slot, this.#slots.time(slot))
    if (!keys.includes(programs.lookupTable)) return
    const newest = this.#slots.blockAtOrBelow(slot - 1)
    const count = Math.min(shownHashes, this.#slots.height(newest) + 1)
    const blocks = Array.from({ length: count }, (_, age) => this.#slots.below(newest, age))
    this.engine.showSlotHashes(blocks.map((each) => ({ slot: each, hash: this.#slots.hash(each) })))
  }

  /** Writes a change to the disk, together with the key of the request that made it. */
  async #commit(entries: JournalEntry[], key?: string): Promise<void> {
    await this.#options.journal.append(key === undefined ? entries : [...entries, { kind: 'done', key }])
    if (key !== undefined) this.#changes.done.add(key)
    this.#options.onNews?.()
    for (const [signature, resolves] of this.#waiting) {
      if (this.pool.has(signature)) continue
      this.#waiting.delete(signature)
      for (const resolve of resolves) resolve()
    }
  }
}
