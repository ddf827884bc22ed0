import Type from 'typebox'
import { type Asset, type Currency, scaleOf } from '../../catalog/currencies.ts'
import { paymentMethodNames } from '../../catalog/payment-methods.ts'
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
import { exampleDeposit } from '../examples.ts'
import { transactionLabels } from '../transaction.ts'
import { type Deposit, depositStatuses, resolutions } from './deposit.ts'

export const DepositAnswer = resource('Deposit', {
  depositId: Uuid,
  depositStatus: oneOf(depositStatuses),
  labels: Type.Array(oneOf(transactionLabels)),
  customerId: Type.Optional(Uuid),
  paymentAccountId: Type.Optional({
    ...Uuid,
    description: 'The account of the service that it came to, or the registered one that it came from',
  }),
  transactionId: Type.Optional(Uuid),
  currency: CurrencyAnswer,
  paymentMethod: oneOf(paymentMethodNames),
  amount: Type.String({ examples: ['100.00'] }),
  appliedAmount: Type.String({ description: 'Counted towards the transaction', examples: ['100.00'] }),
  referenceId: Type.String({ description: 'Of the bank or chain', examples: ['sandbox-1'] }),
  message: Type.Optional(Type.String({ description: 'The transfer message that it came with' })),
  address: Type.Optional(Type.String({ description: 'The address that it came to' })),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

/** What the events of deposits carry. */
export const depositEvents = {
  'deposit.created': { schema: DepositAnswer, example: exampleDeposit },
  'deposit.updated': { schema: DepositAnswer, example: { ...exampleDeposit, depositStatus: 'RETURNED' } },
} satisfies Partial<Record<EventType, EventPayload>>

export const DepositPage = pageOf('DepositPage', 'deposits', DepositAnswer)

export const DepositQuery = Type.Object(
  {
    ...pageQuery,
    customerId: Type.Optional(Uuid),
    paymentAccountId: Type.Optional({ ...Uuid, description: 'That it came to, or from' }),
    transactionId: Type.Optional({ ...Uuid, description: 'That it was for' }),
    status: Type.Optional(oneOf(depositStatuses, 'UNMATCHED are those that wait for a person')),
    organizationId: Type.Optional({ ...Uuid, description: 'Those of one organization' }),
  },
  { additionalProperties: false },
)

export const DepositParams = Type.Object({ depositId: Uuid })

export const ResolveBody = requestBody(
  'ResolveDeposit',
  {
    action: oneOf(resolutions, 'RETURN: it goes back. CREDIT: the customer has it. APPLY: it is for transactionId'),
    transactionId: Type.Optional({ ...Uuid, description: 'Of APPLY: the transaction that waits for it' }),
    paymentAccountId: Type.Optional({
      ...Uuid,
      description: 'Of RETURN: another registered account of the customer that it goes to',
    }),
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Kept sealed with the customer, and shown to those who review it',
      examples: ['The sender has called'],
    }),
  },
  { examples: [{ action: 'RETURN', reason: 'The sender has called' }] },
)

/** A deposit as the interface shows it, in answers and in events alike. Nothing in it names a person. */
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
    paymentMethod: deposit.method,
    amount: formatAmount(BigInt(deposit.amount), scale),
    appliedAmount: formatAmount(BigInt(deposit.appliedAmount), scale),
    referenceId: deposit.externalId,
    ...(deposit.message === null ? {} : { message: deposit.message }),
    ...(deposit.address === null ? {} : { address: deposit.address }),
    createdAt: deposit.createdAt.toISOString(),
    updatedAt: deposit.updatedAt.toISOString(),
  }
}
