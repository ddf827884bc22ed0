import { readClock } from '../../../db/business-clock.ts'
import type { Tx } from '../../../db/database.ts'
import { keyOf } from '../accounts.ts'
import type { AchOrigin, HeldAccount } from '../formats.ts'
import type { LedgerDeps } from '../ledger/book.ts'
import { composeLetter, newMessageId } from '../ledger/letters.ts'
import { reserveEntryNumbers } from '../ledger/store.ts'
import { openPayment } from './settle.ts'
import { findBooked } from './store.ts'

type ChangeDeps = LedgerDeps & { accounts: readonly HeldAccount[] }

/** The codes of notifications of change that the bank can give, each with what it corrects (Nacha Operating Rules). */
export const changeCodes = ['C01', 'C02', 'C03', 'C05'] as const
export type ChangeCode = (typeof changeCodes)[number]

/** Returns of ACH have a code of Nacha, all others one of ISO 20022 (ExternalReturnReason1Code). */
export function isReturnCode(code: string, isAch: boolean): boolean {
  return isAch ? /^R(?:0[1-9]|[1-5]\d|8[0-5])$/.test(code) : /^[A-Z]{2}\d{2}$/.test(code)
}

export function isChangeCode(code: string): code is ChangeCode {
  return changeCodes.some((each) => each === code)
}

/** Writes a notification of change for each booked ACH payment; false when there is none. */
export async function writeChanges(
  deps: ChangeDeps,
  tx: Tx,
  references: readonly string[],
  code: string,
): Promise<boolean> {
  const { now } = await readClock(tx)
  let hasWritten = false
  for (const due of await findBooked(tx, references)) {
    const { payment, fileId } = openPayment(deps, due)
    const account = deps.accounts.find((each) => keyOf(each) === due.account)
    if (!payment.ach || !account) continue
    const number = await reserveEntryNumbers(tx, due.account, 1)
    const message = { messageId: newMessageId(), createdAt: now, account, returnId: newMessageId(), number }
    const corrected = correct(payment.ach, code)
    const content = deps.formats.writeAchChange({ ...message, originalFileId: fileId, payment, code, corrected })
    await composeLetter(tx, deps.sealing, { format: 'nacha-change', content })
    hasWritten = true
  }
  return hasWritten
}

/**
 * Makes up the correction: another account at the same bank, the account at another bank, or the other kind of account. An entry has the transaction
 * code in columns 2 and 3, the receiver's bank in 4 to 12, and its account in 13 to 29 (Nacha Operating Rules).
 */
function correct({ entry }: AchOrigin, code: string): string {
  const [transactionCode, bank, account] = [entry.slice(1, 3), entry.slice(3, 12), entry.slice(12, 29).trim()]
  const otherAccount = `${account.slice(0, 13)}0001`
  if (code === 'C02') return otherBanks.find((each) => each !== bank) ?? bank
  if (code === 'C03') return `${bank}   ${otherAccount}`
  return code === 'C05' ? otherCode(transactionCode) : otherAccount
}

/** Routing numbers with a correct check digit. */
const otherBanks = ['021000021', '091000019']

/** A savings account in place of a checking account, or the other way round. */
const otherCode = (transactionCode: string) => (transactionCode === '22' ? '32' : '22')
