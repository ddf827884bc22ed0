import { programs } from './token-accounts.ts'
import type { WireTransaction } from './transaction.ts'

/** A transaction that waits for a slot. One with a key is the sandbox's own. */
export type Pending = { transaction: WireTransaction; price: bigint; key: string | undefined }

const setUnitPrice = 3

/** The transactions that wait for a slot, in their order. */
export class Pool {
  readonly #bySignature = new Map<string, Pending>()

  add(transaction: WireTransaction, key?: string): void {
    this.#bySignature.set(transaction.signatures[0] as string, { transaction, price: priceOf(transaction), key })
  }

  has(signature: string): boolean {
    return this.#bySignature.has(signature)
  }

  remove(signature: string): void {
    this.#bySignature.delete(signature)
  }

  list(): Pending[] {
    return [...this.#bySignature.values()]
  }

  findRequest(key: string): string | undefined {
    return this.list().find((each) => each.key === key)?.transaction.signatures[0]
  }

  get size(): number {
    return this.#bySignature.size
  }
}

/** The price that a transaction offers for a compute unit, in millionths of a lamport. */
export function priceOf({ keys, instructions }: Pick<WireTransaction, 'keys' | 'instructions'>): bigint {
  const found = instructions.find(
    ({ program, data }) => keys[program] === programs.computeBudget && data[0] === setUnitPrice && data.length >= 9,
  )
  return found ? Buffer.from(found.data).readBigUInt64LE(1) : 0n
}
