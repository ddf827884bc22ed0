import Type, { type Static } from 'typebox'
import { paymentMethodNames } from '../catalog/payment-methods.ts'
import { CustomerAnswer } from '../customers/wire.ts'
import { addFormat } from '../http/bodies/validate.ts'
import { exampleCreated, exampleProcessing, exampleTransaction } from '../http/examples/payments.ts'
import { story } from '../http/examples/story.ts'
import { amountQuery, createdQuery, updatedQuery } from '../http/filters.ts'
import { externalIdQuery, newOwnData, shownOwnData } from '../http/own-data.ts'
import {
  CurrencyAnswer,
  type EventPayload,
  oneOf,
  pageOf,
  pageQuery,
  requestBody,
  resource,
  Timestamp,
  Uuid,
} from '../http/wire.ts'
import type { EventType } from '../lib/event-types.ts'
import type { Page } from '../lib/pages.ts'
import { PaymentAccountAnswer } from '../payment-accounts/wire.ts'
import { FeesAnswer, StoredQuoteAnswer } from '../quotes/wire.ts'
import { expansions, readExpansions } from './lists/expansions.ts'
import { RepaymentAnswer } from './refunds/repayment-wire.ts'
import { timelineKinds } from './timeline/kinds.ts'
import {
  failureReasons,
  refundStatuses,
  type ShownTransaction,
  transactionLabels,
  transactionResolutions,
  transactionStatuses,
} from './transaction.ts'

const Method = oneOf(paymentMethodNames)
const Amount = Type.String({ examples: ['100.00'] })
const Text = Type.Optional(Type.String())

/** All of the contract's fields; the rail decides which are present. */
const FiatInstructions = resource('FiatTransferInstructions', {
  type: oneOf(['fiat']),
  transferPaymentMethod: Method,
  transferMessage: Type.String({
    description: 'The customer must send the transfer with this message: Svc matches the deposit by it',
    examples: ['SVC7K2MPQ4WX8RTB'],
  }),
  transferBankName: Text,
  transferBankAddress: Text,
  transferBankAccountNumber: Text,
  transferRoutingNumber: Text,
  transferBankBeneficiaryName: Text,
  transferIban: Text,
  transferBicSwift: Text,
  transferIfscCode: Text,
  transferSortCode: Text,
  transferBsbNumber: Text,
  transferTransitNumber: Text,
  transferBankCode: Text,
  transferClabeNumber: Text,
  transferRoutingCode: Text,
  transferBranchCode: Text,
  transferClearingCode: Text,
  transferCnapsCode: Text,
  transferNubanCode: Text,
  transferPixCode: Text,
  transferPaymentLink: Text,
})

const CryptoInstructions = resource('CryptoTransferInstructions', {
  type: oneOf(['crypto']),
  transferPaymentMethod: Method,
  transferWalletAddress: Type.String({ description: 'An address used by this transaction only' }),
  transferCurrency: CurrencyAnswer,
  transferAmount: Amount,
  transferUri: Type.String({ description: 'An ERC-681 or Solana Pay link that a wallet can open' }),
})

export const TransactionAnswer = resource(
  'Transaction',
  {
    transactionId: Uuid,
    customerId: Uuid,
    quoteId: Uuid,
    transactionStatus: oneOf(transactionStatuses),
    correlationId: Type.Optional(Type.String({ examples: ['order-1234'] })),
    ...shownOwnData,
    source: resource('TransactionSource', {
      sourcePaymentAccountId: Uuid,
      sourceCurrency: CurrencyAnswer,
      sourcePaymentMethod: Method,
      sourceAmount: Amount,
      sourceReferenceId: Type.String({
        description: 'The reference of the bank or chain; empty until known',
        examples: [''],
      }),
      sourceReceivedAmount: Type.Optional({
        ...Amount,
        description: 'While AWAITING_TRANSFER, once a part has arrived: that part',
      }),
      sourceDueAmount: Type.Optional({ ...Amount, description: 'With sourceReceivedAmount: what is still to be sent' }),
    }),
    destination: resource('TransactionDestination', {
      destinationPaymentAccountId: Uuid,
      destinationPaymentMethod: Method,
      destinationCurrency: CurrencyAnswer,
      exchangeRate: Type.String({ examples: ['0.99'] }),
      destinationAmount: Amount,
      destinationReferenceId: Type.String({
        description: 'The reference of the bank or chain; empty until known',
        examples: [''],
      }),
    }),
    fees: FeesAnswer,
    transferInstructions: Type.Optional(
      Type.Union([FiatInstructions, CryptoInstructions], {
        description: "Instructions for the customer's transfer, until the transaction has ended",
      }),
    ),
    transferLink: Type.Optional(
      Type.String({
        description:
          'Present while AWAITING_TRANSFER, but not in events: a page for the payer, with the instructions and the progress',
        examples: ['https://pay.example.com/forms/pay/AQGZ86J8Hn1VjBtaD2sfShEAAAABq1c0ZV9uYVdfM2RmZ2hqa2w'],
      }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    expiresAt: Type.Optional({ ...Timestamp, description: 'Present while AWAITING_TRANSFER' }),
    guaranteedUntil: Type.Optional({
      ...Timestamp,
      description: 'With guaranteeQuote: funds that arrive before this time get exactly the destination amount',
    }),
    statusHistory: Type.Array(resource('StatusChange', { status: oneOf(transactionStatuses), at: Timestamp })),
    failureReason: Type.Optional(oneOf(failureReasons)),
    labels: Type.Array(oneOf(transactionLabels)),
    approval: Type.Optional(
      resource('OpenApproval', {
        approvalId: Uuid,
        expiresAt: { ...Timestamp, description: 'The transaction ends at this time without the approval' },
      }),
    ),
    refund: Type.Optional(
      resource('Refund', {
        refundStatus: oneOf(refundStatuses),
        refundCurrency: CurrencyAnswer,
        refundAmount: Amount,
        refundReferenceId: Type.String({ examples: [''] }),
      }),
    ),
    repayment: Type.Optional(RepaymentAnswer),
    // The resources that `expand` includes. Events have none of them.
    customer: Type.Optional(CustomerAnswer),
    quote: Type.Optional(StoredQuoteAnswer),
    sourcePaymentAccount: Type.Optional(PaymentAccountAnswer),
    destinationPaymentAccount: Type.Optional(PaymentAccountAnswer),
  },
  exampleTransaction,
)

/** The payloads of transaction events. */
export const transactionEvents = {
  'transaction.created': { schema: TransactionAnswer, example: exampleCreated },
  'transaction.updated': {
    schema: TransactionAnswer,
    example: exampleProcessing,
  },
} satisfies Partial<Record<EventType, EventPayload>>

export const TransactionPage = pageOf('TransactionPage', 'transactions', TransactionAnswer)

export const CreateTransactionBody = requestBody('CreateTransaction', {
  quoteId: Uuid,
  correlationId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Your own reference, returned with the transaction',
      examples: ['order-1234'],
    }),
  ),
  ...newOwnData,
})

addFormat(
  'expansions',
  (text) => readExpansions(text) !== undefined,
  `must be some of ${expansions.join(', ')}, separated by commas`,
  { pattern: `^(${expansions.join('|')})(,(${expansions.join('|')}))*$` },
)

const expandQuery = {
  expand: Type.Optional(
    Type.String({
      format: 'expansions',
      description:
        'Includes customer, quote, or accounts (sourcePaymentAccount and destinationPaymentAccount). Each needs the ' +
        'scope to read it',
      examples: ['customer,quote'],
    }),
  ),
}

export const ReadTransactionQuery = Type.Object(expandQuery, { additionalProperties: false })

export const TransactionQuery = Type.Object(
  {
    ...pageQuery,
    customerId: Type.Optional(Uuid),
    paymentAccountId: Type.Optional({
      ...Uuid,
      description: 'Transactions with this account as source or destination',
    }),
    organizationId: Type.Optional({ ...Uuid, description: 'Only transactions of this organization' }),
    status: Type.Optional(oneOf(transactionStatuses, 'Only transactions in this status')),
    correlationId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Only transactions with this reference' }),
    ),
    ...externalIdQuery,
    rail: Type.Optional(oneOf(paymentMethodNames, 'Only transactions with this rail or network on either side')),
    ...amountQuery,
    ...createdQuery,
    ...updatedQuery,
    ...expandQuery,
  },
  { additionalProperties: false },
)

export const ResolveTransactionBody = requestBody(
  'ResolveTransaction',
  {
    action: oneOf(
      transactionResolutions,
      'REJECT fails the transaction. REFUND retries a refund. CREDIT keeps the refund for the customer. ' +
        'PAY_AGAIN pays out returned funds',
    ),
    paymentAccountId: Type.Optional({
      ...Uuid,
      description: 'For REFUND and PAY_AGAIN: another registered account of the customer; default: the same as before',
    }),
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Stored encrypted with the customer, and shown to reviewers',
      examples: ['The bank has closed that account'],
    }),
  },
  { examples: [{ action: 'REFUND', reason: 'The bank has closed that account' }] },
)

export const TransactionParams = Type.Object({ transactionId: Uuid })

export const TimelineAnswer = resource('TransactionTimeline', {
  transactionId: Uuid,
  entries: Type.Array(
    resource('TimelineEntry', {
      at: Timestamp,
      kind: Type.String({
        description: `More kinds may come. ${Object.entries(timelineKinds)
          .map(([kind, meaning]) => `${kind}: ${meaning}`)
          .join('. ')}`,
        examples: ['DEPOSIT_APPLIED'],
      }),
      details: Type.Unsafe<Record<string, unknown>>(
        Type.Object(
          { amount: Type.Optional(Amount), currency: Type.Optional(CurrencyAnswer) },
          {
            description: 'Codes, ids and times; an `amount` is a decimal and has its `currency`',
            additionalProperties: true,
            examples: [{ depositId: story.depositId, amount: story.sourceAmount, currency: story.usd }],
          },
        ),
      ),
    }),
    { description: 'Oldest first' },
  ),
})

export const LedgerEntriesAnswer = resource('TransactionLedgerEntries', {
  transactionId: Uuid,
  entries: Type.Array(
    resource('TransactionLedgerEntry', {
      postingId: Uuid,
      reference: Type.String({ examples: ['transaction:0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a16:payout'] }),
      fact: Type.String({ examples: ['PAYOUT'] }),
      account: resource('LedgerAccountName', {
        kind: Type.String({ examples: ['CLEARING'] }),
        holder: Type.Optional(Type.String()),
        asset: Type.String({ examples: ['USDC/BASE'] }),
      }),
      amount: Type.String({ description: 'A credit is positive, a debit negative', examples: ['-100.000000'] }),
      createdAt: Timestamp,
    }),
  ),
})

export type TransactionView = Static<typeof TransactionAnswer>

/** Presents a transaction in answers and events. svc.show_transaction has written its JSON. */
export function presentTransaction({ shown }: Pick<ShownTransaction, 'shown'>): TransactionView {
  return JSON.parse(shown) as TransactionView
}

/** Adds metadata to the JSON of a transaction. Events and stored answers never have it: they outlive an erasure. */
export function addMetadata(shown: string, metadata: string | null): string {
  return metadata === null ? shown : `${shown.slice(0, -1)},"metadata":${metadata}}`
}

/** Adds fields to the JSON of a transaction. */
export function addFields(shown: string, fields: object): string {
  return Object.keys(fields).length === 0 ? shown : `${shown.slice(0, -1)},${JSON.stringify(fields).slice(1)}`
}

/** Writes a page as JSON text. The database has written each transaction as JSON, so this process parses none. */
export function showPage({ items, nextPageToken }: Page<string>): string {
  return `{"transactions":[${items.join()}],"nextPageToken":${JSON.stringify(nextPageToken)}}`
}
