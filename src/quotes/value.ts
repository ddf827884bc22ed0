import { scaleOf } from '../catalog/currencies.ts'
import { convert } from '../lib/money.ts'
import type { PricedRoute, PricingRefusal } from './pricing.ts'
import type { Derivation } from './quote.ts'
import { readRate } from './rates/rates.ts'

/** Values the source amount of a quote in cents of USD, rounded up. */
export function valueInCents({ source, sourceUsdRate }: Pick<Derivation, 'source' | 'sourceUsdRate'>): bigint {
  const rate = readRate(sourceUsdRate)
  if (!rate) throw new Error(`${sourceUsdRate} is not a rate`)
  return convert(BigInt(source.amount), scaleOf(source.asset), rate, 2, 'up')
}

/** Values a request in cents, which is the same on every tier; null when no tier has a price: no quote is stored. */
export function valueOfRequest(prices: Iterable<PricedRoute | PricingRefusal>): string | null {
  const priced = [...prices].find((each) => each.ok)
  return priced ? String(valueInCents(priced.derivation)) : null
}
