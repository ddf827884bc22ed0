import { scaleOf, type TokenAsset } from '../../catalog/currencies.ts'
import type { SigningLimits } from '../../lib/settings/signing.ts'

/** The sums that the signer has let leave in an asset, in smallest units. */
export type SignedSums = { hour: bigint; day: bigint }

export type Counted = {
  asset: TokenAsset
  value: bigint
  /** An earlier signature of the same payout counts already: the two share a nonce, so only one of them can pay. */
  isInHour: boolean
  isInDay: boolean
}

/**
 * Counts signatures towards the limits, those of the batch in progress included. Every signature counts for its hour and
 * day, whether its transfer was committed or not: a signature that exists can be used.
 */
export function createCounter(limits: SigningLimits, sums: ReadonlyMap<string, SignedSums>) {
  const counted = new Map<string, SignedSums>(sums)
  return {
    /** Counts a signature; answers the reason when it would exceed a limit. */
    count: ({ asset, value, isInHour, isInDay }: Counted): string | undefined => {
      const limitOf = (whole: number) => BigInt(whole) * 10n ** BigInt(scaleOf(asset))
      const exceeds = (sum: bigint, whole: number) => whole > 0 && sum > limitOf(whole)
      const { hour, day } = counted.get(asset) ?? { hour: 0n, day: 0n }
      const next = { hour: isInHour ? hour : hour + value, day: isInDay ? day : day + value }
      if (exceeds(value, limits.perTransaction)) return 'LIMIT_PER_TRANSACTION'
      if (!isInHour && exceeds(next.hour, limits.perHour)) return 'LIMIT_PER_HOUR'
      if (!isInDay && exceeds(next.day, limits.perDay)) return 'LIMIT_PER_DAY'
      counted.set(asset, next)
      return undefined
    },
  }
}

export function hasLimits({ perHour, perDay }: { perHour: number; perDay: number }): boolean {
  return perHour > 0 || perDay > 0
}
