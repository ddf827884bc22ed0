import type { Network } from '../../../catalog/currencies.ts'
import type { Queryable, Tx } from '../../../db/database.ts'
import { requireFence } from '../../../db/work.ts'
import type { ClaimedPayout } from '../store.ts'

export type UnconfirmedPayout = { organizationId: string; payoutId: string; externalReference: string }

/** The blocks above a fork that a chain has dropped: all but those known to stand. */
export type DroppedBlocks = { above: bigint; standing: readonly string[] }

/**
 * Takes open payouts of a network from the workers: an answer that one of them has, but has not recorded, may be about a
 * dropped block. The rows stay locked until the commit, so none is claimed meanwhile.
 */
export async function takeFromWorkers(tx: Tx, network: Network): Promise<void> {
  await tx.query({
    name: 'take payouts of a network from workers',
    text: `with open as materialized (
             select organization_id, payout_id from svc.payouts
              where method = $1 and status in ('SENDING', 'SENT')
              order by organization_id, payout_id for no key update)
           update svc.payouts as payout set fence = payout.fence + 1, lease_until = null
             from open where payout.organization_id = open.organization_id and payout.payout_id = open.payout_id`,
    values: [network],
  })
}

/**
 * Marks payouts that were confirmed in blocks above this one, which their chain has dropped, and makes them due. An
 * alarm rings until the rail confirms them anew. The rows are locked sorted by their key. Call `takeFromWorkers` before:
 * a confirmation that was about to commit is then visible here.
 */
export function unconfirmPayouts(
  tx: Tx,
  network: Network,
  { above, standing }: DroppedBlocks,
): Promise<UnconfirmedPayout[]> {
  return tx.query<UnconfirmedPayout>({
    name: 'unconfirm payouts',
    text: `with dropped as materialized (
             select payout.organization_id, payout.payout_id from svc.payouts as payout
              where payout.method = $1 and payout.status = 'CONFIRMED' and exists (
                    select from svc.payout_attempts as attempt
                     where attempt.organization_id = payout.organization_id and attempt.payout_id = payout.payout_id
                       and attempt.outcome like 'CONFIRMED%'
                       and (attempt.details #>> '{block,number}')::bigint > $2)
                and not exists (
                    select from svc.payout_attempts as attempt
                     where attempt.organization_id = payout.organization_id and attempt.payout_id = payout.payout_id
                       and attempt.outcome like 'CONFIRMED%' and attempt.details #>> '{block,hash}' = any($3))
              order by payout.organization_id, payout.payout_id for no key update of payout)
           update svc.payouts as payout
              set unconfirmed_at = coalesce(unconfirmed_at, svc.now()), contradicted_at = coalesce(contradicted_at, svc.now()), due_at = svc.now(),
                  asks = 0, lease_until = null, fence = fence + 1
             from dropped
            where payout.organization_id = dropped.organization_id and payout.payout_id = dropped.payout_id
        returning payout.organization_id as "organizationId", payout.payout_id as "payoutId",
                  payout.external_reference as "externalReference"`,
    values: [network, above, standing],
  })
}

/** Ends the doubt about a payout that its rail confirms anew, and the alarm that came with the doubt. */
export async function reconfirmPayout(
  tx: Tx,
  { organizationId, payoutId, fence }: ClaimedPayout,
  externalReference: string,
): Promise<void> {
  const changed = await tx.query({
    name: 'reconfirm payout',
    text: `update svc.payouts
              set unconfirmed_at = null, external_reference = $4, asks = 0, due_at = null, lease_until = null,
                  contradicted_at = case when contradicted_at < unconfirmed_at then contradicted_at end
            where organization_id = $1 and payout_id = $2 and fence = $3 and unconfirmed_at is not null
        returning payout_id`,
    values: [organizationId, payoutId, fence, externalReference],
  })
  requireFence(changed)
}

/** Ends the questions about a payout that can never be confirmed. Its alarm stays. */
export async function endUnconfirmed(
  database: Queryable,
  { organizationId, payoutId, fence }: ClaimedPayout,
): Promise<void> {
  await database.query({
    name: 'end questions about an unconfirmed payout',
    text: `update svc.payouts set unconfirmed_at = null, asks = 0, due_at = null, lease_until = null
            where organization_id = $1 and payout_id = $2 and fence = $3`,
    values: [organizationId, payoutId, fence],
  })
}

/** True for a payout to an account outside: one to a service wallet has been credited there. */
export async function isReturnable(
  database: Queryable,
  { organizationId, payoutId }: Pick<ClaimedPayout, 'organizationId' | 'payoutId'>,
): Promise<boolean> {
  const found = await database.query({
    name: 'is payout returnable',
    text: `select from svc.payouts as payout
            where payout.organization_id = $1 and payout.payout_id = $2 and payout.payment_account_id is not null
              and not exists (
                  select from svc.wallets as wallet
                   where wallet.organization_id = $1 and wallet.payment_account_id = payout.payment_account_id)`,
    values: [organizationId, payoutId],
  })
  return found.length > 0
}
