import { convert, formatAmount, parseRate, powerOfTen, type Rate, roundRate } from '../../lib/money.ts'
import type { RoundingStep } from '../quote.ts'
import { type Fraction, round } from '../rounding.ts'

/** The currencies with a price. The network of a token does not change its price. */
export const pricedLabels = ['USD', 'EUR', 'CAD', 'INR', 'USDC', 'EURC'] as const
export type PricedLabel = (typeof pricedLabels)[number]

/** The value of one unit of a currency in US dollars, as a rate source reports it. */
export type RateReading = { label: PricedLabel; usd: Rate; asOf: Date; source: string }

/** An accepted reading. It is doubted when a later reading jumped away from it. */
export type CurrentRate = RateReading & { goodUntil: Date; isDoubted?: boolean }

/** A provider of readings. It returns the readings it has, and throws if it fails as a whole. */
export type RateSource = {
  name: string
  maxAgeMs: number
  /** The time an answer is reused before the next poll. Without it, the source is polled each time. */
  everyMs?: number
  /** Afresh: reads the full answer, without a conditional request. */
  read(afresh: boolean): Promise<RateReading[]>
}

export type Rates = ReadonlyMap<PricedLabel, CurrentRate>

/** The largest difference between clocks. A reading further ahead has a wrong date. */
export const maxClockSkewMs = 60_000

const one: Rate = { units: 1n, scale: 0 }
/** Gives the dollar value of a rupee ten significant digits. */
export const rateScale = 12

/** The reason why a pair has no price now, for the log only. */
export type NoPrice = { ok: false; why: string }
export type Price = {
  ok: true
  /** The rate a quote converts at: cross rate less spread, rounded down. */
  rate: Rate
  crossRate: Rate
  spreadBasisPoints: bigint
  used: CurrentRate[]
  sourceUsd: Rate
  rounding: RoundingStep[]
}

/** Prices one unit of the source in the destination, through the dollar. */
export function priceOf(rates: Rates, source: PricedLabel, destination: PricedLabel, now: Date): Price | NoPrice {
  const used: CurrentRate[] = []
  for (const label of new Set<PricedLabel>([source, destination])) {
    if (label === 'USD') continue
    const found = findCurrent(rates, label, now)
    if (typeof found === 'string') return { ok: false, why: found }
    const peg = pegs[label]
    const pegRate = peg === 'USD' ? { usd: one } : peg && findCurrent(rates, peg, now)
    if (typeof pegRate === 'string') return { ok: false, why: `${pegRate} to compare ${label} with` }
    if (pegRate && isApartByMore(found.usd, pegRate.usd, pegToleranceBasisPoints)) {
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

/** Finds the current rate of a currency, or the reason why there is none. */
function findCurrent(rates: Rates, label: PricedLabel, now: Date): CurrentRate | string {
  const found = rates.get(label)
  if (!found) return `there is no rate of ${label}`
  if (found.goodUntil < now) return `the rate of ${label} is too old`
  // The clock was set back, so the age of the rate is unknown.
  if (found.asOf.getTime() > now.getTime() + maxClockSkewMs) return `the rate of ${label} has a date in the future`
  // Either the old rate or the new one is wrong: quote neither until a reading confirms one.
  return found.isDoubted ? `the rate of ${label} jumped and is not confirmed` : found
}

function quotient(rate: Rate, by: Rate): Fraction {
  return {
    numerator: rate.units * powerOfTen(by.scale + rateScale),
    denominator: by.units * powerOfTen(rate.scale),
  }
}

function product(rate: Rate, factor: Rate): Fraction {
  return {
    numerator: rate.units * factor.units * powerOfTen(rateScale),
    denominator: powerOfTen(rate.scale + factor.scale),
  }
}

function rateFrom(steps: RoundingStep[], step: 'crossRate' | 'exchangeRate', exact: Fraction): Rate {
  return roundRate({ units: round(steps, step, exact, 'down'), scale: rateScale }, rateScale, 'down')
}

/** The currency each stablecoin is pegged to. A coin too far from its peg has no price. */
const pegs: Partial<Record<PricedLabel, PricedLabel>> = { USDC: 'USD', EURC: 'EUR' }
const pegToleranceBasisPoints = 100n

/** The share of the rate that the service keeps for the risk between quote and payout; zero within one currency. */
export function spreadOf(source: PricedLabel, destination: PricedLabel): bigint {
  return isSameCurrency(source, destination) ? 0n : 20n
}

/** True for two labels of one currency: the same label, or a currency and its stablecoin. */
export function isSameCurrency(source: string, destination: string): boolean {
  const currencyOf = (label: string) => pegs[label as PricedLabel] ?? label
  return currencyOf(source) === currencyOf(destination)
}

/** Tells whether two rates differ by more than `basisPoints` of the second. */
export function isApartByMore(rate: Rate, other: Rate, basisPoints: bigint): boolean {
  const left = rate.units * powerOfTen(other.scale)
  const right = other.units * powerOfTen(rate.scale)
  const apart = left > right ? left - right : right - left
  return apart * 10_000n > right * basisPoints
}

/** Parses a rate from an external source; undefined if it is not a rate. */
export function readRate(text: unknown): Rate | undefined {
  const parsed = parseRate(text)
  return parsed.ok ? parsed.rate : undefined
}

/** Converts an amount to dollars, rounded down to cents; undefined while there is no current price. */
export function usdValueOf(rates: Rates, label: string, units: bigint, scale: number, now: Date): string | undefined {
  const priced = pricedLabels.find((each) => each === label)
  const price = priced && priceOf(rates, priced, 'USD', now)
  return price?.ok ? formatAmount(convert(units, scale, price.sourceUsd, 2, 'down'), 2) : undefined
}
