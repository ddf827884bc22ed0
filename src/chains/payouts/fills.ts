import type { GasPrice } from './fees.ts'
import type { RelayTransaction } from './relay-store.ts'

/** Nodes replace a waiting transaction only for a tenth more; an eighth is certain. */
const bump = (fee: bigint): bigint => (fee * 9n) / 8n + 1n

/**
 * Chooses the price of a transaction that fills a nonce: the present one, and more than each signed version of the
 * nonce, which may wait at a node. Undefined while that exceeds the cap.
 */
export function chooseFill(
  versions: readonly Pick<RelayTransaction, 'raw' | 'maxFee' | 'tip'>[],
  now: GasPrice | undefined,
  cap: bigint,
): GasPrice | undefined {
  if (!now) return undefined
  const signed = versions.filter(({ raw }) => raw !== null)
  const maxFee = highest([now.maxFee, ...signed.map((each) => bump(BigInt(each.maxFee)))])
  const tip = highest([now.tip, ...signed.map((each) => bump(BigInt(each.tip)))])
  return maxFee <= cap && tip <= maxFee ? { maxFee, tip } : undefined
}

function highest(fees: readonly bigint[]): bigint {
  return fees.toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n
}
