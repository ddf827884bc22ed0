import type { Database, Tx } from '../../../db/database.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { ChangedMeanwhile } from '../../deposits/reversals/reverse.ts'
import type { DepositService } from '../../deposits/service.ts'
import type { BankAccount } from '../../treasury/bank-account.ts'
import { methodOf } from '../entries/credits.ts'
import { moveEntry } from '../entries/entry-store.ts'
import { listReversing, postponeReversing, type ReversingEntry } from './reversal-store.ts'

export type ReversalDeps = {
  database: Database
  deposits: Pick<DepositService, 'reverse'>
  listAccounts(): Promise<readonly BankAccount[]>
  onFailure(error: unknown): void
}

/**
 * Takes deposits back that banks reversed, once each. A deposit that does not exist yet is waited for, at most a day. What
 * passes, such as a lock or a decision at the same moment, is tried again without an end: money that the bank has taken
 * must not leave a second time.
 */
export async function applyReversals(deps: ReversalDeps, limit: number): Promise<number> {
  const waiting = await listReversing(deps.database, limit)
  if (waiting.length === 0) return 0
  const accounts = await deps.listAccounts()
  let applied = 0
  for (const entry of waiting) {
    const account = accounts.find(({ bankAccountId }) => bankAccountId === entry.bankAccountId)
    const outcome = account ? await apply(deps, account, entry) : 'NO_DEPOSIT'
    if (outcome === 'DONE') applied += 1
    else await postponeReversing(deps.database, entry.bankEntryId, { mayGiveUp: outcome === 'NO_DEPOSIT' })
  }
  return applied
}

const mostTries = 5

/** DONE: it has an outcome. NO_DEPOSIT: the deposit is not known yet. AGAIN: the next try may succeed. */
type Outcome = 'DONE' | 'NO_DEPOSIT' | 'AGAIN'

async function apply(deps: ReversalDeps, account: BankAccount, entry: ReversingEntry, tries = 1): Promise<Outcome> {
  const { database, deposits, onFailure } = deps
  const { parts, identity, reason, bankAccountId: book } = entry
  // All or nothing: a collective entry is reversed as a whole.
  const reverse = async (tx: Tx) => {
    for (const [at, { externalId, amount }] of parts.entries()) {
      const reversalId = parts.length === 1 ? identity : `${identity}/${at + 1}`
      await deposits.reverse(tx, {
        method: methodOf(account),
        book,
        externalId,
        reversalId,
        amount: BigInt(amount),
        reason,
      })
    }
  }
  try {
    await database.inTx(async (tx) => {
      // Files of banks wait for this.
      await tx.query({ text: `set local lock_timeout = '5s'` })
      if (await moveEntry(tx, entry.bankEntryId, 'REVERSING', 'REVERSAL')) await reverse(tx)
    })
    return 'DONE'
  } catch (error) {
    // A return that began just now is withdrawn the next time.
    if (error instanceof ChangedMeanwhile && tries < mostTries) return apply(deps, account, entry, tries + 1)
    // The deposit follows its sighting.
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return 'NO_DEPOSIT'
    onFailure(error)
    if (error instanceof ChangedMeanwhile || !(error instanceof Refusal)) return 'AGAIN'
    await moveEntry(database, entry.bankEntryId, 'REVERSING', 'UNMATCHED')
    return 'DONE'
  }
}
