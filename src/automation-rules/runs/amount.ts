import { divideRounded } from '../../lib/money.ts'
import type { AmountType } from '../rule.ts'

/** Percentages are stored in ten-thousandths of a percent. */
export const percentScale = 4
export const hundredPercent = 1_000_000n

/** Computes the amount a rule moves, in smallest units. A percentage of the available balance is rounded down. */
export function amountToMove(amount: { type: AmountType; units: bigint }, available: bigint): bigint {
  return amount.type === 'FLAT' ? amount.units : divideRounded(available * amount.units, hundredPercent, 'down')
}
