import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../lib/ids.ts'
import type { BankAccount } from '../../treasury/bank-account.ts'
import type { EntryRecord } from '../formats.ts'
import { type CreditDeps, quarantineCredit, recordCredit, type ScreenedPart } from './credits.ts'
import { type EntrySource, recognize } from './entry.ts'
import * as store from './entry-store.ts'
import { identify } from './identity.ts'
import { recordDebit } from './payments.ts'
import { type ReturnDeps, recordReturnEntry } from './returns.ts'

export type EntryDeps = CreditDeps & ReturnDeps & { identityKey: Buffer }

export type ToldEntry = {
  bankFileId: string
  source: EntrySource
  account: BankAccount
  told: EntryRecord
  parts: readonly ScreenedPart[]
}

/** Records a booked entry once, and what it means for us. An entry that another message told changes nothing. */
export async function recordEntry(deps: EntryDeps, tx: Tx, credit: ToldEntry): Promise<void> {
  const { bankFileId, source, account, told } = credit
  if (told.status !== 'BOOKED' || told.amount.units === 0n) return
  const entry: store.NewEntry = {
    ...identify(deps.identityKey, account.bankAccountId, told),
    bankEntryId: newId(),
    bankFileId,
    bankAccountId: account.bankAccountId,
    source,
    statementKey: told.statementKey,
    position: told.position,
    entryReference: told.entryReference,
    direction: told.direction,
    isReversal: told.isReversal,
    amount: told.amount.units,
    currency: told.amount.currency,
    bookingDate: told.bookingDate ?? null,
    valueDate: told.valueDate ?? null,
  }
  const recognition = recognize({ ...entry }, await store.findSimilar(tx, entry))
  const meaning = await findMeaning(deps, tx, { ...credit, entry }, recognition)
  await store.insertEntry(tx, entry, meaning)
  for (const follow of meaning.after ?? []) await follow()
}

async function findMeaning(
  deps: EntryDeps,
  tx: Tx,
  credit: ToldEntry & { entry: store.NewEntry },
  recognition: ReturnType<typeof recognize>,
): Promise<store.EntryMeaning> {
  const { entry, told } = credit
  if (recognition.is === 'REPEATED') return { outcome: 'REPEATED', repeats: recognition.known.bankEntryId }
  const isGivenBack = told.isReversal || (told.details.length > 0 && told.details.every((each) => each.return))
  if (recognition.is === 'DOUBTFUL') {
    const { externalId } = recognition.known
    const isCredit = told.direction === 'CREDIT' && !isGivenBack && externalId !== null
    return isCredit ? quarantineCredit(deps, tx, credit, externalId) : { outcome: 'UNMATCHED' }
  }
  if (told.direction === 'CREDIT') {
    return isGivenBack ? recordReturnEntry(deps, tx, entry, told) : recordCredit(deps, tx, credit)
  }
  return isGivenBack ? findReversedDeposit(tx, entry, told) : recordDebit(deps, tx, entry, told)
}

/**
 * Finds the deposit that a debit takes back: by the bank's own reference, else by a structured reference that one credit
 * alone has. A text that a payer wrote chooses nothing.
 */
async function findReversedDeposit(tx: Tx, entry: store.NewEntry, told: EntryRecord): Promise<store.EntryMeaning> {
  const found = await store.findReversed(tx, entry)
  const byBank = found.filter(({ isByBank }) => isByBank)
  const candidates = byBank.length > 0 ? byBank : found
  const [reversed, another] = candidates
  if (!reversed || another) return { outcome: 'UNMATCHED' }
  const reason = told.details[0]?.return?.reason?.code ?? 'reversed'
  return { outcome: 'REVERSING', reverses: reversed.bankEntryId, reason }
}
