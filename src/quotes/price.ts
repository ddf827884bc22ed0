import { type Asset, type FiatRail, labelOf } from '../catalog/currencies.ts'
import { type FeeTier, feeRuleFor } from '../catalog/fee-schedule.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import type { Pages } from '../lib/pages.ts'
import { badField, Refusal, unavailable } from '../lib/refusal.ts'
import type { GuaranteeLimits } from './guarantee.ts'
import { type PricedRoute, type PricingRefusal, priceRoute } from './pricing.ts'
import { type NoPrice, type Price, type PricedLabel, pricedLabels, priceOf } from './rates/rates.ts'
import type { RateService } from './rates/service.ts'
import type { RequestedRoute } from './request.ts'
import type { ReceivingAccount } from './transfer-instructions.ts'

export type QuoteDeps = {
  database: Database
  pages: Pages
  customers: CustomerService
  rates: RateService
  environment: 'sandbox' | 'production'
  /** Finds our bank account that receives fiat from customers on a rail; undefined when none is connected. */
  findReceivingAccount(queryable: Queryable, rail: FiatRail): Promise<ReceivingAccount | undefined>
  /** The rails and networks that this deployment offers. */
  configuredMethods: readonly string[]
  guaranteeLimits: GuaranteeLimits
  onNoPrice(why: string): void
}

/** The caller of a quote: the organizations the customer may belong to, and the fee tier of each. */
export type QuoteCaller = Pick<Caller, 'organizationIds' | 'tiers'>

export type PriceDeps = { rates: RateService; onNoPrice(why: string): void }

/** Computes the current price of a pair from the rates in memory. */
export function findPrice({ rates }: Pick<PriceDeps, 'rates'>, source: Asset, destination: Asset): Price | NoPrice {
  const labels = [labelOf(source), labelOf(destination)].map((label) => {
    const priced = pricedLabels.find((each) => each === label)
    if (!priced) throw new Error(`${label} has no rate source`)
    return priced
  }) as [PricedLabel, PricedLabel]
  return priceOf(rates.current(), ...labels, new Date(rates.nowMs()))
}

type Pair = { source: { asset: Asset }; destination: { asset: Asset } }

export function requirePrice(deps: PriceDeps, { source, destination }: Pair): Price {
  const price = findPrice(deps, source.asset, destination.asset)
  if (price.ok) return price
  deps.onNoPrice(price.why)
  throw unavailable('There is no current price for this pair: retry later', 5)
}

export function findMethodNotOffered({ configuredMethods }: QuoteDeps, { source, destination }: RequestedRoute) {
  return [source.method, destination.method].find((method) => !configuredMethods.includes(method))
}

export function requireOffered(deps: QuoteDeps, route: RequestedRoute): void {
  const missing = findMethodNotOffered(deps, route)
  if (missing) throw new Refusal('PAYMENT_METHOD_NOT_AVAILABLE', `This deployment does not offer ${missing}`)
}

export function priceFor(deps: QuoteDeps, route: RequestedRoute, tier: FeeTier): PricedRoute | PricingRefusal {
  const rule = feeRuleFor(tier, route.destination.method, deps.environment)
  return priceRoute({ ...route, tier }, rule, requirePrice(deps, route))
}

export function requirePriced(priced: PricedRoute | PricingRefusal): PricedRoute {
  if (priced.ok) return priced
  if (priced.code === 'DEVELOPER_FEE_BELOW_SVC_FEE') {
    throw badField(
      'developerFee.developerFeeAmount',
      `must be at least svcFee on the BUILDER tier: ${priced.minimum} ${priced.currency}`,
    )
  }
  throw new Refusal(priced.code, `${priced.field} ${priced.message}`, {
    details: [{ field: priced.field, message: priced.message }],
  })
}

export function tierOf(caller: QuoteCaller, organizationId: string): FeeTier {
  const tier = caller.tiers.get(organizationId)
  if (!tier) throw new Error(`organization ${organizationId} has no tier`)
  return tier
}
