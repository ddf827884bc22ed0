import Type, { type Static } from 'typebox'
import { type Asset, type Currency, scaleOf } from '../../catalog/currencies.ts'
import { paymentMethodNames } from '../../catalog/payment-methods.ts'
import { exampleDeposit } from '../../http/examples/payments.ts'
import { amountQuery, createdQuery, updatedQuery } from '../../http/filters.ts'
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
} from '../../http/wire.ts'
import type { EventType } from '../../lib/event-types.ts'
import { formatAmount } from '../../lib/money.ts'
import { WatchListEntry } from '../../reviews/wire.ts'
import { transactionLabels } from '../transaction.ts'
import { type Deposit, depositResolutions, depositStatuses, holdReasons, type SenderReport } from './deposit.ts'
import { isHolding, recallStatuses } from './recalls/recall.ts'

export const DepositAnswer = resource(
  'Deposit',
  {
    depositId: Uuid,
    depositStatus: oneOf(depositStatuses),
    labels: Type.Array(oneOf(transactionLabels)),
    customerId: Type.Optional(Uuid),
    paymentAccountId: Type.Optional({
      ...Uuid,
      description: 'The service account that received it, or the registered account that sent it',
    }),
    transactionId: Type.Optional(Uuid),
    currency: CurrencyAnswer,
    paymentMethod: oneOf(paymentMethodNames),
    amount: Type.String({ examples: ['100.00'] }),
    appliedAmount: Type.String({ description: 'The part that counts towards the transaction', examples: ['100.00'] }),
    reversedAmount: Type.Optional(
      Type.String({ description: 'The part that the bank or chain took back', examples: ['100.00'] }),
    ),
    referenceId: Type.String({ description: 'The reference of the bank or chain', examples: ['sandbox-1'] }),
    message: Type.Optional(Type.String({ description: 'The message of the transfer' })),
    address: Type.Optional(Type.String({ description: 'The address that received it' })),
    holdReason: Type.Optional(
      oneOf(
        holdReasons,
        'SENDER_MISMATCH: the sender has another name than the owner of the source account. RECALLED: see `recall`',
      ),
    ),
    recall: Type.Optional(
      Type.Object(
        {
          recallId: Uuid,
          recallStatus: oneOf(
            recallStatuses,
            'OPEN and ACCEPTED: nothing of the deposit leaves. SETTLED: the bank has taken the money back',
          ),
          code: Type.String({ description: 'The reason of the bank: DUPL, TECH, FRAD …', examples: ['DUPL'] }),
          amount: Type.String({ examples: ['100.00'] }),
          createdAt: Timestamp,
          decidedAt: Type.Optional(Timestamp),
        },
        { description: 'The bank of the payer wants the payment back. An operator answers' },
      ),
    ),
    suggestedTransactionIds: Type.Optional(
      Type.Array(Uuid, {
        description:
          'Transactions that await this amount from a customer who registered the account of the sender. ' +
          'Nothing is applied until an operator decides',
      }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  exampleDeposit,
)

const SenderMatch = resource('SenderMatch', {
  matchedBy: oneOf(['NAME', 'ADDRESS'], 'The name that the bank gave, or the address that sent the tokens'),
  watchList: WatchListEntry,
})

export const DepositSender = resource('DepositSender', {
  depositId: Uuid,
  isAwaitingList: Type.Boolean({
    description: 'True while no current watch list can tell whether the sender is listed: the deposit waits',
  }),
  matches: Type.Array(SenderMatch, { description: 'Empty when the sender is not listed' }),
})

/** Presents the screening of a sender, to reviewers. It holds no data of the sender. */
export function presentSender({ depositId, isAwaitingList, matches }: SenderReport): Static<typeof DepositSender> {
  return { depositId, isAwaitingList, matches: [...matches] }
}

/** The payloads of deposit events. */
export const depositEvents = {
  'deposit.created': { schema: DepositAnswer, example: exampleDeposit },
  'deposit.updated': { schema: DepositAnswer, example: exampleDeposit },
} satisfies Partial<Record<EventType, EventPayload>>

export const DepositPage = pageOf('DepositPage', 'deposits', DepositAnswer)

export const DepositQuery = Type.Object(
  {
    ...pageQuery,
    customerId: Type.Optional(Uuid),
    paymentAccountId: Type.Optional({ ...Uuid, description: 'Only deposits that this account received or sent' }),
    transactionId: Type.Optional({ ...Uuid, description: 'Only deposits for this transaction' }),
    status: Type.Optional(oneOf(depositStatuses, 'UNMATCHED deposits wait for an operator')),
    rail: Type.Optional(oneOf(paymentMethodNames, 'Only deposits by this rail or network')),
    ...amountQuery,
    ...createdQuery,
    ...updatedQuery,
    organizationId: Type.Optional({ ...Uuid, description: 'Only deposits of this organization' }),
  },
  { additionalProperties: false },
)

export const DepositParams = Type.Object({ depositId: Uuid })

export const ResolveDepositBody = requestBody('ResolveDeposit', {
  action: oneOf(
    depositResolutions,
    'RETURN sends it back. CREDIT keeps it for the customer. APPLY counts it towards `transactionId`',
  ),
  transactionId: Type.Optional({ ...Uuid, description: 'For APPLY: the transaction that awaits it' }),
  paymentAccountId: Type.Optional({
    ...Uuid,
    description: 'For RETURN: another registered account of the customer',
  }),
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Stored encrypted with the customer, and shown to reviewers',
    examples: ['The sender has called'],
  }),
})

/** Presents a deposit, in answers and events alike. It holds no personal data. */
export function presentDeposit(deposit: Deposit, currencyOf: (asset: Asset) => Currency) {
  const scale = scaleOf(deposit.asset)
  return {
    depositId: deposit.depositId,
    depositStatus: deposit.status,
    labels: deposit.labels,
    ...(deposit.customerId === null ? {} : { customerId: deposit.customerId }),
    ...(deposit.paymentAccountId === null ? {} : { paymentAccountId: deposit.paymentAccountId }),
    ...(deposit.transactionId === null ? {} : { transactionId: deposit.transactionId }),
    currency: currencyOf(deposit.asset),
    paymentMethod: deposit.rail ?? deposit.method,
    amount: formatAmount(BigInt(deposit.amount), scale),
    appliedAmount: formatAmount(BigInt(deposit.appliedAmount), scale),
    ...(deposit.reversedAmount === '0' ? {} : { reversedAmount: formatAmount(BigInt(deposit.reversedAmount), scale) }),
    referenceId: deposit.externalId,
    ...(deposit.message === null ? {} : { message: deposit.message }),
    ...(deposit.address === null ? {} : { address: deposit.address }),
    ...holdReasonOf(deposit),
    ...recallOf(deposit, scale),
    ...(deposit.suggestions.length === 0
      ? {}
      : { suggestedTransactionIds: deposit.suggestions.map(({ transactionId }) => transactionId) }),
    createdAt: deposit.createdAt.toISOString(),
    updatedAt: deposit.updatedAt.toISOString(),
  }
}

function holdReasonOf({ status, recall, isSenderMismatch }: Deposit) {
  if (status !== 'HELD') return {}
  if (isHolding(recall)) return { holdReason: 'RECALLED' as const }
  return isSenderMismatch ? { holdReason: 'SENDER_MISMATCH' as const } : {}
}

function recallOf({ recall }: Deposit, scale: number) {
  if (recall === null) return {}
  const { recallId, status: recallStatus, code, amount, recordedAt, decidedAt } = recall
  return {
    recall: {
      recallId,
      recallStatus,
      code,
      amount: formatAmount(BigInt(amount), scale),
      createdAt: new Date(recordedAt).toISOString(),
      ...(decidedAt === null ? {} : { decidedAt: new Date(decidedAt).toISOString() }),
    },
  }
}
