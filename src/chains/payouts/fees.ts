import type { FeeHistory } from '../node.ts'

/** A price of gas, in wei per unit. */
export type GasPrice = { maxFee: bigint; tip: bigint }

/** The most that we pay per unit of gas, and the least tip that the network takes. */
export type FeeBounds = { cap: bigint; leastTip: bigint }

/** Nodes replace a waiting transaction only for a tenth more; an eighth is certain. */
const bumpNumerator = 9n
const bumpDenominator = 8n

/** Computes the price at which the next block takes a transaction: the base fee and the usual tip. */
export function priceNow({ nextBaseFee, tips }: FeeHistory, leastTip: bigint): { least: bigint; tip: bigint } {
  const sorted = tips.toSorted((a, b) => (a < b ? -1 : 1))
  const tip = max(sorted[Math.floor(sorted.length / 2)] ?? 0n, leastTip)
  return { least: nextBaseFee + tip, tip }
}

/** Chooses a price that holds while the base fee doubles, within the cap; undefined when even now costs more. */
export function choosePrice(history: FeeHistory, { cap, leastTip }: FeeBounds): GasPrice | undefined {
  const { least, tip } = priceNow(history, leastTip)
  if (least > cap) return undefined
  const wanted = least + history.nextBaseFee
  return { maxFee: wanted < cap ? wanted : cap, tip }
}

/**
 * Chooses the price of a replacement; undefined while the former one is enough, or when it would exceed the cap: then
 * the transaction waits for the fees to fall. A former price that a node has refused is never enough, and neither is a
 * tip below the network's least or half the usual one.
 */
export function chooseReplacement(
  former: GasPrice & { isRefused: boolean },
  history: FeeHistory,
  bounds: FeeBounds,
): GasPrice | undefined {
  const { cap, leastTip } = bounds
  const { least, tip } = priceNow(history, leastTip)
  const isTipEnough = former.tip >= leastTip && former.tip * 2n >= tip
  if (former.maxFee >= least && isTipEnough && !former.isRefused) return undefined
  const chosen = choosePrice(history, bounds)
  if (!chosen) return undefined
  const bumped = { maxFee: max(chosen.maxFee, bump(former.maxFee)), tip: max(chosen.tip, bump(former.tip)) }
  return bumped.maxFee <= cap && bumped.tip <= bumped.maxFee ? bumped : undefined
}

/**
 * Chooses the price of a transaction that fills a nonce: the present one, and more than each signed version of the
 * nonce, which may wait at a node. Undefined while that exceeds the cap.
 */
export function chooseFill(
  signed: readonly GasPrice[],
  now: GasPrice | undefined,
  { cap }: Pick<FeeBounds, 'cap'>,
): GasPrice | undefined {
  if (!now) return undefined
  const maxFee = signed.reduce((highest, each) => max(highest, bump(each.maxFee)), now.maxFee)
  const tip = signed.reduce((highest, each) => max(highest, bump(each.tip)), now.tip)
  return maxFee <= cap && tip <= maxFee ? { maxFee, tip } : undefined
}

function bump(fee: bigint): bigint {
  return (fee * bumpNumerator) / bumpDenominator + 1n
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
