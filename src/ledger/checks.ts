import type { StoredCheck } from '../db/checks/store.ts'
import { readChecks } from '../db/checks/store.ts'
import type { Database } from '../db/database.ts'
import type { CheckState } from '../db/verify.ts'
import type { Caller } from '../lib/caller.ts'
import { ledgerChecks } from './check-store.ts'

/** The last result of a check, as far as it concerns the caller. */
export type ProofOfCheck = {
  name: string
  state: CheckState
  /** The last success, of recent postings or of all. */
  checkedAt: Date | null
  fullyCheckedAt: Date | null
  violations: string[]
}

export type LedgerProof = { checkedAt: Date | null; ageSeconds: number | null; checks: ProofOfCheck[] }

/** Shows the last proof of the ledger. */
export function createLedgerCheckService({ database }: { database: Database }) {
  return {
    /** The checks of the ledger, which `svc verify` and the worker run. */
    checks: ledgerChecks,

    /** Reads the last results of the checks, with the violations in the caller's organizations alone. */
    readProof: async ({ organizationIds }: Caller): Promise<LedgerProof> => {
      const stored = new Map((await readChecks(database)).map((check) => [check.name, check]))
      const checks = ledgerChecks.map(({ name }) => prove(name, stored.get(name), organizationIds))
      // The whole ledger is checked over hours; the age of the proof is that of the checks of recent postings.
      const recent = checks.filter(({ name }) => stored.get(name)?.isQuick ?? true)
      const oldest = recent.reduce<Date | null>(
        (found, { checkedAt }) => (found && checkedAt && found > checkedAt ? checkedAt : found),
        recent.every(({ checkedAt }) => checkedAt) ? (recent[0]?.checkedAt ?? null) : null,
      )
      const [first] = stored.values()
      const ageMs = oldest && first ? first.now.getTime() - oldest.getTime() : 0
      const ageSeconds = oldest ? Math.max(0, Math.round(ageMs / 1_000)) : null
      return { checkedAt: oldest, ageSeconds, checks }
    },
  }
}

function prove(name: string, stored: StoredCheck | undefined, organizationIds: readonly string[]): ProofOfCheck {
  const { checkedAt: fullyCheckedAt = null, quickAt = null, failure, quickFailure } = stored ?? {}
  const violations = (stored?.violations ?? [])
    .filter(({ organizationId }) => organizationId !== undefined && organizationIds.includes(organizationId))
    .map(({ violation }) => violation)
  const isChecked = fullyCheckedAt !== null && !failure && !quickFailure
  const state = violations.length > 0 ? 'VIOLATED' : isChecked ? 'OK' : 'NOT_CHECKED'
  const checkedAt = fullyCheckedAt && quickAt && quickAt > fullyCheckedAt ? quickAt : fullyCheckedAt
  return { name, state, checkedAt, fullyCheckedAt, violations }
}
