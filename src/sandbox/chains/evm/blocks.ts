import { randomBytes } from 'node:crypto'
import { RpcError } from '../rpc-error.ts'
import type { Engine } from './engine.ts'
import type { JournalBlock, JournalEntry } from './journal-entry.ts'
import type { Pool } from './pool.ts'

type Block = { number: string; hash: string; timestamp: string; transactions: string[] }

const blocksPerSnapshot = 16
const keptBlocks = 1_024

/** The blocks of one chain: makes new ones from the pool, and returns to earlier ones. */
export class Blocks {
  readonly #engine: Engine
  readonly #pool: Pool
  /** The newest blocks, for reorganizations. */
  #recent: JournalBlock[] = []
  #snapshots: { number: number; id: string }[] = []
  head = { number: 0, hash: '', time: 0 }

  constructor(engine: Engine, pool: Pool) {
    this.#engine = engine
    this.#pool = pool
  }

  /** Mines the blocks of an earlier process on top of the first block. The last hash stands for all before it. */
  async open(blocks: readonly JournalBlock[]): Promise<void> {
    await this.#readHead()
    await this.#snapshot()
    for (const block of blocks) await this.#mineAgain(block)
  }

  /** The transactions of the blocks above a number, in their order. */
  transactionsAbove(number: number): string[] {
    return this.#recent.filter((block) => block.number > number).flatMap(({ transactions }) => transactions)
  }

  /** Mines blocks with all that fits of the pool; the engine alone knows them until they are in the journal. */
  async mine(count: number, baseFeePerGas: bigint, now: number): Promise<JournalEntry[]> {
    const entries: JournalEntry[] = []
    for (let mined = 0; mined < count; mined++) {
      const mixHash = `0x${randomBytes(32).toString('hex')}`
      const baseFee = `0x${baseFeePerGas.toString(16)}`
      const time = Math.max(this.head.time + 1, now)
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
    await this.#engine('hardhat_setPrevRandao', mixHash)
    await this.#engine('hardhat_setNextBlockBaseFeePerGas', baseFee)
    await this.#engine('evm_mine', time)
    const { hash, transactions: hashes } = await this.#readHead()
    const transactions = hashes.map((each) => this.#pool.take(each))
    const block = { number: this.head.number, hash, time, mixHash, baseFee, transactions }
    this.#recent.push(block)
    if (this.#recent.length > keptBlocks * 2) this.#recent.splice(0, keptBlocks)
    if (this.head.number % blocksPerSnapshot === 0) await this.#snapshot()
    return block
  }

  async #mineAgain(block: JournalBlock): Promise<void> {
    for (const raw of block.transactions) {
      await this.#pool.add(raw).catch((error: unknown) => {
        throw new Error(`block ${block.number} of the journal has a transaction that cannot be mined`, { cause: error })
      })
    }
    const { hash } = await this.#mineOne(block)
    if (hash !== block.hash) throw new Error(`block ${block.number} is not what the journal says`)
  }

  /** Goes back to the last snapshot at or below a block, and mines the blocks between them again. */
  async returnTo(number: number): Promise<void> {
    const snapshot = this.#snapshots.findLast((each) => each.number <= number)
    const oldest = this.#recent[0]?.number ?? 1
    if (!snapshot || snapshot.number + 1 < oldest) throw new RpcError('the chain no longer remembers these blocks')
    const again = this.#recent.filter((block) => block.number > snapshot.number && block.number <= number)
    await this.#pool.clear()
    const isReverted = await this.#engine<boolean>('evm_revert', snapshot.id)
    if (!isReverted) throw new Error(`the snapshot of block ${snapshot.number} is gone`)
    await this.#pool.clear()
    this.#snapshots = this.#snapshots.filter((each) => each.number < snapshot.number)
    this.#recent = this.#recent.filter((block) => block.number <= snapshot.number)
    await this.#readHead()
    await this.#snapshot()
    for (const block of again) await this.#mineAgain(block)
  }

  async #snapshot(): Promise<void> {
    this.#snapshots.push({ number: this.head.number, id: await this.#engine<string>('evm_snapshot') })
    if (this.#snapshots.length > keptBlocks) this.#snapshots.splice(0, keptBlocks / 2)
  }

  async #readHead(): Promise<Block> {
    const block = await this.#engine<Block>('eth_getBlockByNumber', 'latest', false)
    this.head = { number: Number(block.number), hash: block.hash, time: Number(block.timestamp) }
    return block
  }
}
