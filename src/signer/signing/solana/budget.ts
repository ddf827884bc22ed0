import { milliSol } from '../../../catalog/gas.ts'
import type { SolanaBounds } from '../../../lib/settings/signing.ts'
import { tokenAccountRent } from '../../../lib/solana/programs.ts'
import { feeOf } from '../../../lib/solana/transfer.ts'

/**
 * Counts the most that the relayer may spend, the batch in progress included: each transaction with its fee and the rent
 * of a new token account, whether one was needed or not.
 */
export function createSolanaBudget(
  { perHour, perDay }: SolanaBounds,
  spent: readonly { price: string; hour: number; day: number }[],
) {
  const costOf = (price: bigint) => feeOf(price) + tokenAccountRent
  let [hour, day] = [0n, 0n]
  for (const each of spent) {
    hour += costOf(BigInt(each.price)) * BigInt(each.hour)
    day += costOf(BigInt(each.price)) * BigInt(each.day)
  }
  return {
    /** Counts a transaction; answers the bound that it would exceed. */
    count: (computeUnitPrice: bigint): string | undefined => {
      const cost = costOf(computeUnitPrice)
      if (perHour > 0 && hour + cost > BigInt(perHour) * milliSol) return 'GAS_PER_HOUR'
      if (perDay > 0 && day + cost > BigInt(perDay) * milliSol) return 'GAS_PER_DAY'
      hour += cost
      day += cost
      return undefined
    },
  }
}
