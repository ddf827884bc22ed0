import { type Route, route } from '../http/route.ts'
import { formatAmount } from '../lib/money.ts'
import type { Validated } from '../lib/validated.ts'
import type { Derivation } from './quote.ts'
import type { QuoteBody } from './request.ts'
import type { QuoteService } from './service.ts'
import * as wire from './wire.ts'

const tag = 'Quotes'
const params = wire.QuoteParams

export function quoteRoutes(quotes: QuoteService): Route[] {
  const { currencyOf } = quotes
  return [
    route({
      method: 'POST',
      path: '/quotes',
      access: 'quotes:write',
      tag,
      summary: 'Create a quote',
      description: 'The price holds for five minutes. POST /transactions uses a quote at most once.',
      body: wire.CreateQuoteBody,
      echoes: ['metadata'],
      refusals: [
        'NOT_FOUND',
        'CUSTOMER_NOT_ACTIVE',
        'PAYMENT_METHOD_NOT_AVAILABLE',
        'CONFLICT',
        'EXTERNAL_ID_ALREADY_USED',
        'AMOUNT_BELOW_MINIMUM',
        'AMOUNT_ABOVE_MAXIMUM',
        'UNSUPPORTED_ROUTE',
      ],
      answer: { status: 201, description: 'The quote', schema: wire.QuoteAnswer },
      handle: ({ caller, inspectBody, withKey }) => {
        const inspected = inspectBody() as Validated<QuoteBody>
        return withKey((request) => quotes.create(caller, request, inspected))
      },
    }),
    route({
      method: 'GET',
      path: '/quotes',
      access: 'quotes:read',
      tag,
      summary: 'List quotes',
      description:
        'Newest first, including those of child organizations and expired ones. `rail` and the amount range, which is ' +
        'about the source amount, need an id or a time range.',
      query: wire.QuoteQuery,
      work: { isFiltered: true },
      refusals: ['SEARCH_TOO_WIDE'],
      answer: { status: 200, description: 'A page of quotes', schema: wire.QuotePage },
      handle: async ({ caller, query: { pageToken, pageSize, ...filter } }) => {
        const page = { ...(pageToken ? { pageToken } : {}), ...(pageSize ? { pageSize } : {}) }
        const { items, nextPageToken } = await quotes.list(caller, filter, page)
        return { quotes: items, nextPageToken }
      },
    }),
    route({
      method: 'GET',
      path: '/quotes/{quoteId}',
      access: 'quotes:read',
      tag,
      params,
      summary: 'Read a quote',
      description: 'An expired quote stays readable.',
      answer: { status: 200, description: 'The quote', schema: wire.StoredQuoteAnswer },
      handle: async ({ caller, params: { quoteId } }) => {
        return wire.presentStoredQuote(await quotes.read(caller, quoteId), currencyOf)
      },
    }),
    route({
      method: 'GET',
      path: '/quotes/{quoteId}/explain',
      access: 'quotes:read',
      tag,
      params,
      summary: 'Explain a quote',
      description: 'Shows each rate with its source and time, each fee, and each fraction that was rounded.',
      answer: { status: 200, description: 'The derivation', schema: wire.ExplainAnswer },
      handle: async ({ caller, params: { quoteId } }) => {
        const quote = await quotes.read(caller, quoteId)
        const { rates, rounding, exchangeRate, crossRate, spreadBasisPoints } = JSON.parse(
          quote.derivation,
        ) as Derivation
        const lines = wire.presentLines(quotes.explain(quote), currencyOf)
        return { quoteId: quote.quoteId, lines, rates, rounding, exchangeRate, crossRate, spreadBasisPoints }
      },
    }),
    exchangeRateRoute(quotes),
  ]
}

function exchangeRateRoute(quotes: QuoteService): Route {
  return route({
    method: 'GET',
    path: '/exchange-rates',
    access: 'quotes:read',
    tag,
    summary: 'Estimate a quote',
    description: 'For display: Svc does not guarantee the rate, and does not check the limits of a customer.',
    query: wire.ExchangeRateQuery,
    refusals: ['AMOUNT_BELOW_MINIMUM', 'AMOUNT_ABOVE_MAXIMUM', 'UNSUPPORTED_ROUTE'],
    answer: { status: 200, description: 'Rate and fees', schema: wire.ExchangeRateAnswer },
    handle: async ({ caller, query }) => {
      const estimate = quotes.estimate(caller, query)
      const { price, rule, route: requested, derivation } = estimate
      return {
        exchangeRate: formatAmount(price.rate.units, price.rate.scale),
        feeComponents: {
          feeCurrency: quotes.currencyOf(requested.source.asset),
          svcFee: { basisPoints: String(rule.basisPoints), minimumUSDAmount: minimumOf(rule.minimumUsd) },
          spreadBasisPoints: String(price.spreadBasisPoints),
        },
        ...(derivation ? wire.presentAmountAndFees(derivation, quotes.currencyOf) : {}),
        asOf: wire.oldestTimeOf(price.used, quotes.nowMs()),
      }
    },
  })
}

function minimumOf(text: string): string {
  return text === '0' ? '0.00' : text
}
