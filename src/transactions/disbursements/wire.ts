import Type from 'typebox'
import { type Asset, type Currency, scaleOf } from '../../catalog/currencies.ts'
import { exampleDisbursement } from '../../http/examples/returns.ts'
import { payout, story } from '../../http/examples/story.ts'
import { CurrencyAnswer, oneOf, pageOf, pageQuery, requestBody, resource, Timestamp, Uuid } from '../../http/wire.ts'
import { formatAmount } from '../../lib/money.ts'
import type { ReturnedFunds } from '../refunds/returned-funds.ts'
import { type Disbursement, disbursementStatuses } from './disbursement.ts'

type CurrencyOf = (asset: Asset) => Currency

export const ReturnedFundsAnswer = resource('ReturnedFunds', {
  returnedFunds: Type.Array(
    resource('ReturnedFundsOfCause', {
      paymentAccountId: {
        ...Uuid,
        description:
          'The account of the returned funds in this currency, the same in each row: the source of a disbursement or, ' +
          'for money at a bank, of a quote',
      },
      currency: CurrencyAnswer,
      balance: Type.String({
        description: 'What is left: neither paid out nor taken by a payout on its way',
        examples: ['100.00'],
      }),
      transactionId: Type.String({
        description: 'The transaction that the funds belong to; empty for a deposit without one',
        examples: [payout.transactionId],
      }),
      depositId: Type.Optional(
        Type.String({
          description: 'The deposit that an operator credited, or whose return a bank returned',
          examples: [story.depositId],
        }),
      ),
    }),
    { description: 'One row for each cause with money left, oldest first in each currency' },
  ),
})

export const DisbursementAnswer = resource(
  'Disbursement',
  {
    disbursementId: Uuid,
    disbursementStatus: oneOf(
      disbursementStatuses,
      'PENDING until the bank or chain confirms it. REFUSED and CANCELLED: the money is available again. RETURNED: the ' +
        'bank returned it, and it is among the returned funds again',
    ),
    customerId: Uuid,
    paymentAccountId: { ...Uuid, description: 'The source: an account of returned funds, or a service wallet' },
    destinationPaymentAccountId: Uuid,
    currency: CurrencyAnswer,
    amount: Type.String({ examples: ['100.00'] }),
    referenceId: Type.String({ description: 'The reference of the bank or chain; empty until known', examples: [''] }),
    createdAt: Timestamp,
  },
  exampleDisbursement,
)

export const DisbursementPage = pageOf('DisbursementPage', 'disbursements', DisbursementAnswer)

export const DisbursementQuery = Type.Object(pageQuery, { additionalProperties: false })

export const CustomerParams = Type.Object({ customerId: Uuid })
export const DisbursementParams = Type.Object({ customerId: Uuid, disbursementId: Uuid })

export const CreateDisbursementBody = requestBody('CreateDisbursement', {
  paymentAccountId: {
    ...Uuid,
    description:
      'The source: `paymentAccountId` of the returned funds, or a service wallet that the customer cannot use',
  },
  currency: Type.String({ examples: ['USD'] }),
  chain: Type.Optional(Type.String({ description: 'The network of a token', examples: ['BASE'] })),
  amount: Type.Optional(
    Type.String({ description: 'Default: all that one payout can take from the source', examples: ['100.00'] }),
  ),
  destinationPaymentAccountId: {
    ...Uuid,
    description: 'An ACTIVE external account of the same customer in the same currency and network',
  },
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Stored encrypted with the customer, and shown to reviewers',
    examples: ['The customer has closed the old account'],
  }),
})

export function presentReturnedFunds(funds: readonly ReturnedFunds[], currencyOf: CurrencyOf) {
  return {
    returnedFunds: funds.map(({ accountId, asset, amount, transactionId, cause, causeId }) => ({
      paymentAccountId: accountId,
      currency: currencyOf(asset),
      balance: formatAmount(BigInt(amount), scaleOf(asset)),
      transactionId: transactionId ?? '',
      ...(cause === 'DEPOSIT' ? { depositId: causeId } : {}),
    })),
  }
}

export function presentDisbursement(disbursement: Disbursement, currencyOf: CurrencyOf) {
  const { asset } = disbursement
  return {
    disbursementId: disbursement.disbursementId,
    disbursementStatus: disbursement.status,
    customerId: disbursement.customerId,
    paymentAccountId: disbursement.sourceAccountId,
    destinationPaymentAccountId: disbursement.destinationPaymentAccountId,
    currency: currencyOf(asset),
    amount: formatAmount(BigInt(disbursement.amount), scaleOf(asset)),
    referenceId: disbursement.externalReference,
    createdAt: disbursement.createdAt.toISOString(),
  }
}
