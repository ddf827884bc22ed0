import type { Rate } from '../../lib/money.ts'
import { isFurtherApart, mostAheadMs, type PricedLabel, type RateReading, readRate } from './rates.ts'

export type Believed = { usd: Rate; asOf: Date; source: string }
/** A jump that was seen once. */
export type Doubted = { usd: Rate; seenAt: Date }

export type Admission =
  | { outcome: 'BELIEVED' }
  | { outcome: 'DOUBTED'; why: string }
  | { outcome: 'IGNORED'; why: string }

const jumpBasisPoints: Readonly<Record<PricedLabel, bigint>> = {
  ...{ USD: 0n, EUR: 500n, CAD: 500n, INR: 500n },
  ...{ USDC: 200n, EURC: 600n },
}
/** A second reading confirms a jump when it is no further than this from the first one … */
const agreeBasisPoints = 100n
/** … and came at least this much later: one bad answer that is served twice is still one. */
const confirmAfterMs = 30_000
const doubtEndsAfterMs = 3_600_000
/**
 * What a currency can be worth in dollars: its last twenty years, and as much again on either side. A market that is told
 * the wrong way round, or with its point in the wrong place, is mostly outside; on the first day nothing else would tell.
 * A stablecoin has none: its fall is no mistake, and must be noticed.
 */
const possible: Partial<Record<PricedLabel, readonly [Rate, Rate]>> = {
  EUR: [readBound('0.5'), readBound('2')],
  CAD: [readBound('0.4'), readBound('1.3')],
  INR: [readBound('0.005'), readBound('0.05')],
}

/** Whether a reading is believed at once. A large jump is not, until a later reading agrees with it. */
export function admitRate(
  reading: RateReading,
  before: { believed?: Believed; doubted?: Doubted },
  now: Date,
  maxAgeMs: number,
): Admission {
  const { label, usd, asOf, source } = reading
  const why = problemWithReading(reading, now, maxAgeMs)
  if (why) return { outcome: 'IGNORED', why }
  const { believed, doubted } = before
  // A cache on the way may still have yesterday's file after it has given us today's.
  if (believed?.source === source && asOf < believed.asOf && believed.asOf <= now) {
    return { outcome: 'IGNORED', why: `${label} is older than what the source said before` }
  }
  if (!believed || !isFurtherApart(usd, believed.usd, jumpBasisPoints[label])) return { outcome: 'BELIEVED' }
  const doubtAgeMs = doubted ? now.getTime() - doubted.seenAt.getTime() : 0
  const isConfirmed =
    doubted !== undefined &&
    doubtAgeMs >= confirmAfterMs &&
    doubtAgeMs <= doubtEndsAfterMs &&
    !isFurtherApart(usd, doubted.usd, agreeBasisPoints)
  return isConfirmed ? { outcome: 'BELIEVED' } : { outcome: 'DOUBTED', why: `${label} jumped` }
}

/** What keeps a reading from being one at all, so that the next source is asked. */
export function problemWithReading({ label, usd, asOf }: RateReading, now: Date, maxAgeMs: number): string | undefined {
  const [least, most] = possible[label] ?? []
  if ((least && isLess(usd, least)) || (most && isLess(most, usd))) return `${label} is worth what it cannot be`
  if (Number.isNaN(asOf.getTime())) return `${label} has no date`
  if (asOf.getTime() > now.getTime() + mostAheadMs) return `${label} is of the future`
  return asOf.getTime() + maxAgeMs < now.getTime() ? `${label} is too old` : undefined
}

/** Whether a doubt is the same one as before, so that its age goes on counting. */
export function isSameDoubt(doubted: Doubted | undefined, usd: Rate, now: Date): boolean {
  if (!doubted || now.getTime() - doubted.seenAt.getTime() > doubtEndsAfterMs) return false
  return !isFurtherApart(usd, doubted.usd, agreeBasisPoints)
}

function isLess(rate: Rate, than: Rate): boolean {
  return rate.units * 10n ** BigInt(than.scale) < than.units * 10n ** BigInt(rate.scale)
}

function readBound(text: string): Rate {
  const rate = readRate(text)
  if (!rate) throw new Error(`${text} is no bound of a rate`)
  return rate
}
