import { type Asset, assets, type Currency, currencyOf, labelOf, methodsOf, scaleOf } from '../catalog/currencies.ts'
import { feeRuleFor } from '../catalog/fee-schedule.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import { runList } from '../db/lists/searches.ts'
import type { Caller } from '../lib/caller.ts'
import { convert, type Rate } from '../lib/money.ts'
import type { Page, PageRequest } from '../lib/pages.ts'
import { notFound, Refusal } from '../lib/refusal.ts'
import type { MoneyFilter } from '../lib/resources/filters.ts'
import { createQuoteCreationService } from './creation/service.ts'
import { explainLines } from './explain.ts'
import { listQuotes } from './lists/list-store.ts'
import { readMoneyFilter } from './lists/money-filter.ts'
import { findMethodNotOffered, findPrice, type QuoteDeps, requirePrice, requirePriced, tierOf } from './price.ts'
import { priceRoute } from './pricing.ts'
import type { Derivation, StoredQuote } from './quote.ts'
import { readRoute } from './request.ts'
import * as store from './store.ts'
import { presentStoredQuote, type StoredQuoteView } from './wire.ts'

export type EstimateRequest = {
  sourceCurrency: string
  sourcePaymentMethod: PaymentMethod
  destinationCurrency: string
  destinationPaymentMethod: PaymentMethod
  sourceAmount?: string
}

export type QuoteService = ReturnType<typeof createQuoteService>

export function createQuoteService(deps: QuoteDeps) {
  const { database, environment } = deps
  return {
    ...createQuoteCreationService(deps),

    read: async (caller: Caller, quoteId: string): Promise<StoredQuote> => {
      const found = await store.findQuote(database, caller.organizationIds, quoteId)
      if (!found) throw notFound()
      return found
    },

    /** Reads several quotes as answers show them, in no order. */
    readMany: async (organizationIds: readonly string[], quoteIds: readonly string[]): Promise<StoredQuoteView[]> => {
      const found = await store.findQuotes(database, organizationIds, quoteIds)
      return found.map((quote) => presentStoredQuote(quote, (asset) => currencyOf(environment, asset)))
    },

    list: (caller: Caller, filter: QuoteFilter, request: PageRequest): Promise<Page<StoredQuoteView>> =>
      list(deps, caller, filter, request),

    explain: (quote: StoredQuote) => explainLines(JSON.parse(quote.derivation) as Derivation, quote),

    /** Estimates a quote without a customer. With an amount, it includes the destination amount and fees. */
    estimate: (caller: Caller, request: EstimateRequest) => withQueryFieldNames(() => estimate(deps, caller, request)),

    nowMs: deps.rates.nowMs,

    currencyOf: (asset: Asset): Currency => currencyOf(environment, asset),

    /** Counts the offered currencies without a current price. */
    countUnpriced: (): number => {
      const offered = assets.filter((asset) => methodsOf(asset).some((each) => deps.configuredMethods.includes(each)))
      const unpriced = offered.filter((asset) => !findPrice(deps, asset, 'USD').ok)
      return new Set(unpriced.map(labelOf)).size
    },

    /** The rate from source to destination; undefined while there is no current price. */
    rateNow: (source: Asset, destination: Asset): Rate | undefined => {
      const price = findPrice(deps, source, destination)
      return price.ok ? price.rate : undefined
    },

    /** Values an amount in cents of USD, as a quote does; undefined while there is no current price. */
    valueNow: (asset: Asset, amount: bigint): bigint | undefined => {
      const price = findPrice(deps, asset, 'USD')
      return price.ok ? convert(amount, scaleOf(asset), price.sourceUsd, 2, 'up') : undefined
    },
  }
}

type QuoteFilter = MoneyFilter & { organizationId?: string }

async function list(
  { database, pages, environment }: QuoteDeps,
  caller: Caller,
  { organizationId, ...filter }: QuoteFilter,
  request: PageRequest,
): Promise<Page<StoredQuoteView>> {
  const amounts = readMoneyFilter(filter, ['customerId', 'createdFrom', 'createdTo', 'externalId'])
  const wanted = organizationId?.toLowerCase()
  const organizationIds = caller.organizationIds.filter((id) => wanted === undefined || id === wanted)
  const page = await pages.read(
    { list: 'quotes', filters: { for: caller.organizationId, organizationId: wanted, ...filter } },
    request,
    (slice) =>
      runList(database, caller.organizationId, filter, (each) =>
        listQuotes(each, organizationIds, filter, amounts, slice),
      ),
    ({ sortKey }) => sortKey,
  )
  return {
    ...page,
    items: page.items.map((quote) => presentStoredQuote(quote, (asset) => currencyOf(environment, asset))),
  }
}

function estimate(deps: QuoteDeps, caller: Caller, request: EstimateRequest) {
  const { sourceAmount, sourceCurrency, sourcePaymentMethod, destinationCurrency, destinationPaymentMethod } = request
  const route = readRoute({
    source: { sourceCurrency, sourcePaymentMethod, sourceAmount: sourceAmount ?? '1' },
    destination: { destinationCurrency, destinationPaymentMethod },
  })
  const missing = findMethodNotOffered(deps, route)
  if (missing) throw new Refusal('UNSUPPORTED_ROUTE', `This deployment does not offer ${missing}`)
  const tier = tierOf(caller, caller.organizationId)
  const rule = feeRuleFor(tier, route.destination.method, deps.environment)
  const price = requirePrice(deps, route)
  const derivation =
    sourceAmount === undefined ? undefined : requirePriced(priceRoute({ ...route, tier }, rule, price)).derivation
  return { price, route, rule, derivation }
}

/** Renames fields in refusals from body paths (`source.sourceAmount`) to query parameters (`sourceAmount`). */
function withQueryFieldNames<Result>(find: () => Result): Result {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof Refusal) || !error.details) throw error
    const details = error.details.map(({ field, message }) => ({ field: field.split('.').at(-1) ?? field, message }))
    const [first] = details
    throw new Refusal(error.code, first ? `${first.field} ${first.message}` : error.message, { details })
  }
}
