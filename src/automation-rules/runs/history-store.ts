import type { Queryable } from '../../db/database.ts'
import type { PageSlice } from '../../lib/pages.ts'
import type { Rule } from '../rule.ts'
import type { Run, RunStatus } from './run.ts'

const columns = `run.organization_id as "organizationId", run.run_id as "runId", run.rule_id as "ruleId",
  run.trigger_type as "triggerType", run.scheduled_for as "scheduledFor", run.status, run.reason, run.amount,
  run.quote_id as "quoteId", run.transaction_id as "transactionId", run.created_at as "createdAt",
  run.finished_at as "finishedAt"`

/** Lists runs, newest first (ids grow with time). */
export function listRuns(
  database: Queryable,
  { organizationId, ruleId }: Pick<Rule, 'organizationId' | 'ruleId'>,
  status: RunStatus | undefined,
  { after, limit }: PageSlice,
): Promise<Run[]> {
  return database.query<Run>({
    name: 'list runs of automation rule',
    text: `select ${columns} from svc.rule_runs as run
            where run.organization_id = $1 and run.rule_id = $2 and ($3::uuid is null or run.run_id < $3)
              and ($4::text is null or run.status = $4)
            order by run.run_id desc limit $5`,
    values: [organizationId, ruleId, after ?? null, status ?? null, limit],
  })
}

/** Finds the newest run of each rule that has one. */
export function findLastRuns(database: Queryable, rules: readonly Rule[]): Promise<Run[]> {
  return database.query<Run>({
    name: 'find last runs of automation rules',
    text: `select ${columns}
             from unnest($1::uuid[], $2::uuid[]) as rule (organization_id, rule_id)
            cross join lateral (
              select newest.run_id from svc.rule_runs as newest
               where newest.organization_id = rule.organization_id and newest.rule_id = rule.rule_id
               order by newest.run_id desc limit 1) as last
             join svc.rule_runs as run on run.organization_id = rule.organization_id
              and run.rule_id = rule.rule_id and run.run_id = last.run_id`,
    values: [rules.map((rule) => rule.organizationId), rules.map((rule) => rule.ruleId)],
  })
}
