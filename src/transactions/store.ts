import type { Queryable, Tx } from '../db/database.ts'
import type { IdempotentRequest } from '../db/idempotency.ts'
import { type EventType, eventApiVersion } from '../lib/event-types.ts'
import type { PageSlice } from '../lib/pages.ts'
import { isExternalIdTaken, type Metadata, writeMetadata } from '../lib/resources/own-data.ts'
import type { ListedTransaction, ShownTransaction } from './transaction.ts'

export const columns = `transaction.organization_id as "organizationId", transaction.transaction_id as "transactionId",
  transaction.customer_id as "customerId", transaction.quote_id as "quoteId", transaction.status, transaction.version,
  transaction.correlation_id as "correlationId", transaction.source_payment_account_id as "sourcePaymentAccountId",
  transaction.is_from_wallet as "isFromWallet", transaction.is_from_returned_funds as "isFromReturnedFunds",
  transaction.source_asset as "sourceAsset",
  transaction.source_method as "sourceMethod", transaction.source_amount as "sourceAmount",
  transaction.destination_payment_account_id as "destinationPaymentAccountId",
  transaction.is_to_wallet as "isToWallet", transaction.destination_asset as "destinationAsset",
  transaction.destination_method as "destinationMethod", transaction.destination_amount as "destinationAmount",
  transaction.exchange_rate as "exchangeRate", transaction.svc_fee as "svcFee",
  transaction.developer_fee as "developerFee", transaction.is_guaranteed as "isGuaranteed",
  transaction.guaranteed_until as "guaranteedUntil", transaction.counter_ids is not null as "isCounted",
  transaction.quote_expires_at as "quoteExpiresAt",
  transaction.transfer_instructions as "transferInstructions", transaction.transfer_message as "transferMessage",
  transaction.transfer_address as "transferAddress", transaction.link_version as "linkVersion", transaction.source_reference_id as "sourceReferenceId",
  transaction.destination_reference_id as "destinationReferenceId", transaction.failure_reason as "failureReason",
  transaction.labels, transaction.status_history as "statusHistory",
  transaction.status_written_at as "statusWrittenAt", transaction.step, transaction.refund,
  transaction.repayment, transaction.received_amount as "receivedAmount", transaction.funded_at as "fundedAt",
  transaction.api_key_id as "apiKeyId",
  transaction.approval_id as "approvalId", transaction.approval_expires_at as "approvalExpiresAt",
  transaction.created_at as "createdAt", transaction.updated_at as "updatedAt", transaction.expires_at as "expiresAt",
  transaction.metadata`

/** The columns of a transaction that is shown: an answer or an event follows. */
export const shownColumns = `${columns}, svc.show_transaction(transaction) as shown`

export type CreateOutcome = {
  outcome:
    | ('CREATED' | 'REPLAYED' | 'KEY_REUSED' | 'IN_PROGRESS' | 'NOT_FOUND' | 'QUOTE_EXPIRED' | 'QUOTE_ALREADY_USED')
    | ('CUSTOMER_NOT_ACTIVE' | 'METHOD_NOT_AVAILABLE' | 'ACCOUNT_NOT_ACTIVE' | 'NO_INSTRUCTIONS' | 'NO_ADDRESS')
    | ('INSUFFICIENT' | 'GUARANTEES_EXHAUSTED' | 'TAKES_RETURNED_FUNDS' | 'POLICY_REFUSED' | 'EXTERNAL_ID_TAKEN')
  /** The transaction as JSON. */
  answer: string | null
  /** The owner, kind and id of the rule of a policy that refuses it, separated by blanks. */
  refusedBy?: string | null
}

const createdEvent: EventType = 'transaction.created'

export type NewTransaction = {
  request: IdempotentRequest
  organizationIds: readonly string[]
  /** The key that asks for it, or that made the automation rule that does; null for a deposit. Policies count by it. */
  apiKeyId: string | null
  quoteId: string
  transactionId: string
  eventId: string
  reserveId: string
  /** For an approval that a policy may want. */
  approvalId: string
  correlationId: string | undefined
  externalId?: string | undefined
  metadata?: Metadata | undefined
  transferMessage: string
}

/**
 * Creates each transaction with its key, money and event, in one round trip. Outcomes are in order, as if the requests
 * had come one after the other. Throws when another call used a quote or id, or spent the money, of one of several:
 * PostgreSQL has then rolled back all of them, and the caller may retry each alone.
 */
export async function createTransactions(
  database: Queryable,
  wanted: readonly NewTransaction[],
  /** Only of a caller that makes one request, and has locked the causes of the returned funds. */
  { mayTakeReturnedFunds }: { mayTakeReturnedFunds: boolean } = { mayTakeReturnedFunds: false },
): Promise<CreateOutcome[]> {
  if (wanted.length === 0) return []
  const all = <Value>(read: (each: NewTransaction) => Value) => wanted.map(read)
  // Most requests come from few callers, and a caller may have many organizations.
  const reaches = all(({ organizationIds }) => `{${organizationIds.join()}}`)
  const reachSets = [...new Set(reaches)]
  try {
    return await database.query<CreateOutcome>({
      name: 'create transactions',
      text: `select outcome, answer, refused_by as "refusedBy"
               from svc.create_transactions($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                    $18, $19)`,
      values: [
        all(({ request }) => request.organizationId),
        reaches.map((reach) => reachSets.indexOf(reach) + 1),
        reachSets,
        all(({ request }) => request.route),
        all(({ request }) => request.key),
        all(({ request }) => request.fingerprint),
        all(({ quoteId }) => quoteId),
        all(({ transactionId }) => transactionId),
        all(({ eventId }) => eventId),
        all(({ reserveId }) => reserveId),
        all(({ correlationId }) => correlationId ?? null),
        all(({ transferMessage }) => transferMessage),
        eventApiVersion,
        createdEvent,
        mayTakeReturnedFunds,
        all(({ apiKeyId }) => apiKeyId),
        all(({ approvalId }) => approvalId),
        all(({ externalId }) => externalId ?? null),
        all(({ metadata }) => writeMetadata(metadata)),
      ],
    })
  } catch (error) {
    const { code, message, detail } = error as { code?: string; message: string; detail?: string }
    if (wanted.length > 1) throw error
    if (isExternalIdTaken(error)) return [{ outcome: 'EXTERNAL_ID_TAKEN', answer: null }]
    if (code !== 'SV002') throw error
    return [{ outcome: message as CreateOutcome['outcome'], answer: null, refusedBy: detail ?? null }]
  }
}

/**
 * Creates one transaction within a database transaction that goes on without it when it is refused. A refusal that comes
 * late, such as that of a limit which another call has just used up, undoes the creation alone.
 */
export async function createOrUndo(tx: Tx, wanted: NewTransaction): Promise<CreateOutcome | undefined> {
  await tx.query({ name: 'begin creation', text: 'savepoint creation' })
  const [created] = await createTransactions(tx, [wanted])
  if (created?.outcome !== 'CREATED') await tx.query({ name: 'undo creation', text: 'rollback to savepoint creation' })
  return created
}

export async function findTransaction(
  database: Queryable,
  organizationIds: readonly string[],
  transactionId: string,
): Promise<ShownTransaction | undefined> {
  const [found] = await database.query<ShownTransaction>({
    name: 'find transaction',
    text: `select ${shownColumns} from svc.transactions as transaction
            where transaction.organization_id = any($1) and transaction.transaction_id = $2`,
    values: [organizationIds, transactionId],
  })
  return found
}

/** Empties the metadata of a customer's transactions, for an erasure. */
export async function eraseTransactionMetadata(tx: Tx, organizationId: string, customerId: string): Promise<void> {
  await tx.query({
    name: 'erase metadata of transactions',
    text: `update svc.transactions set metadata = null
            where organization_id = $1 and customer_id = $2 and metadata is not null`,
    values: [organizationId, customerId],
  })
}

/**
 * Finds the quoted source amounts by payout ids, the only reference that a rail knows. Each limit lets the planner use
 * the key at any estimate of the length of the array.
 */
export async function findSourceAmountsOfPayouts(
  database: Queryable,
  payoutIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await database.query<{ payoutId: string; sourceAmount: string }>({
    name: 'find source amounts of payouts',
    text: `select payout.payout_id as "payoutId", quote.source_amount_text as "sourceAmount"
             from unnest($1::uuid[]) as wanted (payout_id)
            cross join lateral (
              select organization_id, payout_id, transaction_id from svc.payouts
               where payout_id = wanted.payout_id and purpose = 'PAYOUT' limit 1) as payout
            cross join lateral (
              select quote_id from svc.transactions as transaction
               where transaction.organization_id = payout.organization_id
                 and transaction.transaction_id = payout.transaction_id limit 1) as transaction
            cross join lateral (
              select source_amount_text from svc.quotes as quote
               where quote.organization_id = payout.organization_id and quote.quote_id = transaction.quote_id
               limit 1) as quote`,
    values: [payoutIds],
  })
  return new Map(found.map(({ payoutId, sourceAmount }) => [payoutId, sourceAmount]))
}

export type TransactionFilter = { customerId?: string; paymentAccountId?: string }

/**
 * The columns of a transaction that is shown as text. The event of its version has its JSON: every change of what is
 * shown raises the version, and has an event in the same database transaction. Reading it costs a fifth of writing it.
 */
export const listed = `transaction.transaction_id as "transactionId", transaction.link_version as "linkVersion",
  coalesce((select event.data from svc.events as event
             where event.organization_id = transaction.organization_id
               and event.resource_id = transaction.transaction_id::text
               and event.resource_version = transaction.version), svc.show_transaction(transaction)) as shown,
  transaction.metadata::text as metadata`

/** Finds a transaction as lists show it. */
export async function findListed(
  database: Queryable,
  organizationIds: readonly string[],
  transactionId: string,
): Promise<ListedTransaction | undefined> {
  const [found] = await database.query<ListedTransaction>({
    name: 'find listed transaction',
    text: `select ${listed} from svc.transactions as transaction
            where transaction.organization_id = any($1) and transaction.transaction_id = $2`,
    values: [organizationIds, transactionId],
  })
  return found
}

/**
 * Lists transactions, newest first. The page of one organization is read in index order. The filter for an account
 * merges the transactions that it pays with those that it receives; none is both.
 */
export async function listTransactions(
  database: Queryable,
  organizationIds: readonly string[],
  filter: TransactionFilter,
  slice: PageSlice,
): Promise<ListedTransaction[]> {
  const [first, ...others] = organizationIds
  if (first === undefined) return []
  const isOne = others.length === 0
  const { customerId, paymentAccountId } = filter
  return database.query<ListedTransaction>({
    name: [
      'list transactions',
      isOne ? 'of one' : '',
      customerId ? 'customer' : '',
      paymentAccountId ? 'account' : '',
    ].join(' '),
    text: isOne ? ofOne(filter) : ofMany(filter),
    values: [
      isOne ? first : organizationIds,
      slice.after ?? null,
      slice.limit,
      ...[customerId, paymentAccountId].filter((value) => value !== undefined),
    ],
  })
}

function ofOne({ customerId, paymentAccountId }: TransactionFilter): string {
  const rows = (side: string) => `
    select ${listed} from svc.transactions as transaction
     where transaction.organization_id = $1 and ${wanted('$1', customerId, side)}
     order by transaction.transaction_id desc limit $3`
  if (!paymentAccountId) return rows('')
  return `(${rows('source_payment_account_id')}) union all (${rows('destination_payment_account_id')})
           order by "transactionId" desc limit $3`
}

/** Finds the ids of the page from the indexes alone, before any row is read. */
function ofMany({ customerId, paymentAccountId }: TransactionFilter): string {
  const ids = (side: string) => `
    select transaction.transaction_id from svc.transactions as transaction
     where transaction.organization_id = mine.organization_id and ${wanted('mine.organization_id', customerId, side)}
     order by transaction.transaction_id desc limit $3`
  const found = paymentAccountId
    ? `(${ids('source_payment_account_id')}) union all (${ids('destination_payment_account_id')})`
    : ids('')
  return `select ${listed}
            from (select mine.organization_id, ids.transaction_id from unnest($1::uuid[]) as mine (organization_id)
                   cross join lateral (${found}) as ids order by ids.transaction_id desc limit $3) as page
            join svc.transactions as transaction
              on transaction.organization_id = page.organization_id and transaction.transaction_id = page.transaction_id
           order by transaction.transaction_id desc`
}

/**
 * Builds the filter. The bound after the last page works for generic plans too. An account belongs to one customer, so
 * one lookup tells whether the two match before any transaction is read.
 */
function wanted(organizationId: string, customerId: string | undefined, side: string): string {
  const owner = `(select one.customer_id from svc.transactions as one
                   where one.organization_id = ${organizationId} and one.${side} = $5 limit 1)`
  return [
    `transaction.transaction_id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`,
    ...(customerId ? ['transaction.customer_id = $4'] : []),
    ...(customerId && side ? [`$4 = ${owner}`] : []),
    ...(side ? [`transaction.${side} = $${customerId ? 5 : 4}`] : []),
  ].join(' and ')
}
