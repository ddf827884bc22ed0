import { chainIds, type EvmNetwork } from '../../../catalog/chain-ids.ts'
import { Changes } from '../changes.ts'
import type { ReorgOptions } from '../control.ts'
import type { Journal } from '../journal.ts'
import { RpcError } from '../rpc-error.ts'
import { Blocks } from './blocks.ts'
import type { Engine } from './engine.ts'
import type { JournalBlock, JournalEntry } from './journal-entry.ts'
import { networkFacts } from './network-facts.ts'
import { Pool } from './pool.ts'

export type ChainOptions = {
  network: EvmNetwork
  engine: Engine
  journal: Journal<JournalEntry>
  /** Reads the business time in seconds. */
  now(): number
  /** The number of blocks between the head and the newest final block. */
  finalityLag: number
  /** Called when the chain in memory may differ from its journal: the process must end and begin from the journal. */
  onLost(error: unknown): void
  /** Called after each change of the chain. */
  onNews?: (() => void) | undefined
}

// Collects transactions that arrive together into one block.
const collectMs = 8
// After the last transaction a block follows from time to time, so that chain time passes the end of what was signed.
// The pauses grow, so that a sandbox that rests for days has few blocks to mine again at its start.
const shortestBeatMs = 5_000
const beatGrowth = 0.5

/**
 * A chain of one network: mines a block when a transaction can be included, then more until that block is final, then
 * rests. Changes happen one after the other; a block is on the disk before any client sees it.
 */
export class LocalChain {
  readonly network: EvmNetwork
  readonly chainId: number
  readonly engine: Engine
  readonly pool: Pool
  readonly #blocks: Blocks
  readonly finalityLag: number
  readonly #options: ChainOptions
  readonly #changes: Changes
  readonly #waiting = new Map<string, (() => void)[]>()
  #timer: NodeJS.Timeout | undefined
  #beat: NodeJS.Timeout | undefined
  #activeAt = 0
  /** The block that shall become final before the chain rests. */
  #owed = 0
  /** The present fees, in thousandths of the usual ones. */
  #multiplier = 1_000
  /** The transaction of each request to the faucet since the start. */
  readonly gifts = new Map<string, string>()
  finalized = 0
  isPaused = false

  constructor(options: ChainOptions) {
    this.#options = options
    this.#changes = new Changes(options.onLost)
    this.network = options.network
    this.chainId = chainIds.sandbox[options.network]
    this.engine = options.engine
    this.pool = new Pool(options.engine)
    this.#blocks = new Blocks(options.engine, this.pool)
    this.finalityLag = options.finalityLag
  }

  /** Begins to mine by itself. A chain that was in use has beats again: transfers from before a restart may expire. */
  start(): void {
    if (this.#owed > 0) this.#activeAt = performance.now()
    this.#wake()
  }

  /** Mines the blocks of the journal again. Their hashes are compared with the journal's. */
  async open(): Promise<void> {
    const blocks: JournalBlock[] = []
    for (const entry of this.#options.journal.entries) {
      if (entry.kind === 'block') blocks.push(entry.block)
      if (entry.kind === 'revert') blocks.length = entry.to
      if (entry.kind === 'done') this.#changes.done.add(entry.key)
      if (entry.kind === 'miner') [this.isPaused, this.#multiplier] = [entry.isPaused, entry.multiplier]
    }
    await this.#blocks.open(blocks)
    this.finalized = Math.max(this.finalized, this.head.number - this.finalityLag, 0)
    this.#owed = blocks.findLast(({ transactions }) => transactions.length > 0)?.number ?? -this.finalityLag
  }

  get head() {
    return this.#blocks.head
  }

  get baseFee(): bigint {
    return (networkFacts[this.network].baseFee * BigInt(this.#multiplier)) / 1_000n
  }

  get tip(): bigint {
    return (networkFacts[this.network].tip * BigInt(this.#multiplier)) / 1_000n
  }

  /** Waits for the change in progress, so that a reader never sees half of a reorganization. */
  async settled(): Promise<void> {
    await this.#changes.settled()
  }

  /** Takes a signed transaction into the pool. */
  async send(raw: string): Promise<string> {
    this.#activeAt = performance.now()
    const hash = await this.#changes.run(() => this.pool.add(raw))
    this.#wake()
    return hash
  }

  /** Takes a signed transaction, and forgets it at once: it reaches no block. */
  accept(raw: string): Promise<string> {
    this.#activeAt = performance.now()
    this.#wake()
    return this.#changes.run(async () => {
      const hash = await this.pool.add(raw)
      await this.pool.drop(hash)
      return hash
    })
  }

  /** Resolves when the transaction is in a block. */
  mined(hash: string): Promise<void> {
    if (!this.pool.has(hash)) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.set(hash, [...(this.#waiting.get(hash) ?? []), resolve]))
  }

  /** Mines blocks now, even when the chain is paused. A request with a key takes effect once. */
  mine(blocks: number, key?: string): Promise<void> {
    return this.#changes.runOnce(key, async () => this.#commit(await this.#mineBlocks(blocks), key))
  }

  pause(): Promise<void> {
    this.#rest()
    return this.#noteMiner()
  }

  async resume(): Promise<void> {
    this.isPaused = false
    await this.#noteMiner()
    this.#wake()
  }

  async setFees(multiplier: number): Promise<void> {
    this.#multiplier = Math.round(multiplier * 1_000)
    for (const each of this.pool.list()) each.isSkipped = false
    await this.#noteMiner()
    this.#wake()
  }

  /** Makes a final block with the present business time, after the clock has moved. */
  followClock(): void {
    this.#owed = this.head.number + 1
    this.#wake()
  }

  /** Replaces the newest blocks by a longer branch. */
  reorganize(options: ReorgOptions, stir: () => Promise<string>, key?: string): Promise<void> {
    return this.#changes.runOnce(key, async () => {
      const { depth, drop = false, place = 'first', force = false } = options
      const forkAt = this.head.number - depth
      if (forkAt < this.finalized && !force) {
        const most = this.head.number - this.finalized
        throw new RpcError(`block ${this.finalized} is final: depth must be at most ${most}`)
      }
      if (depth < 1 || forkAt < 0) throw new RpcError(`depth must be from 1 to ${this.head.number}`)
      const replaced = this.#blocks.transactionsAbove(forkAt)
      const waiting = this.pool.list().map(({ raw }) => raw)
      await this.#blocks.returnTo(forkAt)
      const added: JournalEntry[] = [{ kind: 'revert', to: forkAt }]
      if (place === 'last') added.push(...(await this.#mineBlocks(depth)))
      // A transaction in front moves the logs of all others to new places in the block.
      await this.pool.add(await stir())
      if (drop !== true) await this.#addAll(replaced, drop === false ? [] : drop)
      added.push(...(await this.#mineBlocks(place === 'last' ? 1 : depth + 1)))
      await this.#addAll(waiting, [])
      await this.#commit(added, key)
      this.#wake()
    })
  }

  async close(): Promise<void> {
    this.#rest()
    await this.settled()
    await this.#options.journal.close()
  }

  #rest(): void {
    this.isPaused = true
    clearTimeout(this.#timer)
    clearTimeout(this.#beat)
    this.#timer = undefined
  }

  /** Keeps the state of the miner over a restart. */
  #noteMiner(): Promise<void> {
    const [isPaused, multiplier] = [this.isPaused, this.#multiplier]
    return this.#changes.run(() => this.#options.journal.append([{ kind: 'miner', isPaused, multiplier }]))
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
    if (await this.pool.canMine(this.baseFee)) {
      const before = this.pool.list().length
      await this.#mine(1)
      if (this.pool.list().length === before) await this.pool.skipRest()
      else this.#owed = this.head.number
      this.#wake()
      return
    }
    const missing = this.#owed + this.finalityLag - this.head.number
    if (missing > 0) await this.#mine(missing)
    this.#scheduleBeat()
  }

  #scheduleBeat(): void {
    clearTimeout(this.#beat)
    if (this.#activeAt === 0 || this.isPaused) return
    const delayMs = Math.max(shortestBeatMs, (performance.now() - this.#activeAt) * beatGrowth)
    this.#beat = setTimeout(() => {
      this.mine(1).then(() => this.#scheduleBeat(), this.#options.onLost)
    }, delayMs).unref()
  }

  async #mine(blocks: number): Promise<void> {
    await this.#commit(await this.#mineBlocks(blocks))
  }

  /** Writes blocks to the disk, together with the key of the request that made them. */
  async #commit(entries: JournalEntry[], key?: string): Promise<void> {
    await this.#options.journal.append(key === undefined ? entries : [...entries, { kind: 'done', key }])
    if (key !== undefined) this.#changes.done.add(key)
    this.finalized = Math.max(this.finalized, this.head.number - this.finalityLag, 0)
    this.#options.onNews?.()
    for (const [hash, resolves] of this.#waiting) {
      if (this.pool.has(hash)) continue
      this.#waiting.delete(hash)
      for (const resolve of resolves) resolve()
    }
  }

  #mineBlocks(count: number): Promise<JournalEntry[]> {
    return this.#blocks.mine(count, this.baseFee, this.#options.now())
  }

  /** Puts transactions back into the pool. Those that the new branch does not accept are gone, as on a real network. */
  async #addAll(raws: string[], except: string[]): Promise<void> {
    for (const raw of raws) {
      const hash = await this.pool.add(raw).catch((error: unknown) => {
        if (!(error instanceof RpcError)) throw error
        return undefined
      })
      if (hash !== undefined && except.includes(hash)) await this.pool.drop(hash)
    }
  }
}
