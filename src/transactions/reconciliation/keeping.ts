import type { Database } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { BankAccount } from '../treasury/bank-account.ts'
import { countDoubtful, keepNames, listUnproved, proveNames, unprovedDue, type WrongName } from './keep-store.ts'

export type KeepingDeps = {
  database: Database
  ledger: Pick<LedgerService, 'foldAll'>
  listAccounts(): Promise<readonly BankAccount[]>
}

/** A proof of what is kept of an account: the names that were kept wrongly. */
type Proof = { account: string; wrong: WrongName[] }

/** Does the work for each account, also after it failed for another. Then it fails with the first failure. */
async function doForEach<Result>(
  accounts: readonly string[],
  work: (account: string) => Promise<Result>,
): Promise<Result[]> {
  const done: Result[] = []
  const failures: unknown[] = []
  for (const account of accounts)
    await work(account).then(
      (result) => done.push(result),
      (error) => failures.push(error),
    )
  if (failures.length > 0) throw failures[0]
  return done
}

/** Keeps what comparisons with banks need not find again, and proves it. */
export function createKeeping({ database, ledger, listAccounts }: KeepingDeps) {
  const prove = async (account: string): Promise<Proof> => ({ account, wrong: await proveNames(database, account) })
  const listIds = async () => (await listAccounts()).map(({ bankAccountId }) => bankAccountId)
  return {
    /** Keeps the names of everything that both sides have, so that comparisons read the rest alone; a duty of one worker. */
    keepNames: async (sliceSize?: number): Promise<{ durationMs: number }> => {
      const started = performance.now()
      await ledger.foldAll()
      await doForEach(await listIds(), (account) => keepNames(database, account, sliceSize))
      return { durationMs: Math.round(performance.now() - started) }
    },

    /** Lists what is kept of each account otherwise than its records tell it, after reading its whole history. */
    proveNames: async (): Promise<Proof[]> => doForEach(await listIds(), prove),

    /** Holds while an account was not proved for a week. */
    unprovedDue,

    /** Does so for accounts that were not proved for a week; a duty of one worker. */
    proveUnproved: async (): Promise<Proof[]> => doForEach(await listUnproved(database), prove),

    /** Counts the accounts of which something was kept wrongly at the last proof, or that were not proved in time. */
    countDoubtful: () => countDoubtful(database),
  }
}
