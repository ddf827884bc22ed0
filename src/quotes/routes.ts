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
      isOneStatement: true,
      refusals: [
        'NOT_FOUND',
        'CUSTOMER_NOT_ACTIVE',
        'PAYMENT_METHOD_NOT_AVAILABLE',
        'CONFLICT',
        'AMOUNT_BELOW_MINIMUM',
        'AMOUNT_ABOVE_MAXIMUM',
        'UNSUPPORTED_ROUTE',
      ],
      answer: { status: 201, description: 'The quote', schema: wire.QuoteAnswer },
      handle: ({ caller, inspectBody, once }) =>
        quotes.create(caller, inspectBody() as Validated<QuoteBody>, (effect) =>
          once(async (queryable) => wire.presentQuote(await effect(queryable), currencyOf)),
        ),
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
        const quote = await quotes.read(caller, quoteId)
        const derivation = JSON.parse(quote.derivation) as Derivation
        return {
          ...wire.presentQuote({ ...quote, derivation }, currencyOf),
          customerId: quote.customerId,
          source: {
            sourcePaymentAccountId: quote.sourcePaymentAccountId,
            sourceCurrency: currencyOf(quote.sourceAsset),
            sourcePaymentMethod: quote.sourceMethod,
            sourceAmount: quote.sourceAmountText,
          },
          destination: {
            destinationPaymentAccountId: quote.destinationPaymentAccountId,
            destinationCurrency: currencyOf(quote.destinationAsset),
            destinationPaymentMethod: quote.destinationMethod,
          },
          guaranteeQuote: quote.isGuaranteed,
          createdAt: quote.createdAt.toISOString(),
        }
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
