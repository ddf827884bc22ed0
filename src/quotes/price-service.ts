import { type Asset, labelOf } from '../catalog/currencies.ts'
import { unavailable } from '../lib/refusal.ts'
import type { RateService } from './rate-service.ts'
import { type NoPrice, type Price, type PricedLabel, pricedLabels, priceOf } from './rates.ts'

export type Pricing = { rates: RateService; onNoPrice(why: string): void }

/** From memory: what one unit of the source converts to now. */
export function findPrice({ rates }: Pick<Pricing, 'rates'>, source: Asset, destination: Asset): Price | NoPrice {
  const labels = [labelOf(source), labelOf(destination)].map((label) => {
    const priced = pricedLabels.find((each) => each === label)
    if (!priced) throw new Error(`nobody asks for the price of ${label}`)
    return priced
  }) as [PricedLabel, PricedLabel]
  return priceOf(rates.current(), ...labels, new Date(rates.nowMs()))
}

type Pair = { source: { asset: Asset }; destination: { asset: Asset } }

export function requirePrice(pricing: Pricing, { source, destination }: Pair): Price {
  const price = findPrice(pricing, source.asset, destination.asset)
  if (price.ok) return price
  pricing.onNoPrice(price.why)
  throw unavailable('There is no current price of this pair; nothing is quoted at an old one', 5)
}
