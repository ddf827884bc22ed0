import { returnWindowDays } from '../../catalog/return-windows.ts'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../lib/ids.ts'
import type { Move } from '../../lib/transitions.ts'
import { columns } from '../store.ts'
import type { Transaction, TransactionStatus } from '../transaction.ts'
import type { PayoutStatus } from './payout.ts'
import type { Payment } from './rail.ts'
import { type ClaimedPayout, unlessNews } from './store.ts'

/** Each statement is for a whole batch. It locks rows sorted by their key, so that two batches cannot deadlock. */

export type Confirmation = {
  payout: ClaimedPayout
  payment: Payment
  /** The rail has told of returns as well: it is asked about them at once. */
  hasReturns?: boolean
}

/** The facts of a payment that the attempt keeps. */
export function paymentDetails({ externalReference, valueDate, block, costs }: Payment): object {
  return {
    externalReference,
    ...(valueDate ? { valueDate } : {}),
    ...(block ? { block: { number: String(block.number), hash: block.hash } } : {}),
    ...(costs.length > 0 ? { costs: costs.map(({ asset, amount }) => ({ asset, amount: String(amount) })) } : {}),
  }
}

export type Acceptance = { payout: ClaimedPayout; askAgainAt: Date | undefined }

/** Tells when a confirmed payout is asked about again: now, daily while a bank may return it, or never. */
export function askInDays({ payout, hasReturns = false }: Confirmation): number | null {
  if (hasReturns) return 0
  return returnWindowDays(payout.method) > 0 ? 1 : null
}

/** Confirms payouts, with their attempts; answers the ids of those that this worker still held. */
export async function confirmPayouts(
  tx: Tx,
  { from, to }: Move<PayoutStatus>,
  confirmations: readonly Confirmation[],
): Promise<Set<string>> {
  const confirmed = await tx.query<{ payoutId: string }>({
    name: 'confirm payouts',
    text: `with held as materialized (
             select payout.organization_id, payout.payout_id, payout.attempts, wanted.details, wanted.asks_in_days
               from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::jsonb[], $5::integer[])
                    as wanted (organization_id, payout_id, fence, details, asks_in_days)
               join svc.payouts as payout on payout.organization_id = wanted.organization_id
                and payout.payout_id = wanted.payout_id and payout.fence = wanted.fence and payout.status = any($6)
              order by payout.organization_id, payout.payout_id for no key update of payout),
           noted as (
             insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome, details)
             select organization_id, payout_id, attempts, svc.now(), $7, details from held on conflict do nothing)
           update svc.payouts as payout
              set status = $7, external_reference = held.details ->> 'externalReference', reason = null,
                  lease_until = null, asks = 0,
                  due_at = svc.now() + held.asks_in_days * interval '1 day', resolved_at = svc.now()
             from held where payout.organization_id = held.organization_id and payout.payout_id = held.payout_id
        returning payout.payout_id as "payoutId"`,
    values: [
      confirmations.map(({ payout }) => payout.organizationId),
      confirmations.map(({ payout }) => payout.payoutId),
      confirmations.map(({ payout }) => payout.fence),
      confirmations.map(({ payment }) => JSON.stringify(paymentDetails(payment))),
      confirmations.map(askInDays),
      from,
      to,
    ],
  })
  return new Set(confirmed.map(({ payoutId }) => payoutId))
}

/** Records that the rail accepted payouts, with their attempts; answers the ids of those that this worker still held. */
export async function acceptPayouts(
  tx: Tx,
  { from, to }: Move<PayoutStatus>,
  acceptances: readonly Acceptance[],
): Promise<Set<string>> {
  const accepted = await tx.query<{ payoutId: string }>({
    name: 'accept payouts',
    text: `with held as materialized (
             select payout.organization_id, payout.payout_id, payout.attempts, wanted.ask_again_at
               from unnest($1::uuid[], $2::uuid[], $3::bigint[], $6::timestamptz[])
                    as wanted (organization_id, payout_id, fence, ask_again_at)
               join svc.payouts as payout on payout.organization_id = wanted.organization_id
                and payout.payout_id = wanted.payout_id and payout.fence = wanted.fence and payout.status = any($4)
              order by payout.organization_id, payout.payout_id for no key update of payout),
           noted as (
             insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome)
             select organization_id, payout_id, attempts, svc.now(), 'ACCEPTED' from held on conflict do nothing)
           update svc.payouts as payout
              set status = $5, asks = 0, due_at = ${unlessNews('coalesce(held.ask_again_at, svc.now())')},
                  lease_until = null
             from held where payout.organization_id = held.organization_id and payout.payout_id = held.payout_id
        returning payout.payout_id as "payoutId"`,
    values: [
      acceptances.map(({ payout }) => payout.organizationId),
      acceptances.map(({ payout }) => payout.payoutId),
      acceptances.map(({ payout }) => payout.fence),
      from,
      to,
      acceptances.map(({ askAgainAt }) => askAgainAt ?? null),
    ],
  })
  return new Set(accepted.map(({ payoutId }) => payoutId))
}

/** Locks the transactions of payouts until the database transaction ends. */
export function lockTransactions(tx: Tx, payouts: readonly ClaimedPayout[]): Promise<Transaction[]> {
  return tx.query<Transaction>({
    name: 'lock transactions of payouts',
    text: `select ${columns}
             from unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, transaction_id)
             join svc.transactions as transaction on transaction.organization_id = wanted.organization_id
              and transaction.transaction_id = wanted.transaction_id
            order by transaction.organization_id, transaction.transaction_id for no key update of transaction`,
    values: [payouts.map(({ organizationId }) => organizationId), payouts.map(({ transactionId }) => transactionId)],
  })
}

/** Completes locked transactions, and records the step. One whose status does not allow it is left out. */
export function completeTransactions(
  tx: Tx,
  { from, to }: Move<TransactionStatus>,
  confirmations: readonly Confirmation[],
): Promise<Transaction[]> {
  return tx.query<Transaction>({
    name: 'complete transactions',
    text: `with confirmed as (
             select organization_id, transaction_id, external_reference, step_id
               from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[])
                    as wanted (organization_id, transaction_id, external_reference, step_id)),
           noted as (
             insert into svc.transaction_steps (organization_id, transaction_id, step_id, at, kind, details)
             select organization_id, transaction_id, step_id, svc.now(), 'PAYOUT_CONFIRMED',
                    jsonb_build_object('externalReference', external_reference) from confirmed)
           update svc.transactions as transaction
              set status = $6, version = version + 1, step = 'DONE', due_at = null, lease_until = null,
                  updated_at = date_trunc('milliseconds', svc.now()), fence = fence + 1,
                  destination_reference_id = confirmed.external_reference,
                  status_history = array_append(status_history,
                    format('{"status":"%s","at":"%s"}', $6::text, svc.format_time(svc.now()))::json),
                  status_written_at = array_append(status_written_at, clock_timestamp())
             from confirmed where transaction.organization_id = confirmed.organization_id
              and transaction.transaction_id = confirmed.transaction_id and transaction.status = any($5)
        returning ${columns}`,
    values: [
      confirmations.map(({ payout }) => payout.organizationId),
      confirmations.map(({ payout }) => payout.transactionId),
      confirmations.map(({ payment }) => payment.externalReference),
      confirmations.map(() => newId()),
      from,
      to,
    ],
  })
}
