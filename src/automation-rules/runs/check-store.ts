import type { Queryable } from '../../db/database.ts'
import type { Check } from '../../db/verify.ts'

/** Twice the 15 minutes a run is retried. Compared on both clocks, because the sandbox can advance business time. */
const overdueAfter = "interval '30 minutes'"

/** Invariants of rules and their runs. */
export const runChecks: readonly Check[] = [
  {
    isMoney: true,
    name: 'a rule has at most one run for each minute of its schedule',
    sql: `select format('rule %s of organization %s has %s runs of %s', rule_id, organization_id, count(*), minute)
                 as violation
            from (select organization_id, rule_id, date_trunc('minute', scheduled_for) as minute from svc.rule_runs
                   where trigger_type = 'TIME_BASED') as runs
           group by organization_id, rule_id, minute having count(*) > 1`,
  },
  {
    name: 'no PENDING run is overdue',
    sql: `select format('run %s of organization %s has been due since %s', run_id, organization_id, due_at) as violation
            from svc.rule_runs
           where status = 'PENDING' and due_at < svc.now() - ${overdueAfter}
             and opened_at < clock_timestamp() - ${overdueAfter}`,
  },
  {
    isMoney: true,
    name: 'an EXECUTED run has a transaction on the terms of its rule',
    sql: `select format('run %s of organization %s and its transaction disagree on the terms', run.run_id,
                   run.organization_id) as violation
            from svc.rule_runs as run
            left join svc.automation_rules as rule
              on rule.organization_id = run.organization_id and rule.rule_id = run.rule_id
            left join svc.transactions as transaction
              on transaction.organization_id = run.organization_id and transaction.transaction_id = run.transaction_id
           where run.status = 'EXECUTED'
             and (rule.customer_id, rule.source_payment_account_id, rule.source_asset, run.amount, run.quote_id)
                 is distinct from (transaction.customer_id, transaction.source_payment_account_id,
                   transaction.source_asset, transaction.source_amount, transaction.quote_id)`,
  },
  {
    isMoney: true,
    name: 'a run that created a transaction is EXECUTED',
    sql: `select format('run %s of organization %s created a transaction and is not EXECUTED', idempotency_key,
                   key.organization_id) as violation
            from svc.idempotency_keys as key
            left join svc.rule_runs as run
              on run.organization_id = key.organization_id and run.run_id::text = key.idempotency_key
           where key.route = 'automation rule run' and run.status is distinct from 'EXECUTED'`,
  },
  {
    name: 'no ACTIVE rule pays for a revoked key',
    sql: `select format('rule %s of organization %s pays for the revoked key %s', rule.rule_id, rule.organization_id,
                   rule.api_key_id) as violation
            from svc.automation_rules as rule
            join svc.api_keys as key on key.api_key_id = rule.api_key_id
           where rule.status = 'ACTIVE' and rule.deleted_at is null and key.revoked_at is not null`,
  },
  {
    name: 'every threshold rule has a live watch that waits for no finished run',
    sql: `select format('rule %s of organization %s has no live watch', rule.rule_id, rule.organization_id) as violation
            from svc.automation_rules as rule
            left join svc.threshold_watches as watch
              on watch.organization_id = rule.organization_id and watch.rule_id = rule.rule_id
            left join svc.rule_runs as run
              on run.organization_id = watch.organization_id and run.run_id = watch.run_id
           where rule.trigger_type = 'THRESHOLD_BASED' and rule.deleted_at is null
             and (watch.rule_id is null or watch.ended_at is not null
                  or (watch.run_id is not null and run.status is distinct from 'PENDING'))`,
  },
]

/** Reads the age in seconds of the oldest due rule, run or watch; 0 when nothing is due. */
export async function readRunLag(database: Queryable): Promise<number> {
  const [found] = await database.query<{ lag: number }>({
    name: 'read lag of rules',
    text: `select greatest(0, extract(epoch from svc.now() - least(
                    (select min(next_run_at) from svc.automation_rules where next_run_at is not null),
                    (select min(due_at) from svc.rule_runs where due_at is not null),
                    (select min(due_at) from svc.threshold_watches where due_at is not null))))::float8 as lag`,
  })
  return found?.lag ?? 0
}
