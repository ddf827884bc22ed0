import type { Database } from '../db/database.ts'
import { type Check, type InvariantReport, type Violation, verify } from '../db/verify.ts'
import type { Caller } from '../lib/caller.ts'
import * as store from './check-store.ts'

const organizationsPerStatement = 100

/** Checks the invariants of the ledger. */
export function createLedgerCheckService({ database }: { database: Database }) {
  const running = new Map<string, Promise<InvariantReport>>()
  const checkOrganizations = ({ organizationIds }: Caller): Promise<InvariantReport> => {
    const checks = store.ledgerInvariants.map(
      (invariant): Check => ({
        name: invariant.name,
        isMoney: true,
        find: () => store.findViolations(database, invariant, organizationIds),
      }),
    )
    return verify(database, checks)
  }

  return {
    /** The checks of `svc verify`, over every organization. */
    checks: store.ledgerInvariants.map(
      (invariant): Check => ({
        name: invariant.name,
        isMoney: true,
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
  }
}

async function findAllViolations(database: Database, invariant: store.Invariant): Promise<Violation[]> {
  const organizationIds = await store.listOrganizations(database)
  const violations: Violation[] = []
  for (let at = 0; at < organizationIds.length; at += organizationsPerStatement) {
    const batch = organizationIds.slice(at, at + organizationsPerStatement)
    violations.push(...(await store.findViolations(database, invariant, batch)))
  }
  return violations
}
