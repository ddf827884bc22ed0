import { readClock } from '../../../db/business-clock.ts'
import type { Database, Tx } from '../../../db/database.ts'
import { keyOf } from '../accounts.ts'
import type { Entry, HeldAccount } from '../formats.ts'
import { type LedgerDeps, openEntry } from './book.ts'
import { composeLetter, newMessageId } from './letters.ts'
import * as store from './store.ts'

export type StatementDeps = LedgerDeps & { database: Database; accounts: () => Promise<readonly HeldAccount[]> }

/** Writes the statements of days that have ended (UTC, business time); answers how many accounts had one. */
export async function stateEndedDays(deps: StatementDeps): Promise<number> {
  const unstated = await store.findUnstatedAccounts(deps.database, false)
  if (unstated.length === 0) return 0
  const accounts = (await deps.accounts()).filter((account) => unstated.includes(keyOf(account)))
  for (const account of accounts) await deps.database.inTx((tx) => stateAccount(deps, tx, account, false))
  return accounts.length
}

/** Writes a statement for each day with entries that no statement lists: camt.053. */
export async function stateAccount(
  { sealing, formats }: LedgerDeps,
  tx: Tx,
  account: HeldAccount,
  untilNow: boolean,
): Promise<void> {
  const key = keyOf(account)
  const state = await store.lockAccount(tx, key)
  if (!state) return
  const { now } = await readClock(tx)
  let [number, opening] = [BigInt(state.statements), BigInt(state.statedBalance)]
  const stored = await store.listUnstated(tx, key, untilNow)
  const entries = stored.map((entry) => openEntry({ sealing, formats, openingBalance: 0n }, entry))
  for (const date of new Set(entries.map(({ bookedOn }) => bookedOn))) {
    const listed = entries.filter(({ bookedOn }) => bookedOn === date)
    const closing = listed.reduce((balance, entry) => balance + signed(entry), opening)
    number += 1n
    const shared = { messageId: newMessageId(), createdAt: now, account, entries: listed }
    const content = formats.writeStatement({ ...shared, number, date, opening, closing })
    await composeLetter(tx, sealing, { format: 'camt.053', content })
    await store.recordStatement(tx, key, { number, closing, entries: listed.map((entry) => String(entry.number)) })
    opening = closing
  }
}

const signed = ({ direction, amount }: Entry) => (direction === 'CREDIT' ? amount : -amount)
