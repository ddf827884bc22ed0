import { convert, formatAmount, parseRate, type Rate, roundRate } from '../../lib/money.ts'
import type { RoundingStep } from '../quote.ts'
import { type Exact, round } from '../rounding.ts'

/** What a price is asked for. The network of a token does not change it. */
export const pricedLabels = ['USD', 'EUR', 'CAD', 'INR', 'USDC', 'EURC'] as const
export type PricedLabel = (typeof pricedLabels)[number]

/** One unit of the label in US dollars, as somebody outside said it. */
export type RateReading = { label: PricedLabel; usd: Rate; asOf: Date; source: string }

/** A reading that was believed, until when it may be used, and whether a later one contradicts it. */
export type CurrentRate = RateReading & { goodUntil: Date; isDoubted?: boolean }

/** Where readings come from. It answers what it has; failing as a whole is throwing. */
export type RateSource = {
  name: string
  maxAgeMs: number
  /** How long an answer stands before the source is asked again. Without it: asked each time, and no answer stands. */
  everyMs?: number
  /** Afresh: in full, even if the source could say that nothing has changed. */
  read(afresh: boolean): Promise<RateReading[]>
}

export type Rates = ReadonlyMap<PricedLabel, CurrentRate>

/** Clocks differ; what is of further ahead has a wrong date. */
export const mostAheadMs = 60_000

const one: Rate = { units: 1n, scale: 0 }
/** Enough that a rupee's worth of dollars has ten significant digits. */
export const rateScale = 12

/** Why a pair has no price just now. The text is for the log; callers are told that there is none. */
export type NoPrice = { ok: false; why: string }
export type Price = {
  ok: true
  /** What the quote converts with: cross rate less spread, rounded down. */
  rate: Rate
  crossRate: Rate
  spreadBasisPoints: bigint
  used: CurrentRate[]
  sourceUsd: Rate
  rounding: RoundingStep[]
}

/** What one unit of the source is worth in the destination, through the dollar. */
export function priceOf(rates: Rates, source: PricedLabel, destination: PricedLabel, now: Date): Price | NoPrice {
  const used: CurrentRate[] = []
  for (const label of new Set<PricedLabel>([source, destination])) {
    if (label === 'USD') continue
    const found = findCurrent(rates, label, now)
    if (typeof found === 'string') return { ok: false, why: found }
    const peg = pegs[label]
    const pegRate = peg === 'USD' ? { usd: one } : peg && findCurrent(rates, peg, now)
    if (typeof pegRate === 'string') return { ok: false, why: `${pegRate} to compare ${label} with` }
    if (pegRate && isFurtherApart(found.usd, pegRate.usd, pegToleranceBasisPoints)) {
      return { ok: false, why: `${label} is too far from ${peg}` }
    }
    used.push(found)
  }
  const sourceUsd = source === 'USD' ? one : (rates.get(source)?.usd ?? one)
  const destinationUsd = destination === 'USD' ? one : (rates.get(destination)?.usd ?? one)
  const rounding: RoundingStep[] = []
  const crossRate = source === destination ? one : rateFrom(rounding, 'crossRate', quotient(sourceUsd, destinationUsd))
  const spreadBasisPoints = spreadOf(source, destination)
  const kept = { units: 10_000n - spreadBasisPoints, scale: 4 }
  const rate = rateFrom(rounding, 'exchangeRate', product(crossRate, kept))
  return { ok: true, rate, crossRate, spreadBasisPoints, used, sourceUsd, rounding }
}

/** What a label is worth just now, or why nobody knows. */
function findCurrent(rates: Rates, label: PricedLabel, now: Date): CurrentRate | string {
  const found = rates.get(label)
  if (!found) return `there is no rate of ${label}`
  if (found.goodUntil < now) return `the rate of ${label} is too old`
  // The clock was set back since: how old it is, nobody knows.
  if (found.asOf.getTime() > now.getTime() + mostAheadMs) return `the rate of ${label} is of the future`
  // The old price is known to be wrong or the new one is; nobody should trade at either until it is known which.
  return found.isDoubted ? `the rate of ${label} jumped and is not confirmed` : found
}

function quotient(rate: Rate, by: Rate): Exact {
  return {
    numerator: rate.units * 10n ** BigInt(by.scale + rateScale),
    denominator: by.units * 10n ** BigInt(rate.scale),
  }
}

function product(rate: Rate, factor: Rate): Exact {
  return {
    numerator: rate.units * factor.units * 10n ** BigInt(rateScale),
    denominator: 10n ** BigInt(rate.scale + factor.scale),
  }
}

function rateFrom(steps: RoundingStep[], step: 'crossRate' | 'exchangeRate', exact: Exact): Rate {
  return roundRate({ units: round(steps, step, exact, 'down'), scale: rateScale }, rateScale, 'down')
}

/** A stablecoin stands for its currency; when it does not, nobody should trade at the wrong price. */
const pegs: Partial<Record<PricedLabel, PricedLabel>> = { USDC: 'USD', EURC: 'EUR' }
const pegToleranceBasisPoints = 100n

/** What the service keeps of the rate for the risk between quote and payout. Nothing where there is none. */
export function spreadOf(source: PricedLabel, destination: PricedLabel): bigint {
  const currencyOf = (label: PricedLabel) => pegs[label] ?? label
  return currencyOf(source) === currencyOf(destination) ? 0n : 20n
}

/** Whether two rates differ by more than so many basis points of the second. */
export function isFurtherApart(rate: Rate, other: Rate, basisPoints: bigint): boolean {
  const left = rate.units * 10n ** BigInt(other.scale)
  const right = other.units * 10n ** BigInt(rate.scale)
  const apart = left > right ? left - right : right - left
  return apart * 10_000n > right * basisPoints
}

/** Reads a rate from outside; text that is none is no reading. */
export function readRate(text: unknown): Rate | undefined {
  const parsed = parseRate(text)
  return parsed.ok ? parsed.rate : undefined
}

/** What an amount is worth in dollars, in cents and rounded down; undefined while there is no current price. */
export function usdValueOf(rates: Rates, label: string, units: bigint, scale: number, now: Date): string | undefined {
  const priced = pricedLabels.find((each) => each === label)
  const price = priced && priceOf(rates, priced, 'USD', now)
  return price?.ok ? formatAmount(convert(units, scale, price.sourceUsd, 2, 'down'), 2) : undefined
}
