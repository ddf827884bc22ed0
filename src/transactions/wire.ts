import Type, { type Static } from 'typebox'
import { paymentMethodNames } from '../catalog/payment-methods.ts'
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
import { FeesAnswer } from '../quotes/wire.ts'
import { exampleTransaction } from './examples.ts'
import { RepaymentAnswer } from './refunds/repayment-wire.ts'
import {
  failureReasons,
  type ListedTransaction,
  refundStatuses,
  type Transaction,
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

export const TransactionAnswer = resource('Transaction', {
  transactionId: Uuid,
  customerId: Uuid,
  quoteId: Uuid,
  transactionStatus: oneOf(transactionStatuses),
  correlationId: Type.Optional(Type.String({ examples: ['order-1234'] })),
  source: resource('TransactionSource', {
    sourcePaymentAccountId: Uuid,
    sourceCurrency: CurrencyAnswer,
    sourcePaymentMethod: Method,
    sourceAmount: Amount,
    sourceReferenceId: Type.String({
      description: 'The reference of the bank or chain; empty until known',
      examples: [''],
    }),
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
    Type.Union([FiatInstructions, CryptoInstructions], { description: "Instructions for the customer's transfer" }),
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
  refund: Type.Optional(
    resource('Refund', {
      refundStatus: oneOf(refundStatuses),
      refundCurrency: CurrencyAnswer,
      refundAmount: Amount,
      refundReferenceId: Type.String({ examples: [''] }),
    }),
  ),
  repayment: Type.Optional(RepaymentAnswer),
})

/** The payloads of transaction events. */
export const transactionEvents = {
  'transaction.created': { schema: TransactionAnswer, example: exampleTransaction },
  'transaction.updated': {
    schema: TransactionAnswer,
    example: { ...exampleTransaction, transactionStatus: 'PROCESSING' },
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
})

export const TransactionQuery = Type.Object(
  {
    ...pageQuery,
    customerId: Type.Optional(Uuid),
    paymentAccountId: Type.Optional({
      ...Uuid,
      description: 'Transactions with this account as source or destination',
    }),
    organizationId: Type.Optional({ ...Uuid, description: 'Only transactions of this organization' }),
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
        description:
          'QUOTE, STATUS, TRANSFER_SEEN, DEPOSIT, POSTING, RAIL, SCREENING, OPERATOR or WEBHOOK; more may come',
        examples: ['STATUS'],
      }),
      details: Type.Unsafe<Record<string, unknown>>(Type.Object({}, { description: 'Codes, ids and amounts' })),
    }),
    { description: 'Oldest first' },
  ),
})

export const LedgerEntriesAnswer = resource('TransactionLedgerEntries', {
  transactionId: Uuid,
  entries: Type.Array(
    resource('TransactionLedgerEntry', {
      postingId: Uuid,
      reference: Type.String({ examples: ['transaction:0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11:payout'] }),
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
export function presentTransaction({ shown }: Pick<Transaction, 'shown'>): TransactionView {
  return JSON.parse(shown) as TransactionView
}

/** Writes a page as JSON text. The database has written each transaction as JSON, so this process parses none. */
export function showPage({ items, nextPageToken }: Page<ListedTransaction>): string {
  return `{"transactions":[${items.map(({ shown }) => shown).join()}],"nextPageToken":${JSON.stringify(nextPageToken)}}`
}
