import type { Audit } from '../db/audit/audit.ts'
import type { Database, Queryable } from '../db/database.ts'
import { type Check, type InvariantReport, verify } from '../db/verify.ts'
import type { Caller } from '../lib/caller.ts'
import { newId, platformOrganizationId } from '../lib/ids.ts'
import * as store from './check-store.ts'

export type CheckDeps = {
  database: Database
  audit: Audit
  /** Reports that payouts have just been halted because of these invariants. */
  onHalted(violated: readonly string[]): void
}

const organizationsPerStatement = 100

/** Checks the invariants of the ledger, and halts payouts when one is violated until an operator resumes them. */
export function createLedgerCheckService(deps: CheckDeps) {
  const { database, audit } = deps
  const running = new Map<string, Promise<InvariantReport>>()

  const haltIfBroken = async ({ checks }: InvariantReport, actor: string): Promise<void> => {
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

  const checkOrganizations = async ({ organizationIds, apiKeyId }: Caller): Promise<InvariantReport> => {
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
    /** The checks of `svc verify`, over every organization. */
    checks: store.ledgerInvariants.map(
      (invariant): Check => ({
        name: invariant.name,
        find: (checked) => findAllViolations(checked, invariant),
      }),
    ),

    /** Checks the caller's organizations. Concurrent requests share one run, because it reads every entry. */
    check: (caller: Caller): Promise<InvariantReport> => {
      const key = caller.organizationIds.join()
      const current = running.get(key)
      if (current) return current
      const started = checkOrganizations(caller).finally(() => running.delete(key))
      running.set(key, started)
      return started
    },

    haltIfBroken,

    /** The payout worker reads this in the database transaction that starts a payout. */
    arePayoutsHalted: (queryable: Queryable): Promise<boolean> => store.arePayoutsHalted(queryable),

    /** Resumes payouts for an operator. A ledger that is still broken needs `force`, and the next check halts again. */
    resumePayouts: async ({ reason, force }: { reason: string; force: boolean }): Promise<ResumeOutcome> => {
      const violated = force ? [] : await findViolatedInvariants(database)
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

async function findViolatedInvariants(database: Database): Promise<string[]> {
  const violated = []
  for (const invariant of store.ledgerInvariants) {
    if ((await findAllViolations(database, invariant)).length > 0) violated.push(invariant.name)
  }
  return violated
}

async function findAllViolations(database: Database, invariant: store.Invariant): Promise<string[]> {
  const organizationIds = await store.listOrganizations(database)
  const violations: string[] = []
  for (let at = 0; at < organizationIds.length; at += organizationsPerStatement) {
    const batch = organizationIds.slice(at, at + organizationsPerStatement)
    violations.push(...(await store.findViolationsWithLongTimeout(database, invariant, batch)))
  }
  return violations
}
