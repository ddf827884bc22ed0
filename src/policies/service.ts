import { isDeepStrictEqual } from 'node:util'
import type { Audit } from '../db/audit/audit.ts'
import type { Database, Tx } from '../db/database.ts'
import type { Duty } from '../db/duties.ts'
import { appendEvent } from '../db/outbox/events.ts'
import type { Caller } from '../lib/caller.ts'
import { badField, badFields, notFound, Refusal } from '../lib/refusal.ts'
import { compileRules, foreignTimeZones } from './compile-rules.ts'
import type { Policy, PolicyOwner, WrittenRule } from './policy.ts'
import * as store from './store.ts'

export type PolicyService = ReturnType<typeof createPolicyService>
export type PolicyDeps = {
  database: Database
  audit: Audit
  /** Who acts on the command line. */
  actor: string
}

/** The policy of an organization, and the rules of the platform that bind it in addition. */
export type BindingPolicies = {
  own: Policy
  platform: Policy
  /** The rules of the platform for its parent, which bind a child as well. */
  inherited: readonly WrittenRule[]
}

type PolicyChange = { rules: readonly WrittenRule[]; version?: number; reason?: string }

/** The rule with which the platform halts the payouts of an organization. No other rule of the platform has its id. */
const halt: WrittenRule = { ruleId: 'halt', kind: 'KILL_SWITCH' }

const hourMs = 3_600_000
const purgedTogether = 5_000

export function createPolicyService(deps: PolicyDeps) {
  const { database, actor } = deps
  return {
    read: (caller: Caller, organizationId: string | undefined): Promise<BindingPolicies> =>
      readPolicies(database, requireOwn(caller, organizationId)),

    /** Replaces the policy of an organization. Applies to every payment that is asked for afterwards. */
    replace: (caller: Caller, organizationId: string | undefined, change: PolicyChange): Promise<BindingPolicies> =>
      replace(deps, {
        organizationId: requireOwn(caller, organizationId),
        owner: 'ORGANIZATION',
        actor: `api_key:${caller.apiKeyId}`,
        change,
      }),

    readAsPlatform: (organizationId: string): Promise<BindingPolicies> => readPolicies(database, organizationId),

    /**
     * Replaces the rules of the platform for an organization, which no key of the organization can change. A halt stays:
     * only `resume` ends it.
     */
    replaceAsPlatform: async (organizationId: string, change: PolicyChange): Promise<BindingPolicies> => {
      refuseHalt(change.rules)
      return replace(deps, { organizationId, owner: 'PLATFORM', actor, change, keeps: isHalt })
    },

    /** Halts the payouts of an organization. False when they were halted before. */
    halt: (organizationId: string, reason: string): Promise<boolean> =>
      changeHalt(deps, organizationId, reason, (others) => [halt, ...others]),

    /** Ends the halt. False when there was none. */
    resume: (organizationId: string, reason: string): Promise<boolean> =>
      changeHalt(deps, organizationId, reason, (others) => others),
  }
}

/** Deletes what no payment is weighed against any more: rules that have ended, and counters of former months. */
export function purgePoliciesDuty(database: Database): Duty {
  return {
    name: 'purge policies',
    everyMs: hourMs,
    due: store.hasSpent,
    run: () => store.purgePolicies(database, purgedTogether),
    pauseMs: (deleted) => (typeof deleted === 'number' && deleted >= purgedTogether ? 0 : hourMs),
  }
}

/** Finds the organization that the caller means: its own, or a child. */
function requireOwn(caller: Caller, organizationId: string | undefined): string {
  const id = organizationId?.toLowerCase() ?? caller.organizationId
  if (!caller.organizationIds.includes(id)) throw notFound()
  return id
}

async function readPolicies(database: Database | Tx, organizationId: string): Promise<BindingPolicies> {
  const found = await store.findPolicies(database, organizationId)
  const none = { organizationId, version: 0, rules: [], updatedAt: new Date(0) }
  const of = (owner: PolicyOwner) => found.find((policy) => policy.owner === owner) ?? none
  const inherited = await store.findInheritedRules(database, organizationId)
  return { own: of('ORGANIZATION'), platform: of('PLATFORM'), inherited }
}

function isHalt({ ruleId }: WrittenRule): boolean {
  return ruleId === halt.ruleId
}

function refuseHalt(rules: readonly WrittenRule[]): void {
  const at = rules.findIndex(isHalt)
  if (at >= 0) throw badField(`rules[${at}].ruleId`, 'is the id of the halt, which svc policies halt and resume change')
}

/** Changes the halt under the version that was read, so that no change of the other rules is lost. */
async function changeHalt(
  deps: PolicyDeps,
  organizationId: string,
  reason: string,
  change: (others: WrittenRule[]) => WrittenRule[],
): Promise<boolean> {
  const { version, rules: before } = (await readPolicies(deps.database, organizationId)).platform
  const rules = change(before.filter((rule) => !isHalt(rule)))
  if (isDeepStrictEqual(rules, before)) return false
  const { actor } = deps
  await replace(deps, { organizationId, owner: 'PLATFORM', actor, change: { rules, version, reason } })
  return true
}

type Replacement = {
  organizationId: string
  owner: PolicyOwner
  actor: string
  change: PolicyChange
  /** The rules of before that stay, in addition to the new ones. */
  keeps?: (rule: WrittenRule) => boolean
}

async function replace(
  { database, audit }: PolicyDeps,
  { organizationId, owner, actor, change, keeps = () => false }: Replacement,
): Promise<BindingPolicies> {
  const checked = compileRules(change.rules)
  if (!checked.ok) throw badFields(checked.problems)
  return database.inTx(async (tx) => {
    const timeZones = change.rules.flatMap(({ timeZone }) => timeZone ?? [])
    const problems = foreignTimeZones(change.rules, await store.findTimeZones(tx, timeZones))
    if (problems.length > 0) throw badFields(problems)
    await store.lockPolicies(tx, organizationId)
    const policies = await readPolicies(tx, organizationId)
    const before = owner === 'PLATFORM' ? policies.platform : policies.own
    if (change.version !== undefined && change.version !== before.version)
      throw new Refusal('CONFLICT', `The policy has version ${before.version} by now: read it, and change that`)
    const rules = [...before.rules.filter(keeps), ...change.rules]
    const compiled = compileRules(rules)
    if (!compiled.ok) throw badFields(compiled.problems)
    await store.savePolicy(tx, organizationId, owner, rules)
    await store.replaceRules(tx, organizationId, owner, compiled.value)
    await audit.append(tx, {
      organizationId,
      actor,
      action: 'policy.changed',
      subjectId: organizationId,
      details: {
        owner,
        ...(change.reason === undefined ? {} : { reason: change.reason }),
        changes: { rules: { from: before.rules, to: rules } },
      },
    })
    const after = await readPolicies(tx, organizationId)
    await tell(tx, after, { owner, actor, changedRules: listChanged(before.rules, rules) })
    return after
  })
}

/** Tells the organization of a change, one by the platform included. */
async function tell(
  tx: Tx,
  { own, platform }: BindingPolicies,
  { owner, actor, changedRules }: { owner: PolicyOwner; actor: string; changedRules: string[] },
): Promise<void> {
  const { organizationId, updatedAt } = owner === 'PLATFORM' ? platform : own
  const version = own.version + platform.version
  const key = owner === 'ORGANIZATION' ? { apiKeyId: actor.replace('api_key:', '') } : {}
  const data = { organizationId, version, ...key, changedRules, updatedAt: updatedAt.toISOString() }
  const event = { type: 'policy.updated', resourceId: organizationId, resourceVersion: version, data } as const
  await appendEvent(tx, { organizationId, ...event })
}

function listChanged(before: readonly WrittenRule[], after: readonly WrittenRule[]): string[] {
  const of = (rules: readonly WrittenRule[]) => new Map(rules.map((rule) => [rule.ruleId, JSON.stringify(rule)]))
  const [old, now] = [of(before), of(after)]
  return [...new Set([...old.keys(), ...now.keys()])].filter((ruleId) => old.get(ruleId) !== now.get(ruleId))
}
