import type { Tx } from '../../db/database.ts'
import { businessNow, firstOf } from '../../db/workers/due.ts'
import { newId } from '../../lib/ids.ts'

export type DueRule = {
  organizationId: string
  ruleId: string
  cronSchedule: string
  nextRunAt: Date
  /** Business time of this read. */
  now: Date
}

/** Holds while the next minute of a rule has come. */
export const dueRules = firstOf(`svc.automation_rules where next_run_at <= ${businessNow} order by next_run_at`)

/** Locks due rules, longest due first. Two workers never get the same rule (`skip locked`). */
export function lockDueRules(tx: Tx, limit: number): Promise<DueRule[]> {
  return tx.query<DueRule>({
    name: 'lock due rules',
    text: `select organization_id as "organizationId", rule_id as "ruleId", cron_schedule as "cronSchedule",
                  next_run_at as "nextRunAt", svc.now() as now
             from svc.automation_rules where next_run_at <= svc.now()
            order by next_run_at, rule_id limit $1 for no key update skip locked`,
    values: [limit],
  })
}

export type OpenedRun = Pick<DueRule, 'organizationId' | 'ruleId'> & { scheduledFor: Date; nextRunAt: Date | undefined }

/** Opens a run for each rule and sets its next minute. At most one run per rule and minute (unique index). */
export async function openRuns(tx: Tx, runs: readonly OpenedRun[]): Promise<number> {
  const opened = await tx.query<{ runId: string }>({
    name: 'open rule runs',
    text: `with moved as (
             update svc.automation_rules as rule set next_run_at = due.next_run_at
               from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::uuid[])
                    as due (organization_id, rule_id, scheduled_for, next_run_at, run_id)
              where rule.organization_id = due.organization_id and rule.rule_id = due.rule_id
          returning rule.organization_id, rule.rule_id, due.scheduled_for, due.run_id)
           insert into svc.rule_runs (organization_id, run_id, rule_id, trigger_type, scheduled_for, due_at, created_at)
           select organization_id, run_id, rule_id, 'TIME_BASED', scheduled_for, svc.now(), svc.now() from moved
               on conflict (organization_id, rule_id, scheduled_for) where trigger_type = 'TIME_BASED' do nothing
        returning run_id as "runId"`,
    values: [
      runs.map((run) => run.organizationId),
      runs.map((run) => run.ruleId),
      runs.map((run) => run.scheduledFor),
      runs.map((run) => run.nextRunAt ?? null),
      runs.map(() => newId()),
    ],
  })
  return opened.length
}
