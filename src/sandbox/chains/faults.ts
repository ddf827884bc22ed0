/** How a node of an EVM network can misbehave. */
export const evmFaultKinds = [
  'drop_transaction',
  'stale_head',
  'null_receipt',
  'already_known',
  'nonce_too_low',
  'rate_limited',
  'down',
  'slow',
  'empty_logs',
  'wrong_chain_id',
] as const

/** How a node of SOLANA can misbehave. */
export const solanaFaultKinds = [
  'drop_transaction',
  'stale_head',
  'null_receipt',
  'already_processed',
  'expired_blockhash',
  'node_behind',
  'rate_limited',
  'down',
  'slow',
  'empty_signatures',
  'wrong_chain_id',
] as const

export type FaultKind = (typeof evmFaultKinds)[number] | (typeof solanaFaultKinds)[number]
export const faultKinds: readonly FaultKind[] = [...new Set([...evmFaultKinds, ...solanaFaultKinds])]

/** The faults of a node that are still to happen, each for a number of calls. */
export class Faults {
  readonly #left = new Map<FaultKind, number>()
  /** The time that a `slow` call takes. */
  slowMs = 10_000

  /** Lets the next calls that a fault concerns fail; 0 ends the fault. */
  set(kind: FaultKind, calls: number): void {
    if (calls === 0) this.#left.delete(kind)
    else this.#left.set(kind, calls)
  }

  clear(): void {
    this.#left.clear()
  }

  /** True if the fault happens to this call, which then counts. */
  takes(kind: FaultKind): boolean {
    const left = this.#left.get(kind) ?? 0
    if (left > 0) this.set(kind, left - 1)
    return left > 0
  }

  list(): { kind: FaultKind; calls: number }[] {
    return [...this.#left].map(([kind, calls]) => ({ kind, calls }))
  }
}
