import type { Queryable, Tx } from '../../db/database.ts'
import { type Claimed, type ClaimOptions, claimWork, type WorkTable } from '../../db/work.ts'
import { dueIn } from '../../db/workers/due.ts'
import { newId } from '../../lib/ids.ts'
import type { Rule } from '../rule.ts'
import type { RuleKey } from '../store.ts'

/**
 * Makes a watch due. During a run it only marks the watch (`is_raised`), which becomes due when the run has ended. The
 * new fence invalidates a comparison in progress, which has read an older balance.
 */
const setDue = (dueAt: string) => `due_at = case when watch.run_id is null then ${dueAt} end,
  is_raised = watch.run_id is not null, lease_until = null, fence = watch.fence + 1`

/** Starts the watch of a rule, or makes an existing one due now. */
export async function watchBalance(
  tx: Tx,
  rule: RuleKey & Pick<Rule, 'customerId' | 'sourcePaymentAccountId' | 'sourceAsset'>,
): Promise<void> {
  await tx.query({
    name: 'watch balance',
    text: `insert into svc.threshold_watches as watch (organization_id, rule_id, customer_id, payment_account_id, asset,
                  due_at)
           values ($1, $2, $3, $4, $5, svc.now())
               on conflict (organization_id, rule_id) do update set ${setDue('svc.now()')}`,
    values: [rule.organizationId, rule.ruleId, rule.customerId, rule.sourcePaymentAccountId, rule.sourceAsset],
  })
}

/** Ends the watch of a deleted rule. */
export async function endWatch(tx: Tx, { organizationId, ruleId }: RuleKey): Promise<void> {
  await tx.query({
    name: 'end watch',
    text: `update svc.threshold_watches as watch
              set ended_at = svc.now(), due_at = null, lease_until = null, fence = watch.fence + 1
            where organization_id = $1 and rule_id = $2 and ended_at is null`,
    values: [organizationId, ruleId],
  })
}

/** An increase of a wallet's available balance, with the transaction that caused it, if any. */
export type BalanceIncrease = {
  organizationId: string
  paymentAccountId: string
  asset: string
  transactionId: string | null
}

/**
 * True for circular money, which must not fire a rule at once: rules would chase it and pay fees each time. A credit is
 * circular if the rule's own transaction caused it (a release or a return). Within the cool-down after the rule moved
 * money, it is also circular if another rule of the same wallet caused it, or a threshold rule that the rule's own
 * money reaches through threshold rules.
 */
const isCircular = `run.rule_id is not null and (run.rule_id = rule.rule_id
  or coalesce((select moved.finished_at from svc.rule_runs as moved
                where moved.organization_id = rule.organization_id and moved.rule_id = rule.rule_id
                  and moved.status = 'EXECUTED'
                order by moved.run_id desc limit 1) > svc.now() - $4 * interval '1 second', false)
     and (origin.source_payment_account_id = rule.source_payment_account_id
          or origin.trigger_type = 'THRESHOLD_BASED' and exists (
               with recursive reached as (
                 select rule.destination_payment_account_id as payment_account_id, rule.destination_asset as asset
                  union
                 select next.destination_payment_account_id, next.destination_asset
                   from reached
                  cross join lateral (
                        select destination_payment_account_id, destination_asset from svc.automation_rules
                         where organization_id = rule.organization_id
                           and source_payment_account_id = reached.payment_account_id and source_asset = reached.asset
                           and trigger_type = 'THRESHOLD_BASED' and status = 'ACTIVE' and deleted_at is null
                        offset 0) as next)
               select from reached
                where payment_account_id = origin.source_payment_account_id and asset = origin.source_asset)))`

/**
 * Makes the watches of credited wallets due. Every posting and release calls it in its own tx; most wallets have no
 * watch. All callers lock watches in the same order, so they do not deadlock.
 */
export async function recheckThresholdsOfWallets(
  tx: Tx,
  increases: readonly BalanceIncrease[],
  coolDownSeconds: number,
): Promise<void> {
  const watches = await tx.query<IncreasedWatch>({
    name: 'lock watches of wallets',
    text: `select watch.organization_id as "organizationId", watch.rule_id as "ruleId",
                  wallet.transaction_id as "transactionId"
             from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[])
                  as wallet (organization_id, payment_account_id, asset, transaction_id)
             join svc.threshold_watches as watch on watch.organization_id = wallet.organization_id
              and watch.payment_account_id = wallet.payment_account_id and watch.asset = wallet.asset
            where watch.ended_at is null
            order by watch.organization_id, watch.rule_id
              for no key update of watch`,
    values: [
      increases.map((each) => each.organizationId),
      increases.map((each) => each.paymentAccountId),
      increases.map((each) => each.asset),
      increases.map((each) => each.transactionId),
    ],
  })
  if (watches.length > 0) await recheckThresholds(tx, watches, coolDownSeconds)
}

type IncreasedWatch = RuleKey & Pick<BalanceIncrease, 'transactionId'>

/**
 * Makes the watches due: now, or after the cool-down for circular money. The planner cannot estimate the length of the
 * arrays, so `offset 0` makes it look up each row by its key.
 */
async function recheckThresholds(tx: Tx, watches: readonly IncreasedWatch[], coolDownSeconds: number): Promise<void> {
  await tx.query({
    name: 'recheck watches of wallets',
    text: `with checked as (
             select rule.organization_id, rule.rule_id, bool_and(${isCircular}) as is_circular
               from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as increased (organization_id, rule_id, transaction_id)
              cross join lateral (
                    select organization_id, rule_id, source_payment_account_id, destination_payment_account_id,
                           destination_asset
                      from svc.automation_rules
                     where organization_id = increased.organization_id and rule_id = increased.rule_id offset 0) as rule
               left join lateral (
                    select rule_id from svc.rule_runs
                     where organization_id = increased.organization_id and transaction_id = increased.transaction_id
                    offset 0) as run on true
               left join lateral (
                    select trigger_type, source_payment_account_id, source_asset from svc.automation_rules
                     where organization_id = increased.organization_id and rule_id = run.rule_id
                    offset 0) as origin on true
              group by rule.organization_id, rule.rule_id)
           update svc.threshold_watches as watch
              set ${setDue(`case when checked.is_circular
                    then coalesce(watch.due_at, svc.now() + $4 * interval '1 second') else svc.now() end`)}
             from checked
            where watch.organization_id = checked.organization_id and watch.rule_id = checked.rule_id`,
    values: [
      watches.map((each) => each.organizationId),
      watches.map((each) => each.ruleId),
      watches.map((each) => each.transactionId),
      coolDownSeconds,
    ],
  })
}

/** Makes the watches of a customer due, because the customer has become ACTIVE. */
export async function recheckThresholdsOfCustomer(tx: Tx, organizationId: string, customerId: string): Promise<void> {
  await tx.query({
    name: 'recheck watches of customer',
    text: `with locked as (
             select organization_id, rule_id from svc.threshold_watches
              where organization_id = $1 and customer_id = $2 and ended_at is null
              order by organization_id, rule_id for no key update)
           update svc.threshold_watches as watch set ${setDue('svc.now()')}
             from locked
            where watch.organization_id = locked.organization_id and watch.rule_id = locked.rule_id`,
    values: [organizationId, customerId],
  })
}

const watches: WorkTable = {
  table: 'svc.threshold_watches',
  key: ['organization_id', 'rule_id'],
  dueBy: 'business time',
}

export const dueWatches = dueIn(watches)

export type ClaimedWatch = Claimed<{ organization_id: string; rule_id: string }>

export function claimWatches(
  database: Queryable,
  options: Pick<ClaimOptions, 'limit' | 'leaseMs'>,
): Promise<ClaimedWatch[]> {
  return claimWork(database, watches, options)
}

/**
 * Compares balances with thresholds and opens a run for each balance that reaches one. The statement runs after the
 * claim: it sees every posting committed before the claim, and a later posting changes the fence. A posting that was in
 * progress when the watch was created could not see the watch, so the worker compares again until all such postings
 * have ended (`known_from`). Returns how many watches need no further comparison.
 */
export async function compareBalances(database: Queryable, claimed: readonly ClaimedWatch[]): Promise<number> {
  const compared = await database.query<{ isDone: boolean }>({
    name: 'compare balances with thresholds',
    text: `with locked as (
             select watch.organization_id, watch.rule_id, claimed.run_id
               from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[])
                    as claimed (organization_id, rule_id, fence, run_id)
               join svc.threshold_watches as watch on watch.organization_id = claimed.organization_id
                and watch.rule_id = claimed.rule_id and watch.fence = claimed.fence
              order by watch.organization_id, watch.rule_id
                for no key update of watch),
           judged as (
             select locked.organization_id, locked.rule_id,
                    case when rule.status = 'ACTIVE' and rule.deleted_at is null
                          and account.posted - account.reserved >= rule.threshold_units then locked.run_id end as run_id
               from locked
               join svc.automation_rules as rule
                 on rule.organization_id = locked.organization_id and rule.rule_id = locked.rule_id
               left join svc.ledger_accounts as account on account.organization_id = rule.organization_id
                and account.kind = 'WALLET' and account.holder = rule.source_payment_account_id::text
                and account.asset = rule.source_asset),
           compared as (
             update svc.threshold_watches as watch
                set run_id = judged.run_id, lease_until = null, is_raised = false,
                    due_at = case when judged.run_id is null
                                   and (watch.known_from is null
                                        or watch.known_from > pg_snapshot_xmin(pg_current_snapshot()))
                                  then watch.due_at end,
                    known_from = coalesce(watch.known_from, pg_snapshot_xmax(pg_current_snapshot()))
               from judged
              where watch.organization_id = judged.organization_id and watch.rule_id = judged.rule_id
          returning watch.organization_id, watch.rule_id, watch.run_id, watch.due_at is null as is_done),
           opened as (
             insert into svc.rule_runs (organization_id, run_id, rule_id, trigger_type, scheduled_for, due_at, created_at)
             select organization_id, run_id, rule_id, 'THRESHOLD_BASED', svc.now(), svc.now(), svc.now()
               from compared where run_id is not null)
           select is_done as "isDone" from compared`,
    values: [
      claimed.map((each) => each.organization_id),
      claimed.map((each) => each.rule_id),
      claimed.map((each) => each.fence),
      claimed.map(() => newId()),
    ],
  })
  return compared.filter(({ isDone }) => isDone).length
}
