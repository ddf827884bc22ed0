import type { Queryable, Tx } from '../../db/database.ts'
import { changedSince, fewChangedSince, hasManyChanged } from '../../db/outbox/readers.ts'
import type { Due } from '../../db/work.ts'
import { anyDue, firstOf } from '../../db/workers/due.ts'

/** A range of sequenced events of one organization that was not looked at yet. */
export type UnwatchedRange = { organizationId: string; after: string; last: string }

/** Keeps the organizations with events that were not looked at, and joins the sequence up to which they were. */
const unwatched = `left join lateral (
                    select watched_to from svc.destination_watches as known
                     where known.organization_id = sequences.organization_id limit 1) as watch on true
            where sequences.last_sequence > coalesce(watch.watched_to, 0)`

export const hasUnwatched: Due = anyDue(
  firstOf('svc.ordered_payouts where watched_at is null order by ordered_at'),
  firstOf(`${fewChangedSince('destination alerts')} ${unwatched}`),
  hasManyChanged('destination alerts'),
)

/** Reads the seconds since the oldest event or ordered payout that was not looked at; 0 when there is none. */
export async function readWatchLag(database: Queryable): Promise<number> {
  const [oldest] = await database.query<{ lag: number }>({
    name: 'read lag of destination watches',
    text: `select greatest(0, max(extract(epoch from svc.now() - event.created_at)),
                    (select extract(epoch from svc.now() - min(ordered_at)) from svc.ordered_payouts
                      where watched_at is null))::float8 as lag
             from (select organization_id, coalesce(watch.watched_to, 0) + 1 as sequence
                     from ${changedSince('destination alerts')} ${unwatched}) as next
            cross join lateral (
                  select created_at from svc.events as event
                   where event.organization_id = next.organization_id and event.sequence = next.sequence limit 1) as event`,
  })
  return oldest?.lag ?? 0
}

export function readUnwatchedRanges(tx: Tx, limit: number): Promise<UnwatchedRange[]> {
  return tx.query<UnwatchedRange>({
    name: 'read unwatched events',
    text: `select sequences.organization_id as "organizationId", coalesce(watch.watched_to, 0) as after,
                  sequences.last_sequence as last
             from ${changedSince('destination alerts')} ${unwatched}
            order by sequences.last_sequence - coalesce(watch.watched_to, 0), sequences.organization_id limit $1`,
    values: [limit],
  })
}

export type WatchedPayout = {
  organizationId: string
  transactionId: string | null
  customerId: string
  paymentAccountId: string
  asset: string
  amount: string
  createdAt: Date
}

/**
 * Reads the transactions that were created in a range of events and pay to an account of the outside world about which
 * no event has told yet. Not old ones: where alerts begin, or begin again, they would flood the integrator.
 */
export function readPayouts(
  tx: Tx,
  organizationId: string,
  after: string,
  upTo: string,
): Promise<(WatchedPayout & { usdRate: string })[]> {
  return tx.query<WatchedPayout & { usdRate: string }>({
    name: 'read payouts to watch',
    text: `select transaction.organization_id as "organizationId", transaction.transaction_id as "transactionId",
                  transaction.customer_id as "customerId",
                  transaction.destination_payment_account_id as "paymentAccountId",
                  transaction.source_asset as asset, transaction.source_amount as amount,
                  quote.derivation::json ->> 'sourceUsdRate' as "usdRate", transaction.created_at as "createdAt"
             from svc.events as event
            cross join lateral (
                  select organization_id, transaction_id, customer_id, destination_payment_account_id, source_asset,
                         source_amount, quote_id, is_to_wallet, created_at from svc.transactions as read
                   where read.organization_id = event.organization_id and read.transaction_id = event.resource_id::uuid
                   limit 1) as transaction
             join svc.quotes as quote
               on quote.organization_id = transaction.organization_id and quote.quote_id = transaction.quote_id
             left join svc.destination_alerts as alert
               on alert.organization_id = transaction.organization_id
              and alert.payment_account_id = transaction.destination_payment_account_id
            where event.organization_id = $1 and event.type = 'transaction.created' and event.sequence > $2
              and event.sequence <= $3 and not transaction.is_to_wallet and alert.alert_id is null
              and transaction.created_at > svc.now() - interval '1 day'
            order by event.sequence`,
    values: [organizationId, after, upTo],
  })
}

/** An ordered payout, and its value in cents of USD; null when there was no price. */
export type OrderedPayout = WatchedPayout & { usdCents: string | null; isOld: boolean }

/** Reads payouts that keys ordered outside of transactions, each once. */
export function takeOrderedPayouts(tx: Tx, limit: number): Promise<OrderedPayout[]> {
  return tx.query<OrderedPayout>({
    name: 'take ordered payouts to watch',
    text: `update svc.ordered_payouts as ordered set watched_at = svc.now()
             from svc.payouts as payout
            where payout.organization_id = ordered.organization_id and payout.payout_id = ordered.payout_id
              and (ordered.organization_id, ordered.payout_id) in (
                    select organization_id, payout_id from svc.ordered_payouts
                     where watched_at is null order by ordered_at limit $1)
           returning ordered.organization_id as "organizationId", payout.transaction_id as "transactionId",
                     payout.customer_id as "customerId", payout.payment_account_id as "paymentAccountId", payout.asset,
                     payout.amount, ordered.usd_cents as "usdCents", ordered.ordered_at as "createdAt",
                     ordered.ordered_at <= svc.now() - interval '1 day' as "isOld"`,
    values: [limit],
  })
}

export type DestinationAlert = Pick<WatchedPayout, 'organizationId' | 'paymentAccountId' | 'transactionId'> & {
  alertId: string
}

/** Records that an event has told about an account; false when one had before. */
export async function insertAlert(tx: Tx, alert: DestinationAlert): Promise<boolean> {
  const inserted = await tx.query({
    name: 'insert destination alert',
    text: `insert into svc.destination_alerts (organization_id, payment_account_id, alert_id, transaction_id)
           values ($1, $2, $3, $4) on conflict do nothing returning alert_id`,
    values: [alert.organizationId, alert.paymentAccountId, alert.alertId, alert.transactionId],
  })
  return inserted.length > 0
}

export async function advanceWatches(tx: Tx, ranges: readonly { organizationId: string; upTo: string }[]) {
  await tx.query({
    name: 'advance destination watches',
    text: `insert into svc.destination_watches (organization_id, watched_to)
           select organization_id, up_to from unnest($1::uuid[], $2::bigint[]) as watched (organization_id, up_to)
               on conflict (organization_id) do update set watched_to = excluded.watched_to`,
    values: [ranges.map((range) => range.organizationId), ranges.map((range) => range.upTo)],
  })
}
