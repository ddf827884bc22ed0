import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { isUuid, platformOrganizationId } from '../../lib/ids.ts'
import { badField, Refusal } from '../../lib/refusal.ts'
import { acceptDifference, explainEntries } from './decision-store.ts'
import type { ComparedName } from './reconciliation.ts'
import * as store from './store.ts'

export type DecisionDeps = {
  database: Database
  audit: Audit
  /** The operator of commands. */
  actor: string
  ledger: Pick<LedgerService, 'foldAll'>
}

type Decision = { account: string; reason: string }

/** Lets the operator of the deployment end differences that nothing will match by itself. Audited. */
export function createDifferenceDecisions({ database, audit, actor, ledger }: DecisionDeps) {
  const record = (tx: Tx, action: string, subjectId: string, details: object) =>
    audit.append(tx, { organizationId: platformOrganizationId, actor, action, subjectId, details })
  return {
    /**
     * Explains bookings of a bank, such as its fees, with a posting that an operator recorded. Both have the posting's name
     * from then on, so that they agree for ever. Their amounts must add up.
     */
    explain: async ({ account, reason, own, entries }: Decision & { own: string; entries: readonly string[] }) => {
      await ledger.foldAll()
      await database.inTx(async (tx) => {
        const names = await readNames(tx, account)
        const posting = names.find(({ kind, reference }) => kind === 'OWN' && reference === own)
        if (!posting) throw badField('own', 'must be the reference of an open item OWN of the account')
        const booked = entries.map((id) => names.find(({ kind, reference }) => kind === 'ENTRY' && reference === id))
        const known = booked.filter((name) => name !== undefined)
        if (known.length === 0 || known.length < booked.length || new Set(known).size < known.length)
          throw badField('entry', 'must be references of open items ENTRY of the account, each once')
        if ([posting, ...known].reduce((sum, name) => sum + restOf(name), 0n) !== 0n)
          throw new Refusal('CONFLICT', 'The bookings do not add up to the posting: explain all that it covers at once')
        if (!entries.every(isUuid) || !(await explainEntries(tx, entries, own)))
          throw new Refusal('CONFLICT', 'A booking is explained already')
        await record(tx, 'difference.explained', account, { own, entries, reason })
      })
    },

    /** Accepts a difference as it is: it is listed, and no alarm any more, until its amount changes. */
    accept: async ({ account, reason, kind, reference }: Decision & { kind: string; reference: string }) => {
      await ledger.foldAll()
      await database.inTx(async (tx) => {
        const found = (await readNames(tx, account)).find((name) => name.kind === kind && name.reference === reference)
        if (!found) throw badField('reference', 'must be that of an open item of the account, with its kind')
        const amount = restOf(found)
        await acceptDifference(tx, account, found, amount)
        await record(tx, 'difference.accepted', account, { kind, reference, amount: String(amount), reason })
      })
    },
  }
}

const restOf = ({ outside, ledger }: ComparedName) => outside - ledger

/** Reads the names that differ now. */
async function readNames(tx: Tx, bankAccountId: string): Promise<ComparedName[]> {
  const date = await store.readToday(tx)
  const matched = { kind: '', reference: '', limit: 0 }
  return store.compareAccount(tx, { bankAccountId, date }, { matched, timeoutMs: undefined, isFull: false })
}
