import type { Queryable, Tx } from '../db/database.ts'
import { type ClaimRound, claimFairly, type SharedWorkTable } from '../db/fair-claims.ts'
import type { ClaimOptions } from '../db/work.ts'
import { dueIn } from '../db/workers/due.ts'
import { newId } from '../lib/ids.ts'
import type { ApprovalRule } from './approvals/approval.ts'
import { repaymentOf } from './refunds/repayment-store.ts'
import { columns, shownColumns } from './store.ts'
import type { StepKind } from './timeline/kinds.ts'
import type {
  FailureReason,
  Repayment,
  ShownTransaction,
  Transaction,
  TransactionLabel,
  TransactionStatus,
  TransactionStep,
} from './transaction.ts'

/** Identifies a transaction and, for a worker, its claim: a worker that lost the lease changes nothing. */
export type TransactionKey = Pick<Transaction, 'organizationId' | 'transactionId'> & { fence?: string }
/** A claimed transaction, and the business time of the claim. */
export type ClaimedTransaction = Transaction & { fence: string; claimedAt: Date }

const transactions: SharedWorkTable = {
  table: 'svc.transactions',
  key: ['organization_id', 'transaction_id'],
  dueBy: 'business time',
  sharedBy: 'organization_id',
}

export const dueTransactions = dueIn(transactions)

export async function claimTransactions(
  database: Queryable,
  options: Pick<ClaimOptions, 'limit' | 'leaseMs'>,
  round: ClaimRound,
): Promise<ClaimedTransaction[]> {
  const claimed = await claimFairly<{ organization_id: string; transaction_id: string }>(
    database,
    transactions,
    options,
    round,
  )
  if (claimed.length === 0) return []
  return database.query<ClaimedTransaction>({
    name: 'read claimed transactions',
    text: `select ${columns}, claimed.fence::text as fence, (select svc.now()) as "claimedAt"
             from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as claimed (organization_id, transaction_id, fence)
             join svc.transactions as transaction on transaction.organization_id = claimed.organization_id
              and transaction.transaction_id = claimed.transaction_id and transaction.fence = claimed.fence`,
    values: [
      claimed.map(({ organization_id }) => organization_id),
      claimed.map(({ transaction_id }) => transaction_id),
      claimed.map(({ fence }) => fence),
    ],
  })
}

/** Locks a transaction against other changes until the database transaction ends. */
export async function lockTransaction(
  tx: Tx,
  { organizationId, transactionId }: TransactionKey,
): Promise<Transaction | undefined> {
  const [locked] = await tx.query<Transaction>({
    name: 'lock transaction',
    text: `select ${columns} from svc.transactions as transaction
            where transaction.organization_id = $1 and transaction.transaction_id = $2 for no key update`,
    values: [organizationId, transactionId],
  })
  return locked
}

/** Locks transactions in the order of their ids, so that two decisions cannot deadlock. */
export async function lockTransactions(
  tx: Tx,
  organizationId: string,
  transactionIds: readonly string[],
): Promise<Transaction[]> {
  const locked: Transaction[] = []
  for (const transactionId of [...new Set(transactionIds)].sort()) {
    const transaction = await lockTransaction(tx, { organizationId, transactionId })
    if (transaction) locked.push(transaction)
  }
  return locked
}

export type TransactionChange = {
  step: TransactionStep
  /** Seconds of business time until a worker advances it; absent when no worker needs to. */
  dueInSeconds?: number
  failureReason?: FailureReason
  repayment?: Repayment
  labels?: readonly TransactionLabel[]
  sourceReferenceId?: string
  destinationReferenceId?: string
  /** A deposit that counts towards the source amount. */
  received?: { amount: bigint; at: Date }
  /** Requires that no money has arrived: no applied deposit, no held deposit and no new sighting. */
  ifNothingSeen?: boolean
}

/** Changes a transaction in one update, guarded by the state table: the loser of a race gets undefined. */
export async function changeTransaction(
  tx: Tx,
  { organizationId, transactionId, fence }: TransactionKey,
  { from, to }: { from: readonly TransactionStatus[]; to: TransactionStatus },
  change: TransactionChange,
): Promise<ShownTransaction | undefined> {
  const [changed] = await tx.query<ShownTransaction>({
    name: 'change transaction',
    text: `update svc.transactions as transaction
              set status = $4, version = version + 1, step = $5,
                  -- A decision about the approval wakes it.
                  due_at = case when $5::text <> 'SCREEN' or approval_expires_at is null
                                then svc.now() + $6 * interval '1 second' end,
                  approval_expires_at = case when $5::text <> 'DONE' then approval_expires_at end,
                  lease_until = null, updated_at = date_trunc('milliseconds', svc.now()), failure_reason = coalesce($8, failure_reason),
                  labels = (select coalesce(array_agg(distinct label), '{}') from unnest(labels || $9::text[]) as label),
                  source_reference_id = coalesce($10, source_reference_id),
                  destination_reference_id = coalesce($11, destination_reference_id),
                  -- The new fence stops a worker that claimed the older state.
                  fence = case when $7::bigint is null then fence + 1 else fence end,
                  received_amount = received_amount + $12, funded_at = greatest(funded_at, $13),
                  repayment = coalesce($15::jsonb, repayment),
                  status_history = array_append(status_history,
                    format('{"status":"%s","at":"%s"}', $4::text, svc.format_time(svc.now()))::json),
                  status_written_at = array_append(status_written_at, clock_timestamp())
            where organization_id = $1 and transaction_id = $2 and status = any($3)
              and ($7::bigint is null or fence = $7)
              and (not $14 or received_amount = 0 and not exists (
                     select from svc.sightings as sighting
                      where (sighting.due_at is not null or sighting.state = 'SEEN') and not sighting.is_own
                        and (sighting.message = transaction.transfer_message
                             or sighting.address = transaction.transfer_address))
                   and not exists (
                     select from svc.deposits as deposit
                      where deposit.organization_id = $1 and deposit.transaction_id = $2 and deposit.status = 'HELD'))
        returning ${shownColumns}`,
    values: [
      organizationId,
      transactionId,
      from,
      to,
      change.step,
      change.dueInSeconds ?? null,
      fence ?? null,
      change.failureReason ?? null,
      change.labels ?? [],
      change.sourceReferenceId ?? null,
      change.destinationReferenceId ?? null,
      change.received?.amount ?? 0n,
      change.received?.at ?? null,
      change.ifNothingSeen ?? false,
      change.repayment ? JSON.stringify(change.repayment) : null,
    ],
  })
  return changed
}

/** Sets the next step without a new version: nothing public changes. */
export async function setStep(
  database: Queryable,
  { organizationId, transactionId, fence }: TransactionKey,
  step: TransactionStep,
  dueInSeconds: number | null,
): Promise<Transaction | undefined> {
  const [changed] = await database.query<Transaction>({
    name: 'set step of transaction',
    text: `update svc.transactions as transaction
              set step = $3, due_at = svc.now() + $4 * interval '1 second', lease_until = null
            where organization_id = $1 and transaction_id = $2 and ($5::bigint is null or fence = $5)
        returning ${columns}`,
    values: [organizationId, transactionId, step, dueInSeconds, fence ?? null],
  })
  return changed
}

/** Gives what a transaction took from the counters of policies back. */
export async function uncountPayment(tx: Tx, { organizationId, transactionId }: TransactionKey): Promise<void> {
  await tx.query({
    name: 'uncount payment',
    text: 'select svc.uncount_payment($1, $2)',
    values: [organizationId, transactionId],
  })
}

export type StartVerdict =
  | { verdict: 'GO' | 'WAIT' | 'REFUSE' }
  | { verdict: 'APPROVAL'; approvals: readonly (ApprovalRule & { expiresAt: string })[] }

/** Weighs a payment against the policies as they are now, before its payout is created. Counts nothing. */
export async function weighStart(tx: Tx, { organizationId, transactionId }: TransactionKey): Promise<StartVerdict> {
  const [weighed] = await tx.query<StartVerdict>({
    name: 'weigh start of transaction',
    text: 'select verdict, approvals from svc.weigh_start($1, $2)',
    values: [organizationId, transactionId],
  })
  return weighed ?? { verdict: 'GO' }
}

/**
 * Postpones a transaction while this worker holds its lease. A commit whose reply was lost has ended the lease and set
 * the next step.
 */
export async function postponeTransaction(
  database: Queryable,
  { organizationId, transactionId, fence }: ClaimedTransaction,
  seconds: number,
): Promise<void> {
  await database.query({
    name: 'postpone transaction',
    text: `update svc.transactions set due_at = svc.now() + $4 * interval '1 second', lease_until = null
            where organization_id = $1 and transaction_id = $2 and fence = $3 and lease_until is not null`,
    values: [organizationId, transactionId, fence, seconds],
  })
}

export type TransactionDetails = {
  received?: { amount: bigint; at: Date }
  labels?: readonly TransactionLabel[]
  terms?: { exchangeRate: string; destinationAmount: bigint }
  destinationReferenceId?: string
}

/** Changes public details within the current status. The refund sums what svc.open_refunds lists in the source asset. */
export async function changeDetails(
  tx: Tx,
  { organizationId, transactionId }: TransactionKey,
  { received, labels, terms, destinationReferenceId }: TransactionDetails,
): Promise<ShownTransaction | undefined> {
  const [changed] = await tx.query<ShownTransaction>({
    name: 'change details of transaction',
    text: `update svc.transactions as transaction
              set version = version + 1, updated_at = date_trunc('milliseconds', svc.now()),
                  received_amount = received_amount + $3, funded_at = greatest(funded_at, $4),
                  labels = (select coalesce(array_agg(distinct label), '{}') from unnest(labels || $5::text[]) as label),
                  exchange_rate = coalesce($6, exchange_rate),
                  destination_amount = coalesce($7::numeric, destination_amount),
                  destination_reference_id = coalesce($8, destination_reference_id),
                  refund = (
                    select jsonb_build_object('amount', sum(refund.amount)::text,
                             'status', case when bool_or(refund.status in ('WAITING', 'SENDING', 'SENT')) then 'PENDING'
                                            when bool_or(refund.status = 'REFUSED') then 'WAITING_FOR_OPERATOR'
                                            when bool_or(refund.status = 'RETURNED') then 'RETURNED'
                                            else 'COMPLETED' end,
                             'referenceId', coalesce(max(nullif(refund.external_reference, '')), ''))
                      from svc.open_refunds($1, $2) as refund
                     where refund.organization_id = $1 and refund.asset = transaction.source_asset
                    having count(*) > 0),
                  repayment = ${repaymentOf('$1', '$2')}
            where organization_id = $1 and transaction_id = $2
        returning ${shownColumns}`,
    values: [
      organizationId,
      transactionId,
      received?.amount ?? 0n,
      received?.at ?? null,
      labels ?? [],
      terms?.exchangeRate ?? null,
      terms?.destinationAmount ?? null,
      destinationReferenceId ?? null,
    ],
  })
  return changed
}

/** Records a step for the timeline of a transaction: codes, ids and amounts, never personal data. */
export async function recordStep(
  tx: Tx,
  { organizationId, transactionId }: TransactionKey,
  kind: StepKind,
  details: object = {},
): Promise<void> {
  await tx.query({
    name: 'record step of transaction',
    text: `insert into svc.transaction_steps (organization_id, transaction_id, step_id, at, kind, details)
           values ($1, $2, $3, svc.now(), $4, $5)`,
    values: [organizationId, transactionId, newId(), kind, JSON.stringify(details)],
  })
}

export async function readCustomerStatus(
  tx: Tx,
  { organizationId, customerId }: { organizationId: string; customerId: string },
): Promise<string | undefined> {
  const [found] = await tx.query<{ status: string }>({
    name: 'read customer status for a transaction',
    text: 'select status from svc.customers where organization_id = $1 and customer_id = $2',
    values: [organizationId, customerId],
  })
  return found?.status
}
