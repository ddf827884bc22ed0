import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../lib/ids.ts'
import type { BankAccount } from '../../treasury/bank-account.ts'
import type { EntryRecord } from '../formats.ts'
import { type CreditDeps, recordCredit, type ScreenedPart } from './credits.ts'
import { type EntrySource, partsOf, type Recognition, recognize } from './entry.ts'
import * as store from './entry-store.ts'
import { identify } from './identity.ts'
import { identifyPart } from './part.ts'
import { findReversible } from './part-store.ts'
import { recordDebit } from './payments.ts'
import { type ReturnDeps, recordReturnEntry } from './returns.ts'

export type EntryDeps = CreditDeps & ReturnDeps

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
    partCount: partsOf(told).length,
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
  recognition: Recognition,
): Promise<store.EntryMeaning> {
  const { entry, told } = credit
  if (recognition.is === 'REPEATED') return { outcome: 'REPEATED', repeats: recognition.known.bankEntryId }
  const isGivenBack = told.isReversal || (told.details.length > 0 && told.details.every((each) => each.return))
  if (told.direction === 'CREDIT' && !isGivenBack) return recordCredit(deps, tx, credit, recognition)
  if (recognition.is === 'DOUBTFUL') return { outcome: 'UNMATCHED' }
  if (told.direction === 'CREDIT') return recordReturnEntry(deps, tx, entry, told)
  return isGivenBack ? findReversedDeposit(deps, tx, entry, told) : recordDebit(deps, tx, entry, told)
}

/**
 * Finds the deposit that a debit takes back: by the bank's reference, else by an id of the networks, else by an id that
 * the payer chose, with the same amount and payer. It must be one alone. A text that a payer wrote chooses nothing.
 */
async function findReversedDeposit(
  { identityKey }: EntryDeps,
  tx: Tx,
  entry: store.NewEntry,
  told: EntryRecord,
): Promise<store.EntryMeaning> {
  const [part, another] = partsOf(told)
  if (!part || another) return { outcome: 'UNMATCHED' }
  const { bankAccountId, bankReference } = entry
  const found = await findReversible(tx, bankAccountId, {
    ...identifyPart(identityKey, bankAccountId, part, bankReference),
    bankReference,
  })
  const named = [
    found.filter(({ isByBank }) => isByBank),
    found.filter(({ isByNetwork }) => isByNetwork),
    found.filter(({ isByPayer, isSameAmount }) => isByPayer && isSameAmount),
  ].find(({ length }) => length > 0)
  // The reference of a collective entry names all its transactions.
  const narrowed = [
    named,
    named?.filter(({ isByNetwork }) => isByNetwork),
    named?.filter(({ isByPayer, isSameAmount }) => isByPayer && isSameAmount),
    named?.filter(({ isSameAmount }) => isSameAmount),
  ]
  const [reversed] = narrowed.find((parts) => parts?.length === 1) ?? []
  if (!reversed) return { outcome: 'UNMATCHED' }
  const { bankEntryId, place } = reversed
  const reason = told.details[0]?.return?.reason?.code ?? 'reversed'
  return { outcome: 'REVERSING', reverses: { bankEntryId, place }, reason }
}
