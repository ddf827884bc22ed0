import type { Rate } from '../../lib/money.ts'
import { isApartByMore, maxClockSkewMs, type PricedLabel, type RateReading, readRate } from './rates.ts'

export type AcceptedRate = { usd: Rate; asOf: Date; source: string }
/** A jump that no second reading has confirmed. */
export type DoubtedRate = { usd: Rate; seenAt: Date }

export type Admission =
  | { outcome: 'ACCEPTED' }
  | { outcome: 'DOUBTED'; why: string }
  | { outcome: 'REJECTED'; why: string }

const jumpBasisPoints: Readonly<Record<PricedLabel, bigint>> = {
  USD: 0n,
  EUR: 500n,
  CAD: 500n,
  INR: 500n,
  USDC: 200n,
  EURC: 600n,
}
/** A second reading confirms a jump if it is at most this far from the first … */
const agreeBasisPoints = 100n
/** … and at least this much later, because a cache may serve one bad answer twice. */
const confirmAfterMs = 30_000
const doubtEndsAfterMs = 3_600_000
/**
 * The plausible dollar value of a currency: the range of its last twenty years, and as much again on either side. It
 * catches most inverted pairs and misplaced decimal points, also on the first day, when there is no earlier rate. A
 * stablecoin has no range: its fall is real and must be noticed.
 */
const plausibleRange: Partial<Record<PricedLabel, readonly [Rate, Rate]>> = {
  EUR: [readBound('0.5'), readBound('2')],
  CAD: [readBound('0.4'), readBound('1.3')],
  INR: [readBound('0.005'), readBound('0.05')],
}

/** Decides whether to accept a reading. A large jump stays doubted until a later reading confirms it. */
export function admitRate(
  reading: RateReading,
  before: { accepted?: AcceptedRate; doubted?: DoubtedRate },
  now: Date,
  maxAgeMs: number,
): Admission {
  const { label, usd, asOf, source } = reading
  const why = findReadingProblem(reading, now, maxAgeMs)
  if (why) return { outcome: 'REJECTED', why }
  const { accepted, doubted } = before
  // A cache may serve yesterday's file after it has served today's.
  if (accepted?.source === source && asOf < accepted.asOf && accepted.asOf <= now) {
    return { outcome: 'REJECTED', why: `${label} is older than the last reading of the source` }
  }
  if (!accepted || !isApartByMore(usd, accepted.usd, jumpBasisPoints[label])) return { outcome: 'ACCEPTED' }
  const doubtAgeMs = doubted ? now.getTime() - doubted.seenAt.getTime() : 0
  const isConfirmed =
    doubted !== undefined &&
    doubtAgeMs >= confirmAfterMs &&
    doubtAgeMs <= doubtEndsAfterMs &&
    !isApartByMore(usd, doubted.usd, agreeBasisPoints)
  return isConfirmed ? { outcome: 'ACCEPTED' } : { outcome: 'DOUBTED', why: `${label} jumped` }
}

/** Tells why a reading is unusable, so that the next source is used instead. */
export function findReadingProblem({ label, usd, asOf }: RateReading, now: Date, maxAgeMs: number): string | undefined {
  const [lowest, highest] = plausibleRange[label] ?? []
  if ((lowest && isLess(usd, lowest)) || (highest && isLess(highest, usd))) {
    return `${label} is outside its plausible range`
  }
  if (Number.isNaN(asOf.getTime())) return `${label} has no date`
  if (asOf.getTime() > now.getTime() + maxClockSkewMs) return `${label} has a date in the future`
  return asOf.getTime() + maxAgeMs < now.getTime() ? `${label} is too old` : undefined
}

/** Tells whether a reading repeats the recorded doubt, whose age then keeps counting. */
export function isSameDoubt(doubted: DoubtedRate | undefined, usd: Rate, now: Date): boolean {
  if (!doubted || now.getTime() - doubted.seenAt.getTime() > doubtEndsAfterMs) return false
  return !isApartByMore(usd, doubted.usd, agreeBasisPoints)
}

function isLess(rate: Rate, than: Rate): boolean {
  return rate.units * 10n ** BigInt(than.scale) < than.units * 10n ** BigInt(rate.scale)
}

function readBound(text: string): Rate {
  const rate = readRate(text)
  if (!rate) throw new Error(`${text} is not a rate`)
  return rate
}
