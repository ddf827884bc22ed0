import { returnWindowDays } from '../../catalog/return-windows.ts'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../lib/ids.ts'
import type { Move } from '../../lib/transitions.ts'
import { columns, shownColumns } from '../store.ts'
import type { ShownTransaction, Transaction, TransactionStatus } from '../transaction.ts'
import type { PayoutStatus } from './payout.ts'
import type { Payment } from './rail.ts'
import { type ClaimedPayout, unlessNews } from './store.ts'

/**
 * Each statement is for a whole batch. It locks rows sorted by their key, so that two batches cannot deadlock. It finds
 * each row by its key alone ("limit 1"), and tests it afterwards: without statistics the planner would take an index of
 * open rows for the test, and read all of them for each row.
 */

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

/** Locks one payout, and answers its newest version. */
export const lockPayout = `select locked.organization_id, locked.payout_id, locked.attempts, locked.fence, locked.status,
         locked.lease_until
    from svc.payouts as locked
   where locked.organization_id = wanted.organization_id and locked.payout_id = wanted.payout_id
   limit 1 for no key update`

/**
 * Confirms payouts, with their attempts; answers for each whether this worker still held it. One that another loop of
 * the worker has claimed again may be in the list twice, with two fences.
 */
export async function confirmPayouts(
  tx: Tx,
  { from, to }: Move<PayoutStatus>,
  confirmations: readonly Confirmation[],
): Promise<boolean[]> {
  const confirmed = await tx.query<{ place: string }>({
    name: 'confirm payouts',
    text: `with held as materialized (
             select payout.organization_id, payout.payout_id, payout.attempts, wanted.details, wanted.asks_in_days,
                    wanted.place
               from (select organization_id, payout_id, fence, details, asks_in_days, place
                       from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::jsonb[], $5::integer[])
                            with ordinality as confirmed (organization_id, payout_id, fence, details, asks_in_days, place)
                      order by organization_id, payout_id) as wanted
              cross join lateral (${lockPayout}) as payout
              where payout.fence = wanted.fence and payout.status = any($6)),
           noted as (
             insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome, details)
             select organization_id, payout_id, attempts, (select svc.now()), $7, details from held on conflict do nothing)
           update svc.payouts as payout
              set status = $7, external_reference = held.details ->> 'externalReference', reason = null,
                  lease_until = null, asks = 0,
                  due_at = (select svc.now()) + held.asks_in_days * interval '1 day', resolved_at = (select svc.now())
             from held where payout.organization_id = held.organization_id and payout.payout_id = held.payout_id
        returning held.place`,
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
  return areAmong(confirmations, confirmed)
}

/** Records that the rail accepted payouts, with their attempts; answers for each whether this worker still held it. */
export async function acceptPayouts(
  tx: Tx,
  { from, to }: Move<PayoutStatus>,
  acceptances: readonly Acceptance[],
): Promise<boolean[]> {
  const accepted = await tx.query<{ place: string }>({
    name: 'accept payouts',
    text: `with held as materialized (
             select payout.organization_id, payout.payout_id, payout.attempts, wanted.ask_again_at, wanted.place
               from (select organization_id, payout_id, fence, ask_again_at, place
                       from unnest($1::uuid[], $2::uuid[], $3::bigint[], $6::timestamptz[])
                            with ordinality as accepted (organization_id, payout_id, fence, ask_again_at, place)
                      order by organization_id, payout_id) as wanted
              cross join lateral (${lockPayout}) as payout
              where payout.fence = wanted.fence and payout.status = any($4)),
           noted as (
             insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome)
             select organization_id, payout_id, attempts, (select svc.now()), 'ACCEPTED' from held on conflict do nothing)
           update svc.payouts as payout
              set status = $5, asks = 0, due_at = ${unlessNews('coalesce(held.ask_again_at, (select svc.now()))')},
                  lease_until = null
             from held where payout.organization_id = held.organization_id and payout.payout_id = held.payout_id
        returning held.place`,
    values: [
      acceptances.map(({ payout }) => payout.organizationId),
      acceptances.map(({ payout }) => payout.payoutId),
      acceptances.map(({ payout }) => payout.fence),
      from,
      to,
      acceptances.map(({ askAgainAt }) => askAgainAt ?? null),
    ],
  })
  return areAmong(acceptances, accepted)
}

/** Tells for each of a list whether its place, counted from 1, was answered. */
function areAmong(list: readonly unknown[], answered: readonly { place: string }[]): boolean[] {
  const places = new Set(answered.map(({ place }) => Number(place)))
  return list.map((_, at) => places.has(at + 1))
}

/** Locks the transactions of payouts, or of deposits, until the database transaction ends. */
export function lockTransactions(
  tx: Tx,
  payouts: readonly Pick<ClaimedPayout, 'organizationId' | 'transactionId'>[],
): Promise<Transaction[]> {
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
): Promise<ShownTransaction[]> {
  return tx.query<ShownTransaction>({
    name: 'complete transactions',
    text: `with confirmed as (
             select organization_id, transaction_id, external_reference, step_id
               from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[])
                    as wanted (organization_id, transaction_id, external_reference, step_id)),
           noted as (
             insert into svc.transaction_steps (organization_id, transaction_id, step_id, at, kind, details)
             select organization_id, transaction_id, step_id, (select svc.now()), 'PAYOUT_CONFIRMED',
                    jsonb_build_object('externalReference', external_reference) from confirmed),
           held as materialized (
             select confirmed.organization_id, confirmed.transaction_id, confirmed.external_reference
               from confirmed cross join lateral (
                    select locked.status from svc.transactions as locked
                     where locked.organization_id = confirmed.organization_id
                       and locked.transaction_id = confirmed.transaction_id limit 1 for no key update) as transaction
              where transaction.status = any($5))
           update svc.transactions as transaction
              set status = $6, version = version + 1, step = 'DONE', due_at = null, lease_until = null,
                  updated_at = date_trunc('milliseconds', (select svc.now())), fence = fence + 1,
                  destination_reference_id = held.external_reference,
                  status_history = array_append(status_history,
                    format('{"status":"%s","at":"%s"}', $6::text, svc.format_time((select svc.now())))::json),
                  status_written_at = array_append(status_written_at, clock_timestamp())
             from held where transaction.organization_id = held.organization_id
              and transaction.transaction_id = held.transaction_id
        returning ${shownColumns}`,
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
