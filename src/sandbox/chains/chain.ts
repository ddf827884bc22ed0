import { randomBytes } from 'node:crypto'
import { chainIds } from '../../catalog/chain-ids.ts'
import type { Engine } from './engine.ts'
import type { Journal, JournalBlock, JournalEntry } from './journal.ts'
import { type EvmNetwork, evmNetworks } from './networks.ts'
import { Pool } from './pool.ts'
import { RpcError } from './rpc-error.ts'

export type ChainOptions = {
  network: EvmNetwork
  engine: Engine
  journal: Journal
  /** Reads the business time in seconds. */
  now(): number
  /** The number of blocks between the head and the newest final block. */
  finalityLag: number
  onError(error: unknown): void
}

export type ReorgOptions = {
  /** The number of blocks that are replaced. The new branch is one block longer. */
  depth: number
  /** `true` forgets the transactions of the replaced blocks, a list of hashes forgets these. */
  drop?: boolean | string[]
  /** The block of the new branch that includes the transactions again. */
  place?: 'first' | 'last'
  /** Replaces final blocks too, which no healthy network does. */
  force?: boolean
}

type Block = { number: string; hash: string; timestamp: string; transactions: string[] }

// Collects transactions that arrive together into one block.
const collectMs = 8
const blocksPerSnapshot = 16
const keptBlocks = 1_024

/**
 * A chain of one network: mines a block when a transaction can be included, then more until that block is final, then
 * rests. Changes happen one after the other; a block is on the disk before any client sees it.
 */
export class LocalChain {
  readonly network: EvmNetwork
  readonly chainId: number
  readonly engine: Engine
  readonly pool: Pool
  readonly finalityLag: number
  readonly #options: ChainOptions
  /** The keys of the requests that took effect. */
  readonly #done = new Set<string>()
  readonly #waiting = new Map<string, (() => void)[]>()
  /** The newest blocks, for reorganizations. */
  #recent: JournalBlock[] = []
  #snapshots: { number: number; id: string }[] = []
  #tail: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  /** The block that shall become final before the chain rests. */
  #owed = 0
  #multiplier = 1_000n
  /** The transaction of each request to the faucet since the start. */
  readonly gifts = new Map<string, string>()
  head = { number: 0, hash: '', time: 0 }
  finalized = 0
  isPaused = false

  constructor(options: ChainOptions) {
    this.#options = options
    this.network = options.network
    this.chainId = chainIds.sandbox[options.network]
    this.engine = options.engine
    this.pool = new Pool(options.engine)
    this.finalityLag = options.finalityLag
  }

  /** Mines the blocks of the journal again. Their hashes are compared with the journal's. */
  async open(): Promise<void> {
    await this.#readHead()
    await this.#snapshot()
    const blocks: JournalBlock[] = []
    for (const entry of this.#options.journal.entries) {
      if (entry.kind === 'block') blocks.push(entry.block)
      if (entry.kind === 'revert') blocks.length = entry.to
      if (entry.kind === 'done') this.#done.add(entry.key)
    }
    for (const block of blocks) await this.#mineAgain(block)
    this.finalized = Math.max(this.finalized, this.head.number - this.finalityLag, 0)
    if (blocks.length > 0) this.#owed = this.head.number - this.finalityLag
  }

  get baseFee(): bigint {
    return (evmNetworks[this.network].baseFee * this.#multiplier) / 1_000n
  }

  get tip(): bigint {
    return (evmNetworks[this.network].tip * this.#multiplier) / 1_000n
  }

  /** Waits for the change in progress, so that a reader never sees half of a reorganization. */
  async settled(): Promise<void> {
    await this.#tail
  }

  /** Takes a signed transaction into the pool. */
  async send(raw: string): Promise<string> {
    const hash = await this.#change(() => this.pool.add(raw))
    this.#wake()
    return hash
  }

  /** Takes a signed transaction, and forgets it at once: it reaches no block. */
  accept(raw: string): Promise<string> {
    return this.#change(async () => {
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
    return this.#changeOnce(key, async () => this.#commit(await this.#mineBlocks(blocks), key))
  }

  pause(): void {
    this.isPaused = true
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  resume(): void {
    this.isPaused = false
    this.#wake()
  }

  setFees(multiplier: number): void {
    this.#multiplier = BigInt(Math.round(multiplier * 1_000))
    for (const each of this.pool.list()) each.isSkipped = false
    this.#wake()
  }

  /** Makes a final block with the present business time, after the clock has moved. */
  followClock(): void {
    this.#owed = this.head.number + 1
    this.#wake()
  }

  /** Replaces the newest blocks by a longer branch. */
  reorganize(options: ReorgOptions, stir: () => Promise<string>, key?: string): Promise<void> {
    return this.#changeOnce(key, async () => {
      const { depth, drop = false, place = 'first', force = false } = options
      const forkAt = this.head.number - depth
      if (depth < 1 || forkAt < 0) throw new RpcError(`depth must be from 1 to ${this.head.number}`)
      if (forkAt < this.finalized && !force) {
        throw new RpcError(
          `block ${this.finalized} is final: depth must be at most ${this.head.number - this.finalized}`,
        )
      }
      const replaced = this.#recent.filter(({ number }) => number > forkAt).flatMap(({ transactions }) => transactions)
      const waiting = this.pool.list().map(({ raw }) => raw)
      await this.#returnTo(forkAt)
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
    this.pause()
    await this.#tail
    await this.#options.journal.close()
  }

  #change<Result>(act: () => Promise<Result>): Promise<Result> {
    const done = this.#tail.then(act)
    this.#tail = done.catch(() => {})
    return done
  }

  #changeOnce(key: string | undefined, act: () => Promise<void>): Promise<void> {
    return this.#change(async () => {
      if (key === undefined || !this.#done.has(key)) await act()
    })
  }

  #wake(): void {
    if (this.isPaused || this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#change(() => this.#work()).catch(this.#options.onError)
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
    } else if (this.head.number < this.#owed + this.finalityLag) {
      await this.#mine(this.#owed + this.finalityLag - this.head.number)
    }
  }

  async #mine(blocks: number): Promise<void> {
    await this.#commit(await this.#mineBlocks(blocks))
  }

  /** Writes blocks to the disk, together with the key of the request that made them. */
  async #commit(entries: JournalEntry[], key?: string): Promise<void> {
    await this.#options.journal.append(key === undefined ? entries : [...entries, { kind: 'done', key }])
    if (key !== undefined) this.#done.add(key)
    this.finalized = Math.max(this.finalized, this.head.number - this.finalityLag, 0)
    for (const [hash, resolves] of this.#waiting) {
      if (this.pool.has(hash)) continue
      this.#waiting.delete(hash)
      for (const resolve of resolves) resolve()
    }
  }

  async #mineBlocks(count: number): Promise<JournalEntry[]> {
    const entries: JournalEntry[] = []
    for (let mined = 0; mined < count; mined++) {
      const mixHash = `0x${randomBytes(32).toString('hex')}`
      const baseFee = `0x${this.baseFee.toString(16)}`
      const time = Math.max(this.head.time + 1, this.#options.now())
      const block = await this.#mineOne({ mixHash, baseFee, time })
      entries.push({ kind: 'block', block })
    }
    return entries
  }

  /** Mines all that fits of the pool. After a reverted branch a new mix hash gives an equal block another hash. */
  async #mineOne({
    mixHash,
    baseFee,
    time,
  }: Pick<JournalBlock, 'mixHash' | 'baseFee' | 'time'>): Promise<JournalBlock> {
    await this.engine('hardhat_setPrevRandao', mixHash)
    await this.engine('hardhat_setNextBlockBaseFeePerGas', baseFee)
    await this.engine('evm_mine', time)
    const { hash, transactions: hashes } = await this.#readHead()
    const transactions = hashes.map((each) => this.pool.take(each))
    const block = { number: this.head.number, hash, time, mixHash, baseFee, transactions }
    this.#recent.push(block)
    if (this.#recent.length > keptBlocks * 2) this.#recent.splice(0, keptBlocks)
    if (this.head.number % blocksPerSnapshot === 0) await this.#snapshot()
    return block
  }

  async #mineAgain(block: JournalBlock): Promise<void> {
    for (const raw of block.transactions) await this.pool.add(raw)
    const { hash } = await this.#mineOne(block)
    if (hash !== block.hash) throw new Error(`block ${block.number} of ${this.network} is not what the journal says`)
  }

  /** Goes back to the last snapshot at or below a block, and mines the blocks between them again. */
  async #returnTo(number: number): Promise<void> {
    const snapshot = this.#snapshots.findLast((each) => each.number <= number)
    const oldest = this.#recent[0]?.number ?? 1
    if (!snapshot || snapshot.number + 1 < oldest) throw new RpcError('the chain no longer remembers these blocks')
    const again = this.#recent.filter((block) => block.number > snapshot.number && block.number <= number)
    await this.pool.clear()
    await this.engine('evm_revert', snapshot.id)
    await this.pool.clear()
    this.#snapshots = this.#snapshots.filter((each) => each.number < snapshot.number)
    this.#recent = this.#recent.filter((block) => block.number <= snapshot.number)
    await this.#readHead()
    await this.#snapshot()
    for (const block of again) await this.#mineAgain(block)
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

  async #snapshot(): Promise<void> {
    this.#snapshots.push({ number: this.head.number, id: await this.engine<string>('evm_snapshot') })
    if (this.#snapshots.length > keptBlocks) this.#snapshots.splice(0, keptBlocks / 2)
  }

  async #readHead(): Promise<Block> {
    const block = await this.engine<Block>('eth_getBlockByNumber', 'latest', false)
    this.head = { number: Number(block.number), hash: block.hash, time: Number(block.timestamp) }
    return block
  }
}
