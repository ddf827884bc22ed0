import { type Asset, labelOf, scaleOf } from '../catalog/currencies.ts'
import { convert, divideRates, formatAmount, multiplyRates, parseRate, type Rate, roundRate } from '../lib/money.ts'

/** What a price is asked for. The network of a token does not change it. */
export const pricedLabels = ['USD', 'EUR', 'CAD', 'INR', 'USDC', 'EURC'] as const
export type PricedLabel = (typeof pricedLabels)[number]

/** One unit of the label in US dollars, as somebody outside said it. */
export type RateReading = { label: PricedLabel; usd: Rate; asOf: Date; source: string }

/** A reading that was believed, and until when it may be used. */
export type CurrentRate = RateReading & { goodUntil: Date }

/** Where readings come from. It answers what it has; failing as a whole is throwing. */
export type RateSource = { name: string; maxAgeMs: number; read(): Promise<RateReading[]> }

export type Rates = ReadonlyMap<PricedLabel, CurrentRate>

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
}

/** What one unit of the source is worth in the destination, through the dollar. */
export function priceOf(rates: Rates, source: PricedLabel, destination: PricedLabel, now: Date): Price | NoPrice {
  const used: CurrentRate[] = []
  for (const label of new Set<PricedLabel>([source, destination])) {
    if (label === 'USD') continue
    const found = rates.get(label)
    if (!found) return { ok: false, why: `there is no rate of ${label}` }
    if (found.goodUntil < now) return { ok: false, why: `the rate of ${label} is too old` }
    const peg = pegs[label]
    const pegRate = peg === 'USD' ? one : peg && rates.get(peg)?.usd
    if (peg && !pegRate) return { ok: false, why: `there is no rate of ${peg} to compare ${label} with` }
    if (pegRate && isFurtherApart(found.usd, pegRate, pegToleranceBasisPoints)) {
      return { ok: false, why: `${label} is too far from ${peg}` }
    }
    used.push(found)
  }
  const sourceUsd = source === 'USD' ? one : (rates.get(source)?.usd ?? one)
  const destinationUsd = destination === 'USD' ? one : (rates.get(destination)?.usd ?? one)
  const crossRate = source === destination ? one : divideRates(sourceUsd, destinationUsd, rateScale, 'down')
  const spreadBasisPoints = spreadOf(source, destination)
  const kept = { units: 10_000n - spreadBasisPoints, scale: 4 }
  const rate = roundRate(multiplyRates(crossRate, kept), rateScale, 'down')
  return { ok: true, rate, crossRate, spreadBasisPoints, used, sourceUsd }
}

/** What an amount is worth in dollars and cents, rounded down; undefined while there is no price to believe. */
export function usdValueOf(rates: Rates, asset: Asset, units: bigint, now: Date): string | undefined {
  const label = pricedLabels.find((each) => each === labelOf(asset))
  const price = label && priceOf(rates, label, 'USD', now)
  return price?.ok ? formatAmount(convert(units, scaleOf(asset), price.sourceUsd, 2, 'down'), 2) : undefined
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
