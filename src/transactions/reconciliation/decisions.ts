import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { isUuid, platformOrganizationId } from '../../lib/ids.ts'
import { badField, Refusal } from '../../lib/refusal.ts'
import * as decisions from './decision-store.ts'
import { agedAfterDays, type ComparedName, isAged, isRecorded, listItems } from './reconciliation.ts'
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
        const { names } = await compareNow(tx, account)
        const posting = names.find(({ kind, reference }) => kind === 'OWN' && reference === own)
        // A line of a payout or deposit gets its own name as soon as that is known.
        if (!posting || !isRecorded(own))
          throw badField('own', 'must be the reference of an open item OWN of the account that an operator recorded')
        const booked = entries.map((id) => names.find(({ kind, reference }) => kind === 'ENTRY' && reference === id))
        const known = booked.filter((name) => name !== undefined)
        if (known.length === 0 || known.length < booked.length || new Set(known).size < known.length)
          throw badField('entry', 'must be references of open items ENTRY of the account, each once')
        if ([posting, ...known].reduce((sum, name) => sum + restOf(name), 0n) !== 0n)
          throw new Refusal('CONFLICT', 'The bookings do not add up to the posting: explain all that it covers at once')
        if (!entries.every(isUuid) || !(await decisions.explainEntries(tx, entries, own)))
          throw new Refusal('CONFLICT', 'A booking is explained already')
        await record(tx, 'difference.explained', account, { own, entries, reason })
      })
    },

    /**
     * Accepts a difference as it is: it is listed, and no alarm any more, until its amount changes. What may still be
     * matched by itself is refused.
     */
    accept: async ({ account, reason, kind, reference }: Decision & Named) => {
      await ledger.foldAll()
      await database.inTx(async (tx) => {
        const found = await requireAged(tx, account, { kind, reference })
        const amount = restOf(found)
        await decisions.acceptDifference(tx, account, found, amount)
        await record(tx, 'difference.accepted', account, { kind, reference, amount: String(amount), reason })
      })
    },

    /** Takes the acceptance of a difference back: it is an alarm again when it is aged. */
    withdrawAccepted: ({ account, reason, kind, reference }: Decision & Named) =>
      database.inTx(async (tx) => {
        if (!(await decisions.withdrawAccepted(tx, account, { kind, reference })))
          throw badField('reference', 'must be that of an accepted item of the account, with its kind')
        await record(tx, 'difference.acceptance_withdrawn', account, { kind, reference, reason })
      }),

    /** Takes back what a posting explained: its bookings are open items, and unmatched, again. */
    withdrawExplained: ({ account, reason, own }: Decision & { own: string }) =>
      database.inTx(async (tx) => {
        const entries = await decisions.withdrawExplained(tx, account, own)
        if (entries.length === 0) throw badField('own', 'must be the reference of a posting that explains bookings')
        await record(tx, 'difference.explanation_withdrawn', account, { own, entries, reason })
      }),
  }
}

type Named = { kind: string; reference: string }

/** Finds the name of an open item that nothing has matched for days. */
async function requireAged(tx: Tx, account: string, { kind, reference }: Named): Promise<ComparedName> {
  const { names, date } = await compareNow(tx, account)
  const isNamed = (name: Named) => name.kind === kind && name.reference === reference
  const found = names.find(isNamed)
  const items = listItems(names, date, await decisions.readAccepted(tx, account))
  const open = items.filter((item) => isNamed(item) && item.state !== 'MATCHED')
  if (!found || open.length === 0)
    throw badField('reference', 'must be that of an open item of the account, with its kind')
  if (!open.some(isAged)) {
    const message = `The item is accepted, or open for less than ${agedAfterDays} days: it may be matched yet`
    throw new Refusal('CONFLICT', message)
  }
  return found
}

const restOf = ({ outside, ledger }: ComparedName) => outside - ledger

/** Reads the names that differ now. */
async function compareNow(tx: Tx, bankAccountId: string): Promise<{ names: ComparedName[]; date: string }> {
  const date = await store.readToday(tx)
  const matched = { kind: '', reference: '', limit: 0 }
  const how = { matched, timeoutMs: undefined, isFull: false }
  return { names: await store.compareAccount(tx, { bankAccountId, date }, how), date }
}
