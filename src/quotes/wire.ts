import Type, { type Static } from 'typebox'
import { type Asset, type Currency, scaleOf } from '../catalog/currencies.ts'
import { paymentMethodNames } from '../catalog/payment-methods.ts'
import { story } from '../http/examples/story.ts'
import { amountQuery, createdQuery } from '../http/filters.ts'
import { externalIdQuery, newOwnData, shownOwnData } from '../http/own-data.ts'
import { CurrencyAnswer, oneOf, pageOf, pageQuery, requestBody, resource, Timestamp, Uuid } from '../http/wire.ts'
import { formatAmount } from '../lib/money.ts'
import { type OwnData, presentOwnData } from '../lib/resources/own-data.ts'
import type { ExplainLine } from './explain.ts'
import { type Derivation, developerFeeTypes, type StoredQuote } from './quote.ts'

const exampleFees = {
  feeCurrency: story.usd,
  svcFee: { feeAmount: story.svcFee, feeUSDAmount: story.svcFee },
  developerFee: { feeAmount: story.developerFee, feeUSDAmount: story.developerFee },
}
const exampleQuote = {
  quoteId: story.quoteId,
  expiresAt: story.quoteExpiresAt,
  estimatedExchangeRate: story.exchangeRate,
  destinationAmount: story.destinationAmount,
  fees: exampleFees,
}
const usdLine = (label: string, amount: string, detail: string) => ({ label, amount, currency: story.usd, detail })
const exampleExplanation = {
  quoteId: story.quoteId,
  lines: [
    usdLine('Source amount', story.sourceAmount, 'sent by ACH'),
    usdLine('svcFee', `-${story.svcFee}`, '50 basis points (BUILDER/CRYPTO), rounded up'),
    usdLine('developerFee', `-${story.developerFee}`, 'as requested'),
    usdLine('Converted', '-99.00', 'the source amount less fees'),
    {
      label: 'Destination amount',
      amount: story.destinationAmount,
      currency: story.usdc,
      detail: 'converted × 1, rounded down; arrives by BASE',
    },
  ],
  rates: [],
  rounding: [],
  exchangeRate: story.exchangeRate,
  crossRate: story.exchangeRate,
  spreadBasisPoints: '0',
}
const Amount = Type.String({ description: 'A decimal as text', examples: ['100.00'] })
const RateText = Type.String({
  description: 'One unit of the source currency in the destination currency',
  examples: ['0.99'],
})
const Method = oneOf(paymentMethodNames, 'A rail or network')
const Label = Type.String({ minLength: 1, maxLength: 16, examples: ['USD'] })
/** The limit is longer than any amount, so that parseAmount reports the problem rather than the schema. */
const SentAmount = Type.String({ maxLength: 200, examples: ['100.00'] })

const Fee = resource('Fee', { feeAmount: Amount, feeUSDAmount: Amount })
export const FeesAnswer = resource('Fees', { feeCurrency: CurrencyAnswer, svcFee: Fee, developerFee: Fee }, exampleFees)

export const QuoteAnswer = resource(
  'Quote',
  {
    quoteId: Uuid,
    expiresAt: Timestamp,
    estimatedExchangeRate: RateText,
    destinationAmount: Amount,
    fees: FeesAnswer,
    guaranteedUntil: Type.Optional({
      ...Timestamp,
      description: 'With guaranteeQuote: funds that arrive before this time get exactly the destination amount',
    }),
    ...shownOwnData,
  },
  exampleQuote,
)

export const StoredQuoteAnswer = resource(
  'StoredQuote',
  {
    ...QuoteAnswer.properties,
    customerId: Uuid,
    source: resource('QuoteSource', {
      sourcePaymentAccountId: Uuid,
      sourceCurrency: CurrencyAnswer,
      sourcePaymentMethod: Method,
      sourceAmount: Amount,
    }),
    destination: resource('QuoteDestination', {
      destinationPaymentAccountId: Uuid,
      destinationCurrency: CurrencyAnswer,
      destinationPaymentMethod: Method,
    }),
    guaranteeQuote: Type.Boolean(),
    createdAt: Timestamp,
  },
  {
    ...exampleQuote,
    customerId: story.customerId,
    source: {
      sourcePaymentAccountId: story.bankAccountId,
      sourceCurrency: story.usd,
      sourcePaymentMethod: 'ACH',
      sourceAmount: story.sourceAmount,
    },
    destination: {
      destinationPaymentAccountId: story.walletId,
      destinationCurrency: story.usdc,
      destinationPaymentMethod: 'BASE',
    },
    guaranteeQuote: false,
    createdAt: story.createdAt,
  },
)

const DeveloperFeeBody = requestBody('DeveloperFee', {
  developerFeeType: oneOf(developerFeeTypes),
  developerFeeAmount: SentAmount,
})

export const CreateQuoteBody = requestBody(
  'CreateQuote',
  {
    customerId: Uuid,
    source: requestBody('CreateQuoteSource', {
      sourcePaymentAccountId: Uuid,
      sourceCurrency: Label,
      sourcePaymentMethod: Method,
      sourceAmount: SentAmount,
    }),
    destination: requestBody('CreateQuoteDestination', {
      destinationPaymentAccountId: Uuid,
      destinationPaymentMethod: Method,
      destinationCurrency: Label,
    }),
    developerFee: Type.Optional({ ...DeveloperFeeBody, description: 'Your own fee, taken from the source amount' }),
    guaranteeQuote: Type.Optional(
      Type.Boolean({
        description:
          'Fixes the destination amount for funds that arrive before guaranteedUntil; later funds are refunded',
      }),
    ),
    ...newOwnData,
  },
  {
    examples: [
      {
        customerId: story.customerId,
        source: {
          sourcePaymentAccountId: story.bankAccountId,
          sourceCurrency: 'USD',
          sourcePaymentMethod: 'ACH',
          sourceAmount: story.sourceAmount,
        },
        destination: {
          destinationPaymentAccountId: story.walletId,
          destinationPaymentMethod: 'BASE',
          destinationCurrency: 'USDC',
        },
        developerFee: { developerFeeType: 'USD', developerFeeAmount: story.developerFee },
      },
    ],
  },
)

export const QuotePage = pageOf('QuotePage', 'quotes', StoredQuoteAnswer)

export const QuoteQuery = Type.Object(
  {
    ...pageQuery,
    customerId: Type.Optional({ ...Uuid, description: 'Only quotes of this customer' }),
    organizationId: Type.Optional({ ...Uuid, description: 'Only quotes of this organization' }),
    ...externalIdQuery,
    rail: Type.Optional(oneOf(paymentMethodNames, 'Only quotes with this rail or network on either side')),
    ...amountQuery,
    ...createdQuery,
  },
  { additionalProperties: false },
)

export const QuoteParams = Type.Object({ quoteId: Uuid })

const RateUsedAnswer = resource('QuoteRate', {
  pair: Type.String({ examples: ['EUR/USD'] }),
  rate: Type.String({ examples: ['1.08'] }),
  source: Type.String({ examples: ['ecb'] }),
  asOf: Timestamp,
})

const Digits = Type.String({ examples: ['5050'] })

export const ExplainAnswer = resource(
  'QuoteExplanation',
  {
    quoteId: Uuid,
    lines: Type.Array(
      resource('QuoteLine', {
        label: Type.String({ examples: ['svcFee'] }),
        amount: Type.String({ examples: ['-0.51'] }),
        currency: CurrencyAnswer,
        detail: Type.String({ examples: ['50 basis points (BUILDER/CRYPTO), rounded up'] }),
      }),
      {
        description:
          'All lines but the last are in the source currency and sum to zero; the last is the destination amount',
      },
    ),
    rates: Type.Array(RateUsedAnswer),
    rounding: Type.Array(
      resource('QuoteRounding', {
        step: Type.String({ examples: ['svcFee'] }),
        numerator: Digits,
        denominator: Digits,
        rounding: oneOf(['up', 'down']),
        result: Digits,
      }),
      {
        description:
          'Each rounding that dropped a fraction: result = numerator / denominator, in smallest units; ' +
          'for rates, in units of the twelfth decimal',
      },
    ),
    exchangeRate: RateText,
    crossRate: Type.String({ description: 'Before the spread', examples: ['1.08'] }),
    spreadBasisPoints: Type.String({ examples: ['20'] }),
  },
  exampleExplanation,
)

export const ExchangeRateQuery = Type.Object(
  {
    sourceCurrency: Label,
    sourcePaymentMethod: Method,
    destinationCurrency: Label,
    destinationPaymentMethod: Method,
    sourceAmount: Type.Optional({ ...SentAmount, description: 'Adds the destination amount and fees to the answer' }),
  },
  { additionalProperties: false },
)

export const ExchangeRateAnswer = resource('ExchangeRate', {
  exchangeRate: RateText,
  feeComponents: resource('FeeComponents', {
    feeCurrency: CurrencyAnswer,
    svcFee: resource('SvcFeeTerms', {
      basisPoints: Type.String({ examples: ['50'] }),
      minimumUSDAmount: Type.String({ examples: ['0.00'] }),
    }),
    spreadBasisPoints: Type.String({ description: 'Already part of exchangeRate', examples: ['20'] }),
  }),
  destinationAmount: Type.Optional(Amount),
  fees: Type.Optional(FeesAnswer),
  asOf: { ...Timestamp, description: 'The time of the oldest rate used; the current time if no rate was needed' },
})

type CurrencyOf = (asset: Asset) => Currency

export function presentFees({ source, svcFee, developerFee }: Derivation, currencyOf: CurrencyOf) {
  const fee = ({ amount, usdCents }: { amount: string; usdCents: string }) => ({
    feeAmount: formatAmount(BigInt(amount), scaleOf(source.asset)),
    feeUSDAmount: formatAmount(BigInt(usdCents), scaleOf('USD')),
  })
  return { feeCurrency: currencyOf(source.asset), svcFee: fee(svcFee), developerFee: fee(developerFee) }
}

export function presentQuote(
  quote: Partial<OwnData> & {
    quoteId: string
    expiresAt: Date
    guaranteedUntil: Date | null
    derivation: Derivation
  },
  currencyOf: CurrencyOf,
) {
  const { destination, exchangeRate } = quote.derivation
  return {
    quoteId: quote.quoteId,
    expiresAt: quote.expiresAt.toISOString(),
    estimatedExchangeRate: exchangeRate,
    destinationAmount: formatAmount(BigInt(destination.amount), scaleOf(destination.asset)),
    fees: presentFees(quote.derivation, currencyOf),
    ...(quote.guaranteedUntil ? { guaranteedUntil: quote.guaranteedUntil.toISOString() } : {}),
    ...presentOwnData(quote),
  }
}

export type StoredQuoteView = Static<typeof StoredQuoteAnswer>

/** Presents a stored quote with what was asked for. */
export function presentStoredQuote(quote: StoredQuote, currencyOf: CurrencyOf): StoredQuoteView {
  const derivation = JSON.parse(quote.derivation) as Derivation
  return {
    ...presentQuote({ ...quote, derivation }, currencyOf),
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
}

/** Presents the parts of a transaction that only its quote knows; svc.show_transaction puts them together with the rest. */
export function presentTransactionParts(
  { sourceAmount }: { sourceAmount: string },
  derivation: Derivation,
  currencyOf: CurrencyOf,
) {
  const { source, destination } = derivation
  return {
    sourceCurrency: currencyOf(source.asset),
    sourceAmount,
    sourceDecimals: scaleOf(source.asset),
    destinationCurrency: currencyOf(destination.asset),
    destinationDecimals: scaleOf(destination.asset),
    fees: presentFees(derivation, currencyOf),
  }
}

export function presentLines(lines: readonly ExplainLine[], currencyOf: CurrencyOf) {
  return lines.map(({ asset, ...line }) => ({ ...line, currency: currencyOf(asset) }))
}

export function presentAmountAndFees(derivation: Derivation, currencyOf: CurrencyOf) {
  const { destination } = derivation
  return {
    destinationAmount: formatAmount(BigInt(destination.amount), scaleOf(destination.asset)),
    fees: presentFees(derivation, currencyOf),
  }
}

/** Returns the time of the oldest rate, which is the time of the price. */
export function oldestTimeOf(rates: readonly { asOf: Date }[], nowMs: number): string {
  return new Date(Math.min(nowMs, ...rates.map(({ asOf }) => asOf.getTime()))).toISOString()
}
