import { readClock } from '../../../db/business-clock.ts'
import type { Tx } from '../../../db/database.ts'
import { keyOf } from '../accounts.ts'
import type { BankFormats, Entry, HeldAccount } from '../formats.ts'
import type { Sealing } from '../sealing.ts'
import { composeLetter, newMessageId } from './letters.ts'
import * as store from './store.ts'

export type LedgerDeps = {
  sealing: Sealing
  formats: BankFormats
  /** The balance of each account before its first entry, in smallest units. */
  openingBalance: bigint
}

/** An entry before the bank numbers it. */
export type NewEntry = Omit<Entry, 'number' | 'bookedOn'>

/** The part of an entry that is sealed. */
type Details = Pick<Entry, 'isReversal' | 'transactionCode' | 'details'>

/** Books entries on an account, and answers them with their numbers. */
export async function book(
  { sealing, openingBalance }: LedgerDeps,
  tx: Tx,
  account: HeldAccount,
  entries: readonly NewEntry[],
): Promise<Entry[]> {
  const key = keyOf(account)
  await store.insertAccount(tx, key, account.currency, openingBalance)
  const first = await store.reserveEntryNumbers(tx, key, entries.length)
  const bookedOn = (await readClock(tx)).now.toISOString().slice(0, 10)
  const booked = entries.map((entry, index) => ({ ...entry, number: first + BigInt(index), bookedOn }))
  for (const entry of booked) {
    const { number, direction, amount, bankReference, isReversal, transactionCode, details } = entry
    const sealed: Details = { isReversal, transactionCode, details }
    await store.insertEntry(tx, {
      account: key,
      number: String(number),
      direction,
      amount: String(amount),
      bankReference,
      sealedDetails: sealing.seal(`entry ${key} ${number}`, sealed),
    })
  }
  return booked
}

/** Notifies us of entries: camt.054. */
export async function notify(
  { sealing, formats }: LedgerDeps,
  tx: Tx,
  account: HeldAccount,
  entries: readonly Entry[],
): Promise<void> {
  if (entries.length === 0) return
  const { now } = await readClock(tx)
  const content = formats.writeNotification({ messageId: newMessageId(), createdAt: now, account, entries })
  await composeLetter(tx, sealing, { format: 'camt.054', content })
}

export function openEntry({ sealing }: LedgerDeps, stored: store.StoredEntry): Entry {
  const { account, number, direction, amount, bankReference, bookedOn, sealedDetails } = stored
  const details = sealing.open<Details>(`entry ${account} ${number}`, sealedDetails)
  return { number: BigInt(number), direction, amount: BigInt(amount), bankReference, bookedOn, ...details }
}
