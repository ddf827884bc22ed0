import type { Queryable } from '../../db/database.ts'
import type { Check } from '../../db/verify.ts'

/** A run is tried for a quarter of an hour. By both clocks, because the sandbox's can be moved. */
const patience = "interval '30 minutes'"

/** What must hold of rules and their runs. */
export const runChecks: readonly Check[] = [
  {
    name: 'a rule has one run for each minute of its schedule',
    sql: `select format('rule %s of organization %s has %s runs of %s', rule_id, organization_id, count(*), minute)
                 as violation
            from (select organization_id, rule_id, date_trunc('minute', scheduled_for) as minute from svc.rule_runs
                   where trigger_type = 'TIME_BASED') as runs
           group by organization_id, rule_id, minute having count(*) > 1`,
  },
  {
    name: 'no run is forgotten',
    sql: `select format('run %s of organization %s has been due since %s', run_id, organization_id, due_at) as violation
            from svc.rule_runs
           where status = 'PENDING' and due_at < svc.now() - ${patience}
             and opened_at < clock_timestamp() - ${patience}`,
  },
  {
    name: 'a run that was executed has its transaction, on the terms of its rule',
    sql: `select format('run %s of organization %s and its transaction do not belong together', run.run_id,
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
    name: 'what a run has made is recorded',
    sql: `select format('a transaction was made by run %s of organization %s, which is not EXECUTED', idempotency_key,
                   key.organization_id) as violation
            from svc.idempotency_keys as key
            left join svc.rule_runs as run
              on run.organization_id = key.organization_id and run.run_id::text = key.idempotency_key
           where key.route = 'automation rule run' and run.status is distinct from 'EXECUTED'`,
  },
  {
    name: 'every rule that waits for a balance is watched, and waits for no run that is over',
    sql: `select format('rule %s of organization %s waits for nothing', rule.rule_id, rule.organization_id) as violation
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

/** Seconds since the longest due rule or run should have been taken up; 0 when nothing is due. */
export async function readRunLag(database: Queryable): Promise<number> {
  const [row] = await database.query<{ lag: number }>({
    name: 'read lag of rules',
    text: `select greatest(0, extract(epoch from svc.now() - least(
                    (select min(next_run_at) from svc.automation_rules where next_run_at is not null),
                    (select min(due_at) from svc.rule_runs where due_at is not null),
                    (select min(due_at) from svc.threshold_watches where due_at is not null))))::float8 as lag`,
  })
  return row?.lag ?? 0
}
