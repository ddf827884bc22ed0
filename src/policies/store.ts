import type { Queryable, Tx } from '../db/database.ts'
import type { Due } from '../db/work.ts'
import { anyDue, businessNow, firstOf } from '../db/workers/due.ts'
import { newId } from '../lib/ids.ts'
import type { CompiledRule, Policy, PolicyOwner, WrittenRule } from './policy.ts'

type StoredPolicy = Policy & { owner: PolicyOwner }

export function findPolicies(database: Queryable, organizationId: string): Promise<StoredPolicy[]> {
  return database.query<StoredPolicy>({
    name: 'find policies',
    text: `select organization_id as "organizationId", owner, version, document as rules, updated_at as "updatedAt"
             from svc.policies where organization_id = $1`,
    values: [organizationId],
  })
}

/** The rules of the platform for the parent of an organization. */
export async function findInheritedRules(database: Queryable, organizationId: string): Promise<WrittenRule[]> {
  const [found] = await database.query<{ rules: WrittenRule[] }>({
    name: 'find rules of the parent',
    text: `select policy.document as rules from svc.organizations as child
             join svc.policies as policy on policy.organization_id = child.parent_organization_id
              and policy.owner = 'PLATFORM'
            where child.organization_id = $1`,
    values: [organizationId],
  })
  return found?.rules ?? []
}

/** Locks the policies of an organization, also when it has none yet: one change follows the other. */
export async function lockPolicies(tx: Tx, organizationId: string): Promise<void> {
  await tx.query({
    name: 'lock policies',
    text: `select pg_advisory_xact_lock(hashtextextended($1, 0))`,
    values: [`policies of ${organizationId}`],
  })
}

/**
 * Those of the names that are time zones of the database, which evaluates quiet hours. Converting a time is no test: the
 * database takes any letters before a number for a zone of its own with that offset.
 */
export async function findTimeZones(tx: Tx, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const known = await tx.query<{ name: string }>({
    name: 'find time zones of a policy',
    text: `select wanted.name from unnest($1::text[]) as wanted (name)
            where lower(wanted.name) in (select lower(zone.name) from pg_timezone_names as zone)`,
    values: [names],
  })
  return new Set(known.map(({ name }) => name))
}

export async function savePolicy(
  tx: Tx,
  organizationId: string,
  owner: PolicyOwner,
  rules: readonly WrittenRule[],
): Promise<void> {
  await tx.query({
    name: 'save policy',
    text: `insert into svc.policies as policy (organization_id, owner, version, document, updated_at)
           values ($1, $2, 1, $3, date_trunc('milliseconds', svc.now()))
               on conflict (organization_id, owner) do update
              set version = policy.version + 1, document = excluded.document, updated_at = excluded.updated_at`,
    values: [organizationId, owner, JSON.stringify(rules)],
  })
}

/**
 * Replaces the rules of a policy. A rule that was there before keeps its counters while its kind and subject stay, and
 * an account that it allowed before keeps the time since which it has been listed.
 */
export async function replaceRules(
  tx: Tx,
  organizationId: string,
  owner: PolicyOwner,
  rules: readonly CompiledRule[],
): Promise<void> {
  await tx.query({
    name: 'end rules of a policy',
    text: `update svc.policy_rules set ended_at = svc.now()
            where organization_id = $1 and owner = $2 and rule_id <> all($3) and ended_at is null`,
    values: [organizationId, owner, rules.map(({ ruleId }) => ruleId)],
  })
  await upsertRules(tx, organizationId, owner, rules)
}

/** Holds while there is an ended rule, or a counter of a former month, to purge. */
export const hasSpent: Due = anyDue(
  firstOf(`svc.policy_rules where ended_at < ${businessNow} - interval '1 day' order by ended_at`),
  firstOf(`svc.policy_counters where month_start < date_trunc('month', ${businessNow} - interval '1 day', 'UTC')
     order by month_start`),
)

/** Deletes rules that have ended and counters of former months, at most this many of each, and answers how many. */
export async function purgePolicies(database: Queryable, limit: number): Promise<number> {
  const [purged] = await database.query<{ deleted: number }>({
    name: 'purge policies',
    text: 'select svc.purge_policies($1)::integer as deleted',
    values: [limit],
  })
  return purged?.deleted ?? 0
}

const replaced = [
  'position',
  'kind',
  'api_key_ids',
  'customer_ids',
  'destination_ids',
  'methods',
  'per',
  'transaction_max',
  'hour_max',
  'day_max',
  'month_max',
  'allowed_ids',
  'cooling',
  'approval_above',
  'approvals_needed',
  'approver_ids',
  'approval_lifetime',
  'quiet_from',
  'quiet_to',
  'time_zone',
  'quiet_days',
  'ended_at',
]

async function upsertRules(
  tx: Tx,
  organizationId: string,
  owner: PolicyOwner,
  rules: readonly CompiledRule[],
): Promise<void> {
  await tx.query({
    name: 'upsert rules of a policy',
    text: `insert into svc.policy_rules as rule (organization_id, owner, rule_id, position, kind, api_key_ids,
                  customer_ids, destination_ids, methods, per, transaction_max, hour_max, day_max, month_max, counter_id,
                  allowed_ids, listed_at, cooling, approval_above, approvals_needed, approver_ids, approval_lifetime,
                  quiet_from, quiet_to, time_zone, quiet_days)
           select $1, $2, rule_id, number, kind, api_key_ids, customer_ids, destination_ids, methods, per,
                  transaction_max, hour_max, day_max, month_max, new_counter_id, allowed_ids,
                  case when allowed_ids is not null then array_fill(svc.now(), array[cardinality(allowed_ids)]) end,
                  cooling_hours * interval '1 hour',
                  approval_above, approvals_needed, approver_ids, approval_hours * interval '1 hour', quiet_from,
                  quiet_to, time_zone, quiet_days
             from json_to_recordset($3) as written (number integer, rule_id text, kind text, api_key_ids uuid[],
                  customer_ids uuid[], destination_ids uuid[], methods text[], per text, transaction_max numeric,
                  hour_max numeric, day_max numeric, month_max numeric, new_counter_id uuid, allowed_ids uuid[],
                  cooling_hours integer, approval_above numeric, approvals_needed integer, approver_ids uuid[],
                  approval_hours integer, quiet_from time, quiet_to time, time_zone text, quiet_days integer[])
               on conflict (organization_id, owner, rule_id) do update
              set ${replaced.map((column) => `${column} = excluded.${column}`).join(', ')},
                  counter_id = case when rule.ended_at is null and rule.kind = excluded.kind
                                     and rule.per is not distinct from excluded.per
                                    then rule.counter_id else excluded.counter_id end,
                  listed_at = case when excluded.allowed_ids is not null then array(
                    select coalesce(case when rule.ended_at is null
                                         then rule.listed_at[array_position(rule.allowed_ids, allowed_id)] end, svc.now())
                      from unnest(excluded.allowed_ids) with ordinality as allowed (allowed_id, place)
                     order by place) end`,
    values: [organizationId, owner, JSON.stringify(rules.map(asRecord))],
  })
}

function asRecord(rule: CompiledRule, place: number) {
  return {
    number: place,
    rule_id: rule.ruleId,
    kind: rule.kind,
    api_key_ids: rule.apiKeyIds,
    customer_ids: rule.customerIds,
    destination_ids: rule.destinationIds,
    methods: rule.methods,
    per: rule.per,
    transaction_max: rule.transactionMax,
    hour_max: rule.hourMax,
    day_max: rule.dayMax,
    month_max: rule.monthMax,
    new_counter_id: newId(),
    allowed_ids: rule.allowedIds,
    cooling_hours: rule.coolingHours,
    approval_above: rule.approvalAbove,
    approvals_needed: rule.approvalsNeeded,
    approver_ids: rule.approverIds,
    approval_hours: rule.approvalHours,
    quiet_from: rule.quietFrom,
    quiet_to: rule.quietTo,
    time_zone: rule.timeZone,
    quiet_days: rule.quietDays,
  }
}
