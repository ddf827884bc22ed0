import { type Asset, type Currency, currencyOf, type FiatRail, labelOf } from '../catalog/currencies.ts'
import { type FeeTier, feeRuleFor } from '../catalog/fee-schedule.ts'
import { methodsEdition, type PaymentMethod } from '../catalog/payment-methods.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import type { Rate } from '../lib/money.ts'
import { badField, badFields, notFound, Refusal, unavailable } from '../lib/refusal.ts'
import type { Validated } from '../lib/validated.ts'
import { walletTypeOf } from './account-fit.ts'
import { explainLines } from './explain.ts'
import { inOneCase, partiesOf, requireParties, requireUsable } from './parties.ts'
import { findPrice, requirePrice } from './price-service.ts'
import { type Priced, type PricingRefusal, priceRoute } from './pricing.ts'
import type { Derivation, Route } from './quote.ts'
import type { RateService } from './rate-service.ts'
import { type QuoteBody, type RequestedRoute, readRoute } from './request.ts'
import * as store from './store.ts'
import { type ReceivingAccount, transferInstructions, transferWindowSeconds } from './transfer-instructions.ts'
import * as wire from './wire.ts'

export type QuoteOptions = {
  database: Database
  customers: CustomerService
  rates: RateService
  environment: 'sandbox' | 'production'
  /** Where customers send fiat to, by rail. */
  receivingAccounts: Partial<Record<FiatRail, ReceivingAccount>>
  /** The rails and networks that this deployment offers, to whomever they are open. */
  configuredMethods: readonly string[]
  onNoPrice(why: string): void
}

export type Estimate = {
  sourceCurrency: string
  sourcePaymentMethod: PaymentMethod
  destinationCurrency: string
  destinationPaymentMethod: PaymentMethod
  sourceAmount?: string
}

export type Quote = Pick<store.QuoteRow, 'quoteId' | 'createdAt' | 'expiresAt'> & { derivation: Derivation }

export type QuoteService = ReturnType<typeof makeQuoteService>

/** The catalog changed since it was found out what this customer may use. */
class OutdatedMethods extends Error {
  readonly organizationId: string
  readonly customerId: string
  constructor(organizationId: string, customerId: string) {
    super(`the methods of customer ${customerId} are outdated`)
    this.organizationId = organizationId
    this.customerId = customerId
  }
}

/** Processes of two editions of the catalog undo each other's findings while a deployment is upgraded. */
const attemptsAtMethods = 5

export function makeQuoteService(options: QuoteOptions) {
  const { database, environment } = options
  return {
    /** One round trip: rates and tiers come from memory, customer and accounts are looked at while storing. */
    create: async <Answer>(
      caller: Caller,
      inspected: Validated<QuoteBody>,
      run: (effect: (queryable: Queryable) => Promise<Quote>) => Promise<Answer>,
    ): Promise<Answer> => {
      const effect = (queryable: Queryable) => createQuote(options, queryable, caller, inspected)
      for (let attempt = 1; attempt <= attemptsAtMethods; attempt += 1) {
        try {
          return await run(effect)
        } catch (error) {
          if (!(error instanceof OutdatedMethods)) throw error
          // Outside of the transaction that found it: opening a customer asks the database, too.
          await options.customers.findAllowedMethods(error.organizationId, error.customerId)
        }
      }
      throw unavailable('It is being found out what the customer may use', 1)
    },

    read: async (caller: Caller, quoteId: string): Promise<store.QuoteRow> => {
      const found = await store.findQuote(database, caller.organizationIds, quoteId)
      if (!found) throw notFound()
      return found
    },

    explain: (quote: store.QuoteRow) => explainLines(JSON.parse(quote.derivation) as Derivation),

    /** What a quote would say now, without a customer; with an amount, also what would arrive. */
    estimate: (caller: Caller, wanted: Estimate) => {
      const { sourceAmount, ...asked } = wanted
      const { sourceCurrency, sourcePaymentMethod, destinationCurrency, destinationPaymentMethod } = asked
      const route = readRoute({
        source: { sourceCurrency, sourcePaymentMethod, sourceAmount: sourceAmount ?? '1' },
        destination: { destinationCurrency, destinationPaymentMethod },
      })
      const missing = notOffered(options, route)
      if (missing) throw new Refusal('UNSUPPORTED_ROUTE', `${missing} is not offered here`)
      const tier = tierOf(caller, caller.organizationId)
      const rule = feeRuleFor(tier, route.destination.method, environment)
      const price = requirePrice(options, route)
      const derivation =
        sourceAmount === undefined ? undefined : orRefuse(priceRoute({ ...route, tier }, rule, price)).derivation
      return { price, route, rule, derivation }
    },

    nowMs: options.rates.nowMs,

    currencyOf: (asset: Asset): Currency => currencyOf(environment, asset),

    /** What one unit of the source converts to now; undefined while there is no current price. */
    rateNow: (source: Asset, destination: Asset): Rate | undefined => {
      const price = findPrice(options, source, destination)
      return price.ok ? price.rate : undefined
    },
  }
}

async function createQuote(
  options: QuoteOptions,
  queryable: Queryable,
  caller: Caller,
  inspected: Validated<QuoteBody>,
): Promise<Quote> {
  const wanted = priceAsked(options, caller, inspected)
  if (wanted instanceof Refusal) {
    // 404 and the states of customer and accounts are told before anything is said about the rest of the body.
    const ids = partiesOf((inspected.value ?? {}) as Partial<QuoteBody>)
    if (ids) requireUsable(await store.findParties(queryable, caller.organizationIds, ids))
    throw wanted
  }
  const { body, route, prices } = wanted
  const { source, destination } = body
  const quote: store.NewQuote = {
    ...{ quoteId: newId(), customerId: body.customerId, isGuaranteed: body.guaranteeQuote ?? false },
    source: { ...route.source, paymentAccountId: source.sourcePaymentAccountId },
    destination: { ...route.destination, paymentAccountId: destination.destinationPaymentAccountId },
    allowedBy: methodsEdition,
    sourceWalletType: walletTypeOf(route.source.asset) ?? null,
    destinationWalletType: walletTypeOf(route.destination.asset) ?? null,
    labels: { source: labelOf(route.source.asset), destination: labelOf(route.destination.asset) },
    transferInstructions: instructionsFor(options, route) ?? null,
    transferWindowSeconds: transferWindowSeconds[route.source.method],
    prices: prices.map(({ organizationId, priced }) => ({ organizationId, figures: figuresOf(options, body, priced) })),
  }
  const outcome = await store.insertQuote(queryable, quote)
  if (outcome.customerStatus === 'ACTIVE' && outcome.allowedBy !== methodsEdition) {
    throw new OutdatedMethods(outcome.customerOrganizationId ?? '', body.customerId)
  }
  requireParties(outcome, route, quote)
  const priced = prices.find(({ organizationId }) => organizationId === outcome.customerOrganizationId)?.priced
  if (!priced) throw new Error(`customer ${body.customerId} belongs to nobody who asked`)
  const { derivation } = orRefuse(priced)
  const { quoteId } = quote
  if (!outcome.createdAt || !outcome.expiresAt) throw new Error(`quote ${quoteId} was neither stored nor refused`)
  return { quoteId, createdAt: outcome.createdAt, expiresAt: outcome.expiresAt, derivation }
}

type Asked = {
  body: QuoteBody
  route: RequestedRoute
  prices: { organizationId: string; priced: Priced | PricingRefusal }[]
}

/** From memory alone: a price for each organization that the customer might belong to, or why there is none. */
function priceAsked(options: QuoteOptions, caller: Caller, inspected: Validated<QuoteBody>): Asked | Refusal {
  if (!inspected.ok) return badFields(inspected.problems)
  try {
    const route = readRoute(inspected.value)
    const missing = notOffered(options, route)
    if (missing) return new Refusal('PAYMENT_METHOD_NOT_AVAILABLE', `${missing} is not offered here`)
    const byTier = new Map<FeeTier, Priced | PricingRefusal>()
    const prices = caller.organizationIds.map((organizationId) => {
      const tier = tierOf(caller, organizationId)
      const priced = byTier.get(tier) ?? priceFor(options, route, tier)
      byTier.set(tier, priced)
      return { organizationId, priced }
    })
    return { body: inOneCase(inspected.value), route, prices }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function notOffered({ configuredMethods }: QuoteOptions, { source, destination }: RequestedRoute) {
  return [source.method, destination.method].find((method) => !configuredMethods.includes(method))
}

export function figuresOf(
  { environment }: QuoteOptions,
  body: QuoteBody,
  priced: Priced | PricingRefusal,
): store.QuoteFigures | undefined {
  if (!priced.ok) return undefined
  const transactionParts = wire.presentTransactionParts(body, priced.derivation, (asset) =>
    currencyOf(environment, asset),
  )
  const { destinationAmount, svcFee, developerFee, derivation } = priced
  const { exchangeRate } = derivation
  return {
    destinationAmount,
    svcFee,
    developerFee,
    exchangeRate,
    derivation: JSON.stringify(derivation),
    transactionParts,
  }
}

function instructionsFor({ environment, receivingAccounts }: QuoteOptions, { source }: RequestedRoute) {
  const currency = currencyOf(environment, source.asset)
  const receiving = receivingAccounts[source.method as FiatRail]
  return transferInstructions({ ...source, currency, environment, receiving })
}

export function priceFor(options: QuoteOptions, route: RequestedRoute, tier: FeeTier): Priced | PricingRefusal {
  const wanted: Route = { ...route, tier }
  return priceRoute(
    wanted,
    feeRuleFor(tier, route.destination.method, options.environment),
    requirePrice(options, route),
  )
}

function orRefuse(priced: Priced | PricingRefusal): Priced {
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

function tierOf(caller: Caller, organizationId: string): FeeTier {
  const tier = caller.tiers.get(organizationId)
  if (!tier) throw new Error(`organization ${organizationId} has no tier`)
  return tier
}
