import type { Audit } from '../db/audit/audit.ts'
import type { Database, Queryable } from '../db/database.ts'
import { type Check, type Verification, verify } from '../db/verify.ts'
import type { Caller } from '../lib/caller.ts'
import { newId, platformOrganizationId } from '../lib/ids.ts'
import * as store from './check-store.ts'

export type CheckDeps = {
  database: Database
  audit: Audit
  /** Payouts have just been halted because of these invariants. */
  onHalted(violated: readonly string[]): void
}

/** So many organizations are looked at in one statement. */
const chunk = 100

/** Proves that the ledger is whole; and stops payouts when it is not, until a person says otherwise. */
export function createLedgerCheckService(deps: CheckDeps) {
  const { database, audit } = deps
  const running = new Map<string, Promise<Verification>>()

  const haltIfBroken = async ({ checks }: Verification, actor: string): Promise<void> => {
    const broken = new Set(checks.filter((check) => !check.ok).map((check) => check.name))
    const violated = store.ledgerInvariants.map(({ name }) => name).filter((name) => broken.has(name))
    if (violated.length === 0) return
    const isNew = await database.inTx(async (tx) => {
      const subjectId = newId()
      if (!(await store.insertHalt(tx, subjectId, violated))) return false
      const act = { actor, action: 'payouts.halted', subjectId, details: { violated } }
      await audit.append(tx, { organizationId: platformOrganizationId, ...act })
      return true
    })
    if (isNew) deps.onHalted(violated)
  }

  const checkOwn = async ({ organizationIds, apiKeyId }: Caller): Promise<Verification> => {
    const checks = store.ledgerInvariants.map(
      (invariant): Check => ({
        name: invariant.name,
        find: () => store.findViolations(database, invariant, organizationIds),
      }),
    )
    const result = await verify(database, checks)
    await haltIfBroken(result, `api_key:${apiKeyId}`)
    return result
  }

  return {
    /** For svc verify: every organization. */
    checks: store.ledgerInvariants.map(
      (invariant): Check => ({
        name: invariant.name,
        find: (checked) => findEverywhere(checked, invariant),
      }),
    ),

    /** Of the caller's organizations. It reads much, so who asks again meanwhile gets the answer of the first. */
    check: (caller: Caller): Promise<Verification> => {
      const key = caller.organizationIds.join()
      const already = running.get(key)
      if (already) return already
      const started = checkOwn(caller).finally(() => running.delete(key))
      running.set(key, started)
      return started
    },

    haltIfBroken,

    /** Asked in the transaction that lets a payout leave. */
    arePayoutsHalted: (queryable: Queryable): Promise<boolean> => store.areHalted(queryable),

    /** A person has looked. While the ledger is still broken this needs force, and the next check halts again. */
    resumePayouts: async ({ reason, force }: { reason: string; force: boolean }): Promise<ResumeOutcome> => {
      const violated = force ? [] : await findBroken(database)
      if (violated.length > 0) return { outcome: 'STILL_BROKEN', violated }
      const haltId = await database.inTx(async (tx) => {
        const ended = await store.endHalt(tx, reason)
        if (!ended) return undefined
        const act = { actor: 'command line', action: 'payouts.resumed', subjectId: ended, details: { reason, force } }
        await audit.append(tx, { organizationId: platformOrganizationId, ...act })
        return ended
      })
      return { outcome: haltId ? 'RESUMED' : 'NOT_HALTED' }
    },
  }
}

export type ResumeOutcome = { outcome: 'RESUMED' | 'NOT_HALTED' } | { outcome: 'STILL_BROKEN'; violated: string[] }

async function findBroken(database: Database): Promise<string[]> {
  const broken = []
  for (const invariant of store.ledgerInvariants) {
    if ((await findEverywhere(database, invariant)).length > 0) broken.push(invariant.name)
  }
  return broken
}

async function findEverywhere(database: Database, invariant: store.Invariant): Promise<string[]> {
  const organizationIds = await store.listOrganizations(database)
  const violations: string[] = []
  for (let at = 0; at < organizationIds.length; at += chunk) {
    const some = organizationIds.slice(at, at + chunk)
    violations.push(...(await store.findViolationsPatiently(database, invariant, some)))
  }
  return violations
}
