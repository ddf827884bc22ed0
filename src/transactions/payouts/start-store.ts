import type { Queryable, Tx } from '../../db/database.ts'
import { requireFence } from '../../db/work.ts'
import type { Move } from '../../lib/transitions.ts'
import type { Payout, PayoutPurpose, PayoutStatus } from './payout.ts'
import { type ClaimedPayout, columns, unlessNews } from './store.ts'

/** Records that the destinations of claimed payouts were screened with this list. */
export async function recordScreening(
  database: Queryable,
  screened: readonly ClaimedPayout[],
  version: number,
): Promise<void> {
  if (screened.length === 0) return
  await database.query({
    name: 'record screening of payouts',
    text: `with screened as materialized (
             select payout.organization_id, payout.payout_id
               from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as wanted (organization_id, payout_id, fence)
               join svc.payouts as payout on payout.organization_id = wanted.organization_id
                and payout.payout_id = wanted.payout_id and payout.fence = wanted.fence
              order by payout.organization_id, payout.payout_id for no key update of payout)
           update svc.payouts as payout set screened_version = $4 from screened
            where payout.organization_id = screened.organization_id and payout.payout_id = screened.payout_id`,
    values: [
      screened.map(({ organizationId }) => organizationId),
      screened.map(({ payoutId }) => payoutId),
      screened.map(({ fence }) => fence),
      version,
    ],
  })
}

/** Finds the payouts that wait for the end of a kill switch or of quiet hours. */
export async function findHeldByPolicy(
  database: Queryable,
  claimed: readonly ClaimedPayout[],
): Promise<ReadonlySet<string>> {
  const held = await database.query<{ payoutId: string }>({
    name: 'find payouts held by a policy',
    text: `select payout_id as "payoutId" from svc.find_held_payouts($1, $2)`,
    values: [claimed.map(({ organizationId }) => organizationId), claimed.map(({ payoutId }) => payoutId)],
  })
  return new Set(held.map(({ payoutId }) => payoutId))
}

/**
 * Starts those payouts that need no liquidity or get it, and records the intent to send them. The others wait. A payout
 * that another worker has claimed since is in neither list.
 */
export async function startPayouts(
  tx: Tx,
  { from, to }: Move<PayoutStatus>,
  claimed: readonly ClaimedPayout[],
  recheckInSeconds: number,
): Promise<ClaimedPayout[]> {
  if (claimed.length === 0) return []
  const rows = await tx.query<{ payoutId: string; attempts: number }>({
    name: 'start payouts',
    text: `select payout_id as "payoutId", attempts from svc.start_payouts($1, $2, $3, $4, $5, $6)`,
    values: [
      claimed.map(({ organizationId }) => organizationId),
      claimed.map(({ payoutId }) => payoutId),
      claimed.map(({ fence }) => fence),
      from,
      to,
      recheckInSeconds,
    ],
  })
  const attempts = new Map(rows.map((row) => [row.payoutId, row.attempts]))
  return claimed.flatMap((payout) => {
    const attempt = attempts.get(payout.payoutId)
    return attempt === undefined ? [] : [{ ...payout, status: to, attempts: attempt, polls: 0 }]
  })
}

/**
 * Records the intent to attempt a payout again whose attempts are proven dead. It keeps its liquidity. With
 * `collectSeconds` it ends this worker's lease, and all such payouts are due at the same moments.
 */
export async function retryPayout(
  database: Queryable,
  { from, to }: Move<PayoutStatus>,
  payout: ClaimedPayout,
  collectSeconds?: number,
): Promise<ClaimedPayout | undefined> {
  const [retried] = await database.query<{ attempts: number }>({
    name: 'retry payout',
    text: `with retried as (
             update svc.payouts
                set status = $4, attempts = attempts + 1, asks = 0,
                    lease_until = case when $6::integer is null then lease_until end,
                    due_at = coalesce(to_timestamp(ceil(extract(epoch from svc.now()) / $6::integer) * $6::integer), due_at)
              where organization_id = $1 and payout_id = $2 and fence = $3 and status = any($5) and seal is not null
          returning organization_id, payout_id, attempts),
           noted as (
             insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome)
             select organization_id, payout_id, attempts, svc.now(), 'STARTED' from retried)
           select attempts from retried`,
    values: [payout.organizationId, payout.payoutId, payout.fence, to, from, collectSeconds ?? null],
  })
  return retried && { ...payout, status: to, attempts: retried.attempts, polls: 0 }
}

/** Puts a payout back that the rail does not take now. Its attempt has no bytes, so nothing has left. */
export async function putBackPayout(
  tx: Tx,
  { from, to }: Move<PayoutStatus>,
  { organizationId, payoutId, fence }: ClaimedPayout,
  { until, why }: { until: Date; why: string },
): Promise<void> {
  const changed = await tx.query({
    name: 'put payout back',
    text: `with held as (
             update svc.payouts as payout set status = $4, due_at = ${unlessNews('$6')}, lease_until = null,
                    asks = asks + 1
              where organization_id = $1 and payout_id = $2 and fence = $3 and status = any($5)
                and not exists (
                    select from svc.payout_preparations as preparation
                     where preparation.organization_id = $1 and preparation.payout_id = $2
                       and preparation.attempt = payout.attempts)
          returning attempts)
           insert into svc.payout_attempts (organization_id, payout_id, attempt, at, outcome, details)
           select $1, $2, attempts, svc.now(), 'NOT_NOW', $7 from held returning payout_id`,
    values: [organizationId, payoutId, fence, to, from, until, JSON.stringify({ until: until.toISOString(), why })],
  })
  requireFence(changed)
}

/** Makes the open payouts of a transaction due now. */
export async function expeditePayouts(
  tx: Tx,
  { organizationId, transactionId }: { organizationId: string; transactionId: string },
  purposes: readonly PayoutPurpose[],
): Promise<Payout[]> {
  return tx.query<Payout>({
    name: 'expedite payouts',
    text: `with open as materialized (
             select payout_id from svc.payouts
              where organization_id = $1 and transaction_id = $2 and purpose = any($3)
                and status in ('WAITING', 'SENDING', 'SENT', 'CONFIRMED') and (attempts > 0 or status = 'WAITING')
              order by payout_id for no key update)
           update svc.payouts as payout set due_at = svc.now(), asks = 0, news_fence = payout.fence
             from open where payout.organization_id = $1 and payout.payout_id = open.payout_id
        returning ${columns}`,
    values: [organizationId, transactionId, purposes],
  })
}

/** Makes these payouts due now, where they have left and have no outcome yet. */
export async function expediteOpen(
  tx: Tx,
  payouts: readonly { organizationId: string; payoutId: string }[],
): Promise<void> {
  if (payouts.length === 0) return
  await tx.query({
    name: 'expedite open payouts',
    text: `with open as materialized (
             select payout.organization_id, payout.payout_id
               from unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, payout_id)
               join svc.payouts as payout on payout.organization_id = wanted.organization_id
                and payout.payout_id = wanted.payout_id and payout.status in ('SENDING', 'SENT')
              order by payout.organization_id, payout.payout_id for no key update of payout)
           update svc.payouts as payout set due_at = svc.now(), news_fence = payout.fence
             from open where payout.organization_id = open.organization_id and payout.payout_id = open.payout_id`,
    values: [payouts.map(({ organizationId }) => organizationId), payouts.map(({ payoutId }) => payoutId)],
  })
}
