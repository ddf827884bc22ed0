import type { Queryable } from '../db/database.ts'
import type { IdempotentRequest } from '../db/idempotency.ts'
import { eventApiVersion } from '../lib/event-types.ts'
import type { PageSlice } from '../lib/pages.ts'
import type {
  FailureReason,
  TransactionLabel,
  TransactionRow,
  TransactionStatus,
  TransactionStep,
} from './transaction.ts'

export const columns = `transaction.organization_id as "organizationId", transaction.transaction_id as "transactionId",
  transaction.customer_id as "customerId", transaction.quote_id as "quoteId", transaction.status, transaction.version,
  transaction.correlation_id as "correlationId", transaction.source_payment_account_id as "sourcePaymentAccountId",
  transaction.is_from_wallet as "isFromWallet", transaction.source_asset as "sourceAsset",
  transaction.source_method as "sourceMethod", transaction.source_amount as "sourceAmount",
  transaction.destination_payment_account_id as "destinationPaymentAccountId",
  transaction.is_to_wallet as "isToWallet", transaction.destination_asset as "destinationAsset",
  transaction.destination_method as "destinationMethod", transaction.destination_amount as "destinationAmount",
  transaction.exchange_rate as "exchangeRate", transaction.svc_fee as "svcFee",
  transaction.developer_fee as "developerFee", transaction.is_guaranteed as "isGuaranteed",
  transaction.quote_expires_at as "quoteExpiresAt", transaction.parts,
  transaction.transfer_instructions as "transferInstructions", transaction.transfer_message as "transferMessage",
  transaction.transfer_address as "transferAddress", transaction.source_reference_id as "sourceReferenceId",
  transaction.destination_reference_id as "destinationReferenceId", transaction.failure_reason as "failureReason",
  transaction.labels, transaction.status_history as "statusHistory", transaction.step,
  transaction.created_at as "createdAt", transaction.updated_at as "updatedAt", transaction.expires_at as "expiresAt"`

export type CreateOutcome = {
  outcome:
    | ('CREATED' | 'REPLAYED' | 'KEY_REUSED' | 'IN_PROGRESS' | 'NOT_FOUND' | 'QUOTE_EXPIRED' | 'QUOTE_ALREADY_USED')
    | ('CUSTOMER_NOT_ACTIVE' | 'METHOD_NOT_AVAILABLE' | 'ACCOUNT_NOT_ACTIVE' | 'NO_INSTRUCTIONS' | 'NO_ADDRESS')
    | 'INSUFFICIENT'
  /** The transaction as JSON. */
  answer: string | null
}

export type NewTransaction = {
  request: IdempotentRequest
  organizationIds: readonly string[]
  quoteId: string
  transactionId: string
  eventId: string
  reserveId: string
  correlationId: string | undefined
  transferMessage: string
}

/** Key, quote, customer, accounts, money and event in one round trip; see svc.create_transaction. */
export async function createTransaction(database: Queryable, wanted: NewTransaction): Promise<CreateOutcome> {
  const { request } = wanted
  const [outcome] = await database
    .query<CreateOutcome>({
      name: 'create transaction',
      text: `select outcome, answer
               from svc.create_transaction($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      values: [
        ...[request.organizationId, wanted.organizationIds, request.route, request.key, request.fingerprint],
        ...[wanted.quoteId, wanted.transactionId, wanted.eventId, wanted.reserveId, wanted.correlationId ?? null],
        ...[wanted.transferMessage, eventApiVersion],
      ],
    })
    .catch((error: unknown): CreateOutcome[] => {
      // Everything else that the call did is undone with it.
      if ((error as { code?: string }).code === 'SV002') return [{ outcome: 'INSUFFICIENT', answer: null }]
      throw error
    })
  if (!outcome) throw new Error('svc.create_transaction gave no outcome')
  return outcome
}

export async function findTransaction(
  database: Queryable,
  organizationIds: readonly string[],
  transactionId: string,
): Promise<TransactionRow | undefined> {
  const [found] = await database.query<TransactionRow>({
    name: 'find transaction',
    text: `select ${columns} from svc.transactions as transaction
            where transaction.organization_id = any($1) and transaction.transaction_id = $2`,
    values: [organizationIds, transactionId],
  })
  return found
}

export type TransactionFilter = { customerId?: string; paymentAccountId?: string }

/** Newest first. Each filter finds its own index; either side of an account is read by its own and merged. */
export function listTransactions(
  database: Queryable,
  organizationIds: readonly string[],
  { customerId, paymentAccountId }: TransactionFilter,
  slice: PageSlice,
): Promise<TransactionRow[]> {
  const inner = (side: string) => `
    select transaction_id from svc.transactions
     where organization_id = mine.organization_id and ($2::uuid is null or transaction_id < $2)
           ${customerId ? 'and customer_id = $4' : ''} ${side ? `and ${side} = $${customerId ? 5 : 4}` : ''}
     order by transaction_id desc limit $3`
  const ids = paymentAccountId
    ? `(${inner('source_payment_account_id')}) union (${inner('destination_payment_account_id')})`
    : inner('')
  return database.query<TransactionRow>({
    name: ['list transactions', customerId ? 'customer' : '', paymentAccountId ? 'account' : ''].join(' '),
    text: `select ${columns} from unnest($1::uuid[]) as mine (organization_id)
             cross join lateral (
               select transaction_id from (${ids}) as sides order by transaction_id desc limit $3) as page
             join svc.transactions as transaction
               on transaction.organization_id = mine.organization_id and transaction.transaction_id = page.transaction_id
            order by transaction.transaction_id desc limit $3`,
    values: [
      ...[organizationIds, slice.after ?? null, slice.limit],
      ...(customerId ? [customerId] : []),
      ...(paymentAccountId ? [paymentAccountId] : []),
    ],
  })
}

export type Change = {
  from: readonly TransactionStatus[]
  to: TransactionStatus
  step: TransactionStep
  /** Seconds of business time until a worker looks at it; null when nobody needs to. */
  dueInSeconds: number | null
  /** A worker's own: whoever lost the lease changes nothing. */
  fence?: string
  failureReason?: FailureReason
  labels?: readonly TransactionLabel[]
  sourceReferenceId?: string
  destinationReferenceId?: string
}

/** One guarded update, the guard taken from the state table: the loser of a race gets nothing. */
export async function changeTransaction(
  transaction: Queryable,
  { organizationId, transactionId }: Pick<TransactionRow, 'organizationId' | 'transactionId'>,
  change: Change,
): Promise<TransactionRow | undefined> {
  const [changed] = await transaction.query<TransactionRow>({
    name: 'change transaction',
    text: `update svc.transactions as transaction
              set status = $4, version = version + 1, step = $5,
                  due_at = svc.now() + $6 * interval '1 second', lease_until = null,
                  updated_at = date_trunc('milliseconds', svc.now()), failure_reason = coalesce($8, failure_reason),
                  labels = (select coalesce(array_agg(distinct label), '{}') from unnest(labels || $9::text[]) as label),
                  source_reference_id = coalesce($10, source_reference_id),
                  destination_reference_id = coalesce($11, destination_reference_id),
                  status_history = status_history || jsonb_build_object('status', $4::text, 'at',
                    to_char(svc.now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
            where organization_id = $1 and transaction_id = $2 and status = any($3)
              and ($7::bigint is null or fence = $7)
        returning ${columns}`,
    values: [
      ...[organizationId, transactionId, change.from, change.to, change.step, change.dueInSeconds],
      ...[change.fence ?? null, change.failureReason ?? null, change.labels ?? []],
      ...[change.sourceReferenceId ?? null, change.destinationReferenceId ?? null],
    ],
  })
  return changed
}
