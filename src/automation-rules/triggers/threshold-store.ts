import type { Queryable, Tx } from '../../db/database.ts'
import { type Claimed, type ClaimOptions, claimWork, type WorkTable } from '../../db/work.ts'
import { newId } from '../../lib/ids.ts'
import type { Rule } from '../rule.ts'

export type RuleKey = Pick<Rule, 'organizationId' | 'ruleId'>

/**
 * The balance has to be looked at. While a run is in flight that is kept in mind until it has ended; whoever compares
 * meanwhile knows an older balance, so the fence is raised and their word does not count.
 */
const raise = (dueAt: string) => `due_at = case when watch.run_id is null then ${dueAt} end,
  is_raised = watch.run_id is not null, lease_until = null, fence = watch.fence + 1`

/** From now on the rule waits for its balance; it is looked at once, at first and whenever this is called again. */
export async function watchBalance(
  tx: Tx,
  rule: RuleKey & Pick<Rule, 'customerId' | 'sourcePaymentAccountId' | 'sourceAsset'>,
): Promise<void> {
  await tx.query({
    name: 'watch balance',
    text: `insert into svc.threshold_watches as watch (organization_id, rule_id, customer_id, payment_account_id, asset,
                  due_at)
           values ($1, $2, $3, $4, $5, svc.now())
               on conflict (organization_id, rule_id) do update set ${raise('svc.now()')}`,
    values: [rule.organizationId, rule.ruleId, rule.customerId, rule.sourcePaymentAccountId, rule.sourceAsset],
  })
}

/** The rule was deleted. */
export async function endWatch(tx: Tx, { organizationId, ruleId }: RuleKey): Promise<void> {
  await tx.query({
    name: 'end watch',
    text: `update svc.threshold_watches as watch
              set ended_at = svc.now(), due_at = null, lease_until = null, fence = watch.fence + 1
            where organization_id = $1 and rule_id = $2 and ended_at is null`,
    values: [organizationId, ruleId],
  })
}

/** More can be spent of a wallet than before, because of this transaction if it was one. */
export type BalanceIncrease = {
  organizationId: string
  paymentAccountId: string
  asset: string
  transactionId: string | null
}

/**
 * Money that only goes round is no reason to act at once, or rules would chase it as fast as they can, and pay fees each
 * time: what comes back of the rule's own transaction; and, within the cool-down after the rule moved something, what
 * comes back to its wallet of another rule's, and what arrives from a rule that its own money reaches by way of rules
 * that wait for balances.
 */
const goesRound = `run.rule_id is not null and (run.rule_id = rule.rule_id
  or coalesce((select moved.finished_at from svc.rule_runs as moved
                where moved.organization_id = rule.organization_id and moved.rule_id = rule.rule_id
                  and moved.status = 'EXECUTED'
                order by moved.run_id desc limit 1) > svc.now() - $4 * interval '1 second', false)
     and (maker.source_payment_account_id = rule.source_payment_account_id
          or maker.trigger_type = 'THRESHOLD_BASED' and exists (
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
                where payment_account_id = maker.source_payment_account_id and asset = maker.source_asset)))`

/**
 * Told by every posting and release, in its own transaction; most wallets have nobody who waits for them. Locked in one
 * order by everybody.
 */
export async function recordWalletIncreases(
  tx: Tx,
  raises: readonly BalanceIncrease[],
  coolDownSeconds: number,
): Promise<void> {
  const raised = await tx.query<IncreasedWatch>({
    name: 'hold watches of wallets',
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
      raises.map((each) => each.organizationId),
      raises.map((each) => each.paymentAccountId),
      raises.map((each) => each.asset),
      raises.map((each) => each.transactionId),
    ],
  })
  if (raised.length > 0) await recordWatchIncreases(tx, raised, coolDownSeconds)
}

type IncreasedWatch = RuleKey & Pick<BalanceIncrease, 'transactionId'>

/**
 * Money that only goes round waits as after a run that failed. Nobody can estimate how long the arrays are, so rows are
 * found one at a time.
 */
async function recordWatchIncreases(tx: Tx, raised: readonly IncreasedWatch[], coolDownSeconds: number): Promise<void> {
  await tx.query({
    name: 'raise watches of wallets',
    text: `with judged as (
             select rule.organization_id, rule.rule_id, bool_and(${goesRound}) as goes_round
               from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as raised (organization_id, rule_id, transaction_id)
              cross join lateral (
                    select organization_id, rule_id, source_payment_account_id, destination_payment_account_id,
                           destination_asset
                      from svc.automation_rules
                     where organization_id = raised.organization_id and rule_id = raised.rule_id offset 0) as rule
               left join lateral (
                    select rule_id from svc.rule_runs
                     where organization_id = raised.organization_id and transaction_id = raised.transaction_id
                    offset 0) as run on true
               left join lateral (
                    select trigger_type, source_payment_account_id, source_asset from svc.automation_rules
                     where organization_id = raised.organization_id and rule_id = run.rule_id offset 0) as maker on true
              group by rule.organization_id, rule.rule_id)
           update svc.threshold_watches as watch
              set ${raise(`case when judged.goes_round
                    then coalesce(watch.due_at, svc.now() + $4 * interval '1 second') else svc.now() end`)}
             from judged
            where watch.organization_id = judged.organization_id and watch.rule_id = judged.rule_id`,
    values: [
      raised.map((each) => each.organizationId),
      raised.map((each) => each.ruleId),
      raised.map((each) => each.transactionId),
      coolDownSeconds,
    ],
  })
}

/** The customer has become ACTIVE. */
export async function recordCustomerIncrease(tx: Tx, organizationId: string, customerId: string): Promise<void> {
  await tx.query({
    name: 'raise watches of customer',
    text: `with raised as (
             select organization_id, rule_id from svc.threshold_watches
              where organization_id = $1 and customer_id = $2 and ended_at is null
              order by organization_id, rule_id for no key update)
           update svc.threshold_watches as watch set ${raise('svc.now()')}
             from raised
            where watch.organization_id = raised.organization_id and watch.rule_id = raised.rule_id`,
    values: [organizationId, customerId],
  })
}

const watches: WorkTable = {
  table: 'svc.threshold_watches',
  key: ['organization_id', 'rule_id'],
  dueBy: 'business time',
}

export type ClaimedWatch = Claimed<{ organization_id: string; rule_id: string }>

export function claimWatches(
  database: Queryable,
  options: Pick<ClaimOptions, 'limit' | 'leaseMs'>,
): Promise<ClaimedWatch[]> {
  return claimWork(database, watches, options)
}

/**
 * Compares balances with thresholds, in a statement after the claim: whatever was committed before the claim is seen, and
 * whatever comes later raises the fence. A balance that is enough opens a run; one that is not leaves no trace. Whoever
 * posted while the watch was being made could not raise it: it is compared until all of them are through. Answers how
 * many were compared for good.
 */
export async function compareBalances(database: Queryable, claimed: readonly ClaimedWatch[]): Promise<number> {
  const compared = await database.query<{ isDone: boolean }>({
    name: 'compare balances with thresholds',
    text: `with held as (
             select watch.organization_id, watch.rule_id, claimed.run_id
               from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[])
                    as claimed (organization_id, rule_id, fence, run_id)
               join svc.threshold_watches as watch on watch.organization_id = claimed.organization_id
                and watch.rule_id = claimed.rule_id and watch.fence = claimed.fence
              order by watch.organization_id, watch.rule_id
                for no key update of watch),
           judged as (
             select held.organization_id, held.rule_id,
                    case when rule.status = 'ACTIVE' and rule.deleted_at is null
                          and account.posted - account.reserved >= rule.threshold_units then held.run_id end as run_id
               from held
               join svc.automation_rules as rule
                 on rule.organization_id = held.organization_id and rule.rule_id = held.rule_id
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
