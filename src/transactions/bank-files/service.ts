import type { Audit } from '../../db/audit/audit.ts'
import type { Database } from '../../db/database.ts'
import type { Caller } from '../../lib/caller.ts'
import { platformOrganizationId } from '../../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../../lib/pages.ts'
import { Refusal } from '../../lib/refusal.ts'
import { incomingMoves, keptName, type ListedFile } from './bank-file.ts'
import { moveEntry } from './entries/entry-store.ts'
import type { BankExchange } from './exchange.ts'
import { chooseReversed, type WantedReversal } from './reversals/choose.ts'
import * as store from './store.ts'

export type BankFileDeps = {
  database: Database
  pages: Pages
  audit: Audit
  actor: string
  exchange: BankExchange | undefined
  /** True when every key may see the files: in the sandbox, whose bank is the developer's own. */
  isOpenToAll: boolean
}

export type BankFileService = ReturnType<typeof createBankFileService>

const maxShown = 100

/** Shows the files of banks, and lets the operator of the deployment decide about those that wait. */
export function createBankFileService(deps: BankFileDeps) {
  const { database, pages, audit, actor, exchange } = deps
  const record = (tx: Parameters<Audit['append']>[0], action: string, subjectId: string, reason: string) =>
    audit.append(tx, { organizationId: platformOrganizationId, actor, action, subjectId, details: { reason } })
  return {
    /** Lists files, newest first. A bank serves every organization, so only the platform's keys see its files. */
    list: (caller: Caller, filter: store.FileFilter, request: PageRequest): Promise<Page<ListedFile>> =>
      pages.read(
        { list: 'bank-files', filters: { for: caller.organizationId, ...filter } },
        request,
        async (slice) => (maySee(deps, caller) ? store.listFiles(database, filter, slice) : []),
        ({ bankFileId }) => bankFileId,
      ),

    listRecent: (filter: store.FileFilter): Promise<ListedFile[]> =>
      store.listFiles(database, filter, { after: undefined, limit: maxShown }),

    find: (bankFileId: string): Promise<ListedFile | undefined> => store.findFile(database, bankFileId),

    listUnmatched: (): Promise<store.OpenEntry[]> => store.listUnmatched(database, maxShown),

    count: (): Promise<store.OpenCounts> => store.countOpen(database),

    /** Lets a worker read a quarantined or dismissed file again; false when it is neither. Audited. */
    retry: async (bankFileId: string, reason: string): Promise<boolean> => {
      const found = await store.findFile(database, bankFileId)
      if (found?.status !== 'QUARANTINED' && found?.status !== 'DISMISSED') return false
      // The worker that reads it moves it back.
      if (!(await exchange?.isQuarantined(keptName(bankFileId, found.name))))
        throw new Refusal('CONFLICT', 'The file is not in quarantine/: put it back there, or dismiss it')
      return database.inTx(async (tx) => {
        if (!(await store.decideFile(tx, bankFileId, incomingMoves.retry))) return false
        await record(tx, 'bank_file.retried', bankFileId, reason)
        return true
      })
    },

    /** Ends the quarantine of a file that Svc need not read; false when it is not in quarantine. Audited. */
    dismiss: (bankFileId: string, reason: string): Promise<boolean> =>
      database.inTx(async (tx) => {
        if (!(await store.decideFile(tx, bankFileId, incomingMoves.dismiss))) return false
        await record(tx, 'bank_file.dismissed', bankFileId, reason)
        return true
      }),

    /** Makes the folders as they are now those of this deployment. A staged file that is missing counts as sent. Audited. */
    adoptFolders: async (reason: string): Promise<void> => {
      if (!exchange) throw new Refusal('CONFLICT', 'This deployment exchanges no files with banks')
      await database.inTx((tx) => record(tx, 'bank_folders.adopted', platformOrganizationId, reason))
      await exchange.adopt()
    },

    /** Ends the alarm about an entry that matches nothing of ours; false when there is none. Audited. */
    resolveEntry: (bankEntryId: string, reason: string): Promise<boolean> =>
      database.inTx(async (tx) => {
        if (!(await moveEntry(tx, bankEntryId, 'UNMATCHED', 'RESOLVED'))) return false
        await record(tx, 'bank_entry.resolved', bankEntryId, reason)
        return true
      }),

    /** Lets an unmatched debit take a deposit back; answers how much of it, undefined when they do not fit. Audited. */
    reverseDeposit: (bankEntryId: string, wanted: WantedReversal, reason: string): Promise<string | undefined> =>
      database.inTx(async (tx) => {
        const amount = await chooseReversed(tx, bankEntryId, wanted)
        if (amount !== undefined)
          await record(tx, 'bank_entry.reversing', bankEntryId, `${reason} (${amount} of deposit ${wanted.depositId})`)
        return amount
      }),
  }
}

function maySee({ isOpenToAll }: BankFileDeps, { organizationIds }: Caller): boolean {
  return isOpenToAll || organizationIds.includes(platformOrganizationId)
}
