import type { Queryable, Tx } from '../../db/database.ts'
import { type Claimed, type ClaimOptions, claimWork, type WorkTable } from '../../db/work.ts'
import { dueIn } from '../../db/workers/due.ts'
import { columns as ruleColumns } from '../store.ts'
import type { DueRun, RunOutcome } from './due-run.ts'
import { type Run, runMoves } from './run.ts'

const runs: WorkTable = {
  table: 'svc.rule_runs',
  key: ['organization_id', 'rule_id', 'run_id'],
  dueBy: 'business time',
}

export const dueRuns = dueIn(runs)

export type ClaimedRun = Claimed<{ organization_id: string; rule_id: string; run_id: string }>

export function claimRuns(
  database: Queryable,
  options: Pick<ClaimOptions, 'limit' | 'leaseMs'>,
): Promise<ClaimedRun[]> {
  return claimWork(database, runs, options)
}

/** A claimed run. Reads and writes match on its fence, so a worker that lost the lease changes nothing. */
export type RunClaim = Pick<DueRun, 'organizationId' | 'ruleId' | 'runId' | 'fence'>

/**
 * Reads each run with its rule, customer status and available balance. The planner cannot estimate the length of the
 * arrays, so `offset 0` makes it look up each row by its key.
 */
export function readDueRuns(database: Queryable, claims: readonly RunClaim[]): Promise<DueRun[]> {
  return database.query<DueRun>({
    name: 'read due rule runs',
    text: `select ${ruleColumns}, run.run_id as "runId", run.fence, run.tries, customer.status as "customerStatus",
                  organization.tier, organization.is_suspended as "isSuspended", coalesce(account.posted - account.reserved, 0) as available
             from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[])
                  as claimed (organization_id, rule_id, run_id, fence)
            cross join lateral (
                  select run_id, fence, tries from svc.rule_runs
                   where organization_id = claimed.organization_id and rule_id = claimed.rule_id
                     and run_id = claimed.run_id and fence = claimed.fence and status = 'PENDING' offset 0) as run
             join svc.automation_rules as rule
               on rule.organization_id = claimed.organization_id and rule.rule_id = claimed.rule_id
            cross join lateral (
                  select tier, suspended_at is not null as is_suspended from svc.organizations
                   where organization_id = claimed.organization_id
                  offset 0) as organization
             left join lateral (
                  select status from svc.customers
                   where organization_id = claimed.organization_id and customer_id = rule.customer_id
                  offset 0) as customer on true
             left join lateral (
                  select posted, reserved from svc.ledger_accounts
                   where organization_id = claimed.organization_id and kind = 'WALLET'
                     and holder = rule.source_payment_account_id::text and asset = rule.source_asset
                  offset 0) as account on true`,
    values: claimValues(claims),
  })
}

/** Locks the rules that have not changed since they were read, and returns their ids. A change waits until tx ends. */
export async function lockUnchangedRules(tx: Tx, dueRuns: readonly DueRun[]): Promise<Set<string>> {
  const locked = await tx.query<{ ruleId: string }>({
    name: 'lock unchanged rules of runs',
    text: `select rule.rule_id as "ruleId"
             from unnest($1::uuid[], $2::uuid[], $3::integer[]) as dueRun (organization_id, rule_id, version)
             join svc.automation_rules as rule on rule.organization_id = dueRun.organization_id
              and rule.rule_id = dueRun.rule_id and rule.version = dueRun.version
            order by rule.organization_id, rule.rule_id
              for share of rule`,
    values: [
      dueRuns.map((dueRun) => dueRun.organizationId),
      dueRuns.map((dueRun) => dueRun.ruleId),
      dueRuns.map((dueRun) => dueRun.version),
    ],
  })
  return new Set(locked.map(({ ruleId }) => ruleId))
}

export type FinishedRun = RunClaim & Exclude<RunOutcome, { move: 'retry' | 'leave' }>

/** Finishes the runs that this worker still holds, and returns them. */
export function finishRuns(tx: Tx, finished: readonly FinishedRun[]): Promise<Run[]> {
  return tx.query<Run>({
    name: 'finish rule runs',
    text: `update svc.rule_runs as run
              set status = finished.status, reason = finished.reason, amount = finished.amount,
                  quote_id = finished.quote_id, transaction_id = finished.transaction_id, due_at = null,
                  lease_until = null, finished_at = svc.now()
             from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::numeric[],
                         $8::uuid[], $9::uuid[])
                  as finished (organization_id, rule_id, run_id, fence, status, reason, amount, quote_id, transaction_id)
            where run.organization_id = finished.organization_id and run.rule_id = finished.rule_id and run.run_id = finished.run_id
              and run.fence = finished.fence and run.status = 'PENDING'
        returning run.organization_id as "organizationId", run.run_id as "runId", run.rule_id as "ruleId",
                  run.trigger_type as "triggerType", run.scheduled_for as "scheduledFor", run.status, run.reason,
                  run.amount, run.quote_id as "quoteId", run.transaction_id as "transactionId",
                  run.created_at as "createdAt", run.finished_at as "finishedAt"`,
    values: [
      ...claimValues(finished),
      finished.map(({ move }) => runMoves[move].to),
      finished.map((each) => ('reason' in each ? each.reason : null)),
      finished.map((each) => ('amount' in each ? each.amount : null)),
      finished.map((each) => ('quoteId' in each ? each.quoteId : null)),
      finished.map((each) => ('transactionId' in each ? each.transactionId : null)),
    ],
  })
}

export type ReleasedWatch = { organizationId: string; ruleId: string; coolDownSeconds: number | undefined }

/** Releases the watches of finished runs. A balance that increased during the run is compared at once. */
export async function releaseWatches(tx: Tx, watches: readonly ReleasedWatch[]): Promise<void> {
  if (watches.length === 0) return
  await tx.query({
    name: 'release threshold watches',
    text: `with released as (
             select watch.organization_id, watch.rule_id, ended.cool_down
               from unnest($1::uuid[], $2::uuid[], $3::integer[]) as ended (organization_id, rule_id, cool_down)
               join svc.threshold_watches as watch
                 on watch.organization_id = ended.organization_id and watch.rule_id = ended.rule_id
              order by watch.organization_id, watch.rule_id
                for no key update of watch)
           update svc.threshold_watches as watch
              set run_id = null, is_raised = false,
                  due_at = case when watch.ended_at is not null then null
                                when watch.is_raised then svc.now()
                                else svc.now() + released.cool_down * interval '1 second' end
             from released
            where watch.organization_id = released.organization_id and watch.rule_id = released.rule_id`,
    values: [
      watches.map((watch) => watch.organizationId),
      watches.map((watch) => watch.ruleId),
      watches.map((watch) => watch.coolDownSeconds ?? null),
    ],
  })
}

export type RetriedRun = RunClaim & Extract<RunOutcome, { move: 'retry' }>

/** Makes PENDING runs due again. A retry without delay, after a change of rule or balance, does not count as a try. */
export async function retryRuns(database: Queryable, retried: readonly RetriedRun[]): Promise<void> {
  if (retried.length === 0) return
  await database.query({
    name: 'retry rule runs',
    text: `update svc.rule_runs as run
              set reason = retried.reason, tries = run.tries + (retried.in_seconds > 0)::integer, lease_until = null,
                  due_at = svc.now() + retried.in_seconds * interval '1 second'
             from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::integer[])
                  as retried (organization_id, rule_id, run_id, fence, reason, in_seconds)
            where run.organization_id = retried.organization_id and run.rule_id = retried.rule_id and run.run_id = retried.run_id
              and run.fence = retried.fence and run.status = 'PENDING'`,
    values: [...claimValues(retried), retried.map(({ reason }) => reason), retried.map(({ inSeconds }) => inSeconds)],
  })
}

function claimValues(claims: readonly RunClaim[]): [string[], string[], string[], string[]] {
  return [
    claims.map((claim) => claim.organizationId),
    claims.map((claim) => claim.ruleId),
    claims.map((claim) => claim.runId),
    claims.map((claim) => claim.fence),
  ]
}
