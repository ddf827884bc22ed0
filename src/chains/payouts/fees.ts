import type { FeeHistory } from '../node.ts'

/** A price of gas, in wei per unit. */
export type GasPrice = { maxFee: bigint; tip: bigint }

/** Nodes replace a waiting transaction only for a tenth more; an eighth is certain. */
const bumpNumerator = 9n
const bumpDenominator = 8n

/** Computes the price at which the next block takes a transaction: the base fee and the usual tip. */
export function priceNow({ nextBaseFee, tips }: FeeHistory): { least: bigint; tip: bigint } {
  const sorted = tips.toSorted((a, b) => (a < b ? -1 : 1))
  const tip = sorted[Math.floor(sorted.length / 2)] ?? 0n
  return { least: nextBaseFee + tip, tip }
}

/** Chooses a price that holds while the base fee doubles, within the cap; undefined when even now costs more. */
export function choosePrice(history: FeeHistory, cap: bigint): GasPrice | undefined {
  const { least, tip } = priceNow(history)
  if (least > cap) return undefined
  const wanted = least + history.nextBaseFee
  return { maxFee: max(wanted < cap ? wanted : cap, 1n), tip }
}

/**
 * Chooses the price of a replacement; undefined while the former one is enough, or when it would exceed the cap: then
 * the transaction waits for the fees to fall.
 */
export function chooseReplacement(former: GasPrice, history: FeeHistory, cap: bigint): GasPrice | undefined {
  const { least } = priceNow(history)
  if (former.maxFee >= least) return undefined
  const chosen = choosePrice(history, cap)
  if (!chosen) return undefined
  const bumped = { maxFee: max(chosen.maxFee, bump(former.maxFee)), tip: max(chosen.tip, bump(former.tip)) }
  return bumped.maxFee <= cap && bumped.tip <= bumped.maxFee ? bumped : undefined
}

function bump(fee: bigint): bigint {
  return (fee * bumpNumerator) / bumpDenominator + 1n
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
