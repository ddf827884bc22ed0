import type { Tx } from '../../../db/database.ts'
import type { EntryRecord } from '../formats.ts'
import { type Part, partsOf } from './entry.ts'
import type { EntryMeaning, NewEntry } from './entry-store.ts'
import { hashBatch, identifyPart } from './part.ts'
import * as store from './reversal-store.ts'

type Found = { reversals: store.NewReversal[] } | { problem: string }

const unknown = { problem: 'it reverses a credit that is not known' }

/** Finds the deposits that a debit takes back: one, or all transactions of a collective entry. */
export async function findReversed(
  { identityKey }: { identityKey: Buffer },
  tx: Tx,
  entry: NewEntry,
  told: EntryRecord,
): Promise<EntryMeaning> {
  const parts = partsOf(told)
  const [only, another] = parts
  const single = only && !another ? await findSingle(identityKey, tx, entry, only) : undefined
  const named = single ? { reversals: [single] } : another ? await findEach(identityKey, tx, entry, parts) : unknown
  const found = 'reversals' in named ? named : await findAll(identityKey, tx, entry, told, named)
  if ('problem' in found) return { outcome: 'UNMATCHED', reason: found.problem }
  const reason = told.details[0]?.return?.reason?.code ?? 'reversed'
  const { bankEntryId } = entry
  return { outcome: 'REVERSING', reason, after: [() => store.insertReversals(tx, bankEntryId, found.reversals)] }
}

/** A reversal with a reference of its own names that of the credit in its details. */
async function findSingle(identityKey: Buffer, tx: Tx, entry: NewEntry, part: Part) {
  const named = part.detail.references.bankReference
  const byDetail = named === undefined ? undefined : await findOne(identityKey, tx, entry, part, named)
  return byDetail ?? findOne(identityKey, tx, entry, part, entry.bankReference)
}

/**
 * Finds the one transaction that a debit takes back: by the bank's reference, else by an id of the networks, else by an id
 * that the payer chose, with the same amount and payer. It must be one alone. A text that a payer wrote chooses nothing.
 */
async function findOne(
  identityKey: Buffer,
  tx: Tx,
  { bankAccountId }: NewEntry,
  part: Part,
  bankReference: string | null,
): Promise<store.NewReversal | undefined> {
  const found = await store.findReversible(tx, bankAccountId, {
    ...identifyPart(identityKey, bankAccountId, part, bankReference),
    bankReference,
  })
  const reversed = chooseReversed(found)
  return reversed && { reversedEntryId: reversed.bankEntryId, reversedPlace: reversed.place, amount: part.amount }
}

/** Chooses the one transaction that is named best; undefined when several are. */
export function chooseReversed<Named extends store.ReversiblePart>(found: readonly Named[]): Named | undefined {
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
  return narrowed.find((each) => each?.length === 1)?.[0]
}

/** Finds the transaction of each part of a reversal, each another one. */
async function findEach(identityKey: Buffer, tx: Tx, entry: NewEntry, parts: readonly Part[]): Promise<Found> {
  const reversals: store.NewReversal[] = []
  for (const part of parts) {
    const own = part.detail.references.bankReference ?? null
    const found = await findOne(identityKey, tx, entry, part, own)
    if (!found) return { problem: 'it reverses several credits, of which one is not known' }
    reversals.push(found)
  }
  const keys = new Set(reversals.map(({ reversedEntryId, reversedPlace }) => `${reversedEntryId}/${reversedPlace}`))
  return keys.size === reversals.length ? { reversals } : { problem: 'two parts of it reverse the same credit' }
}

/** Finds all transactions of the collective entry that a reversal names by its reference or batch. */
async function findAll(
  identityKey: Buffer,
  tx: Tx,
  { bankAccountId, bankReference, amount }: NewEntry,
  { batch }: EntryRecord,
  otherwise: { problem: string },
): Promise<Found> {
  const batchHashes = hashBatch(identityKey, bankAccountId, [batch?.paymentInformationId])
  if (bankReference === null && batchHashes.length === 0) return otherwise
  const whole = await store.findWhole(tx, bankAccountId, { bankReference, batchHashes })
  if (whole.length === 0) return otherwise
  const sum = whole.reduce((total, part) => total + BigInt(part.amount), 0n)
  if (sum !== amount || (batch?.count ?? whole.length) !== whole.length)
    return { problem: 'it reverses a collective entry whose known parts do not add up to it' }
  if (whole.some(({ isTouched }) => isTouched))
    return { problem: 'it reverses a collective entry of which a part was reversed before' }
  return {
    reversals: whole.map(({ bankEntryId, place, amount: units }) => ({
      reversedEntryId: bankEntryId,
      reversedPlace: place,
      amount: BigInt(units),
    })),
  }
}
