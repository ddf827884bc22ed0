import type { Queryable, Tx } from '../../db/database.ts'
import type { Move } from '../../lib/transitions.ts'
import type { Payout, PayoutStatus } from './payout.ts'
import { type ClaimedPayout, columns } from './store.ts'

/** A payout for the operator of the deployment, who knows its id only. */
export type ListedPayout = Payout & { createdAt: Date; isBusy: boolean }

const listed = `${columns}, payout.created_at as "createdAt",
  coalesce(payout.lease_until > clock_timestamp(), false) as "isBusy"`

export async function findPayout(database: Queryable, payoutId: string): Promise<ListedPayout | undefined> {
  const [found] = await database.query<ListedPayout>({
    name: 'find payout by its reference',
    text: `select ${listed} from svc.payouts as payout where payout.payout_id = $1`,
    values: [payoutId],
  })
  return found
}

/** Lists payouts whose outcome the rail has not told for this long, oldest first. */
export function listStuck(database: Queryable, longerThanSeconds: number, limit: number): Promise<ListedPayout[]> {
  return database.query<ListedPayout>({
    name: 'list stuck payouts',
    text: `select ${listed} from svc.payouts as payout
            where payout.status in ('SENDING', 'SENT')
              and svc.now() - $1 * interval '1 second' > (
                  select min(attempt.at) from svc.payout_attempts as attempt
                   where attempt.organization_id = payout.organization_id and attempt.payout_id = payout.payout_id)
            order by payout.payout_id limit $2`,
    values: [longerThanSeconds, limit],
  })
}

/** Lists payouts whose recorded outcome the rail contradicts, oldest first. */
export function listContradicted(database: Queryable, limit: number): Promise<ListedPayout[]> {
  return database.query<ListedPayout>({
    name: 'list contradicted payouts',
    text: `select ${listed} from svc.payouts as payout where payout.contradicted_at is not null
            order by payout.payout_id limit $1`,
    values: [limit],
  })
}

/**
 * Takes a payout from the workers. The new fence stops a worker that polls it: of the two, one records the outcome.
 * Undefined when its outcome is known, or while a worker is calling the rail.
 */
export async function takePayout(
  tx: Tx,
  { organizationId, payoutId }: Pick<Payout, 'organizationId' | 'payoutId'>,
  { from }: Pick<Move<PayoutStatus>, 'from'>,
): Promise<ClaimedPayout | undefined> {
  const [taken] = await tx.query<ClaimedPayout>({
    name: 'take payout for an operator',
    text: `update svc.payouts as payout set fence = fence + 1, lease_until = null
            where organization_id = $1 and payout_id = $2 and status = any($3)
              and (lease_until is null or lease_until <= clock_timestamp())
        returning ${columns}, payout.fence::text as fence`,
    values: [organizationId, payoutId, from],
  })
  return taken
}

/** Lets a payout count as sent that a rail has paid unasked; false when it is no longer so. */
export async function overtakePayout(
  tx: Tx,
  { from, to }: Move<PayoutStatus>,
  { organizationId, payoutId }: Payout,
): Promise<boolean> {
  const changed = await tx.query({
    name: 'overtake payout',
    text: `update svc.payouts set status = $4, contradicted_at = null
            where organization_id = $1 and payout_id = $2 and status = any($3) and contradicted_at is not null
              and (lease_until is null or lease_until <= clock_timestamp())
        returning payout_id`,
    values: [organizationId, payoutId, from, to],
  })
  return changed.length > 0
}

/** Polls a payout that an operator settled daily for some days: the rail may contradict the outcome. */
export async function watchSettled(tx: Tx, { organizationId, payoutId }: Payout): Promise<void> {
  await tx.query({
    name: 'watch settled payout',
    text: `update svc.payouts set due_at = svc.now() + interval '1 day'
            where organization_id = $1 and payout_id = $2`,
    values: [organizationId, payoutId],
  })
}

export async function markContradicted(
  database: Queryable,
  { organizationId, payoutId, fence }: ClaimedPayout,
): Promise<void> {
  await database.query({
    name: 'mark payout as contradicted',
    text: `update svc.payouts set contradicted_at = coalesce(contradicted_at, svc.now())
            where organization_id = $1 and payout_id = $2 and fence = $3`,
    values: [organizationId, payoutId, fence],
  })
}

/** Ends the alarm about a contradiction that the rail itself has ended. */
export async function endContradiction(
  database: Queryable,
  { organizationId, payoutId, fence }: ClaimedPayout,
): Promise<void> {
  await database.query({
    name: 'end contradiction of a payout',
    text: `update svc.payouts set contradicted_at = null
            where organization_id = $1 and payout_id = $2 and fence = $3`,
    values: [organizationId, payoutId, fence],
  })
}

/**
 * Ends the alarm about a contradiction; false when there is none. A refused payout is polled no longer: the operator
 * knows. Work on others goes on.
 */
export async function acknowledge(tx: Tx, { organizationId, payoutId }: Payout): Promise<boolean> {
  const changed = await tx.query({
    name: 'acknowledge contradiction of a payout',
    text: `update svc.payouts
              set contradicted_at = null, due_at = case when status <> 'REFUSED' then due_at end,
                  lease_until = null, fence = fence + 1
            where organization_id = $1 and payout_id = $2 and contradicted_at is not null returning payout_id`,
    values: [organizationId, payoutId],
  })
  return changed.length > 0
}
