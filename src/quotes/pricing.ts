import { labelOf, scaleOf } from '../catalog/currencies.ts'
import type { FeeRule } from '../catalog/fee-schedule.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import { railLimits } from '../catalog/rail-limits.ts'
import { divideRounded, formatAmount, formatRate, parseAmount, powerOfTen, type Rate } from '../lib/money.ts'
import type { Derivation, RoundingStep, Route } from './quote.ts'
import type { Price } from './rates/rates.ts'
import { type Fraction, round } from './rounding.ts'

export type PricingRefusal =
  | { ok: false; code: 'AMOUNT_BELOW_MINIMUM' | 'AMOUNT_ABOVE_MAXIMUM'; field: string; message: string }
  | { ok: false; code: 'DEVELOPER_FEE_BELOW_SVC_FEE'; minimum: string; currency: string }

export type PricedRoute = {
  ok: true
  derivation: Derivation
  destinationAmount: bigint
  svcFee: bigint
  developerFee: bigint
}

const usdScale = 2

/** Prices a route: destination = floor((source − svcFee − developerFee) × rate); fees round up. */
export function priceRoute(route: Route, rule: FeeRule, price: Price): PricedRoute | PricingRefusal {
  const { source, destination } = route
  const sourceRefusal = checkLimits('source.sourceAmount', source.method, source.asset, source.amount)
  if (sourceRefusal) return sourceRefusal
  const scale = scaleOf(source.asset)
  const svcFeeExact = svcFeeOf(source.amount, scale, rule, price.sourceUsd)
  const developerFeeExact = developerFeeOf(route, scale, price.sourceUsd)
  if (route.tier === 'BUILDER' && route.developerFee && isLess(developerFeeExact, svcFeeExact)) {
    return belowSvcFee(route, svcFeeExact, scale, price.sourceUsd)
  }
  const steps: RoundingStep[] = [...price.rounding]
  const svcFee = round(steps, 'svcFee', svcFeeExact, 'up')
  const developerFee = round(steps, 'developerFee', developerFeeExact, 'up')
  const converted = source.amount - svcFee - developerFee
  const destinationScale = scaleOf(destination.asset)
  const amount = round(
    steps,
    'destinationAmount',
    multiply(max(converted, 0n), scale, price.rate, destinationScale),
    'down',
  )
  if (amount === 0n) {
    const message = 'is too small: nothing is left after fees'
    return { ok: false, code: 'AMOUNT_BELOW_MINIMUM', field: 'source.sourceAmount', message }
  }
  const destinationRefusal = checkLimits('destination.destinationAmount', destination.method, destination.asset, amount)
  if (destinationRefusal) return destinationRefusal
  const svcFeeUsd = round(steps, 'svcFeeUSD', multiply(svcFee, scale, price.sourceUsd, usdScale), 'up')
  const isInUsd = route.developerFee?.type === 'USD'
  const developerFeeUsd = isInUsd
    ? (route.developerFee?.amount ?? 0n)
    : round(steps, 'developerFeeUSD', multiply(developerFee, scale, price.sourceUsd, usdScale), 'up')
  const figures = { svcFee, svcFeeUsd, developerFee, developerFeeUsd, converted, amount, steps }
  return { ok: true, destinationAmount: amount, svcFee, developerFee, derivation: derive(route, rule, price, figures) }
}

type Figures = Record<'svcFee' | 'svcFeeUsd' | 'developerFee' | 'developerFeeUsd' | 'converted' | 'amount', bigint> & {
  steps: RoundingStep[]
}

function derive(
  { source, destination, developerFee }: Route,
  rule: FeeRule,
  price: Price,
  figures: Figures,
): Derivation {
  return {
    source: { ...source, amount: String(source.amount) },
    destination: { ...destination, amount: String(figures.amount) },
    exchangeRate: formatRate(price.rate),
    crossRate: formatRate(price.crossRate),
    spreadBasisPoints: String(price.spreadBasisPoints),
    sourceUsdRate: formatRate(price.sourceUsd),
    rates: price.used.map(({ label, usd, source: from, asOf }) => {
      return { pair: `${label}/USD`, rate: formatRate(usd), source: from, asOf: asOf.toISOString() }
    }),
    svcFee: {
      rule: rule.name,
      basisPoints: String(rule.basisPoints),
      minimumUsd: rule.minimumUsd,
      amount: String(figures.svcFee),
      usdCents: String(figures.svcFeeUsd),
    },
    developerFee: {
      type: developerFee?.type ?? null,
      asked: developerFee ? String(developerFee.amount) : null,
      amount: String(figures.developerFee),
      usdCents: String(figures.developerFeeUsd),
    },
    converted: String(figures.converted),
    rounding: figures.steps,
  }
}

function svcFeeOf(amount: bigint, scale: number, { basisPoints, minimumUsd }: FeeRule, sourceUsd: Rate): Fraction {
  const share = { numerator: amount * basisPoints, denominator: 10_000n }
  const minimum = fromUsd(unitsOf(minimumUsd, usdScale), scale, sourceUsd)
  return isLess(share, minimum) ? minimum : share
}

function developerFeeOf({ developerFee }: Route, scale: number, sourceUsd: Rate): Fraction {
  if (!developerFee) return { numerator: 0n, denominator: 1n }
  if (developerFee.type === 'USD') return fromUsd(developerFee.amount, scale, sourceUsd)
  return { numerator: developerFee.amount, denominator: 1n }
}

/** Refuses a developer fee below svcFee on the BUILDER tier, and tells the minimum in the currency of the fee. */
function belowSvcFee(
  { source, developerFee }: Route,
  svcFee: Fraction,
  scale: number,
  sourceUsd: Rate,
): PricingRefusal {
  const isInUsd = developerFee?.type === 'USD'
  const least = isInUsd ? toUsd(svcFee, scale, sourceUsd) : svcFee
  const minimum = formatAmount(divideRounded(least.numerator, least.denominator, 'up'), isInUsd ? usdScale : scale)
  return { ok: false, code: 'DEVELOPER_FEE_BELOW_SVC_FEE', minimum, currency: isInUsd ? 'USD' : labelOf(source.asset) }
}

type LimitRefusal = Extract<PricingRefusal, { code: 'AMOUNT_BELOW_MINIMUM' | 'AMOUNT_ABOVE_MAXIMUM' }>

/** Compares an amount with the limits of its rail or network. */
export function checkLimits(
  field: string,
  method: PaymentMethod,
  asset: Route['source']['asset'],
  amount: bigint,
): LimitRefusal | undefined {
  const { minimum, maximum } = railLimits[method]
  const scale = scaleOf(asset)
  const unit = `${labelOf(asset)} on ${method}`
  if (amount < unitsOf(minimum, scale)) {
    return { ok: false, code: 'AMOUNT_BELOW_MINIMUM', field, message: `must be at least ${minimum} ${unit}` }
  }
  if (amount > unitsOf(maximum, scale)) {
    return { ok: false, code: 'AMOUNT_ABOVE_MAXIMUM', field, message: `must be at most ${maximum} ${unit}` }
  }
  return undefined
}

function multiply(units: bigint, fromScale: number, rate: Rate, toScale: number): Fraction {
  return {
    numerator: units * rate.units * powerOfTen(toScale),
    denominator: powerOfTen(fromScale + rate.scale),
  }
}

function fromUsd(cents: bigint, scale: number, sourceUsd: Rate): Fraction {
  return {
    numerator: cents * powerOfTen(scale + sourceUsd.scale),
    denominator: powerOfTen(usdScale) * sourceUsd.units,
  }
}

function toUsd({ numerator, denominator }: Fraction, scale: number, sourceUsd: Rate): Fraction {
  return {
    numerator: numerator * sourceUsd.units * powerOfTen(usdScale),
    denominator: denominator * powerOfTen(scale + sourceUsd.scale),
  }
}

function isLess(a: Fraction, b: Fraction): boolean {
  return a.numerator * b.denominator < b.numerator * a.denominator
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

const unitsOfCatalog = new Map<string, bigint>()

/** Reads an amount of the catalog, which has few, once for each scale. */
function unitsOf(text: string, scale: number): bigint {
  const name = `${text} ${scale}`
  const known = unitsOfCatalog.get(name)
  if (known !== undefined) return known
  const parsed = parseAmount(text, scale)
  if (!parsed.ok) throw new Error(`the amount ${text} in the catalog ${parsed.problem}`)
  unitsOfCatalog.set(name, parsed.units)
  return parsed.units
}
