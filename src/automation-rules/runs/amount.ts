import { divideRounded } from '../../lib/money.ts'
import type { AmountType } from '../rule.ts'

/** 100 %, in the ten-thousandths of a percent that percentages are stored in. */
export const wholeUnits = 1_000_000n

/** What a rule moves, in smallest units. A percentage is one of what is available, and never rounded up. */
export function amountToMove(amount: { type: AmountType; units: bigint }, available: bigint): bigint {
  return amount.type === 'FLAT' ? amount.units : divideRounded(available * amount.units, wholeUnits, 'down')
}
