import type { Engine } from './engine.ts'

/** A transaction that waits for a block. */
export type Pending = { hash: string; raw: string; from: string; nonce: number; maxFee: bigint; isSkipped: boolean }

type EngineTransaction = { from: string; nonce: string; gasPrice: string; maxFeePerGas?: string }

/** The transactions that wait for a block. The engine holds them too; this list knows their bytes and their order. */
export class Pool {
  readonly #engine: Engine
  readonly #byHash = new Map<string, Pending>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Hands a transaction to the engine, which refuses invalid ones and replaces cheaper ones with the same nonce. */
  async add(raw: string): Promise<string> {
    const hash = await this.#engine<string>('eth_sendRawTransaction', raw)
    const { from, nonce, gasPrice, maxFeePerGas } = await this.#engine<EngineTransaction>(
      'eth_getTransactionByHash',
      hash,
    )
    const maxFee = BigInt(maxFeePerGas ?? gasPrice)
    const place = Number(nonce)
    const added = { hash, raw, from, nonce: place, maxFee, isSkipped: false }
    for (const each of this.#byHash.values()) {
      if (each.from === from && each.nonce === added.nonce) this.#byHash.delete(each.hash)
      else each.isSkipped = false
    }
    this.#byHash.set(hash, added)
    return hash
  }

  has(hash: string): boolean {
    return this.#byHash.has(hash)
  }

  list(): Pending[] {
    return [...this.#byHash.values()]
  }

  /** Removes a mined transaction and returns its bytes. */
  take(hash: string): string {
    const taken = this.#byHash.get(hash)
    if (!taken) throw new Error(`the block has a transaction that was not in the pool: ${hash}`)
    this.#byHash.delete(hash)
    return taken.raw
  }

  /** Removes every transaction, from the engine too. */
  async clear(): Promise<void> {
    this.#byHash.clear()
    for (const { hash } of await this.#engine<{ hash: string }[]>('eth_pendingTransactions')) {
      await this.#engine('hardhat_dropTransaction', hash)
    }
  }

  async drop(hash: string): Promise<void> {
    if (this.#byHash.delete(hash)) await this.#engine('hardhat_dropTransaction', hash)
  }

  /** The nonce after the last transaction of an address that follows the mined ones without a gap. */
  async nextNonce(address: string): Promise<number> {
    const nonces = new Set(this.#of(address).map(({ nonce }) => nonce))
    let next = await this.#minedNonce(address)
    while (nonces.has(next)) next += 1
    return next
  }

  /** True if the next block can include a transaction at this base fee. */
  async canMine(baseFee: bigint): Promise<boolean> {
    const affordable = this.list().filter((each) => each.maxFee >= baseFee && !each.isSkipped)
    for (const from of new Set(affordable.map((each) => each.from))) {
      const next = await this.#minedNonce(from)
      if (affordable.some((each) => each.from === from && each.nonce === next)) return true
    }
    return false
  }

  /** Counts the transactions that could be mined in order, and those behind a gap. */
  async count(): Promise<{ pending: number; queued: number }> {
    let pending = 0
    for (const from of new Set(this.list().map((each) => each.from))) {
      pending += (await this.nextNonce(from)) - (await this.#minedNonce(from))
    }
    return { pending, queued: this.#byHash.size - pending }
  }

  /** Notes that a block left these out although they seemed fit, so that the miner does not try for ever. */
  async skipRest(): Promise<void> {
    for (const each of this.list()) {
      const known = await this.#engine('eth_getTransactionByHash', each.hash)
      if (known) each.isSkipped = true
      else this.#byHash.delete(each.hash)
    }
  }

  #of(address: string): Pending[] {
    return this.list().filter(({ from }) => from === address.toLowerCase())
  }

  async #minedNonce(address: string): Promise<number> {
    return Number(await this.#engine<string>('eth_getTransactionCount', address, 'latest'))
  }
}
