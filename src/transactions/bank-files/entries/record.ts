import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../lib/ids.ts'
import type { BankAccount } from '../../treasury/bank-account.ts'
import type { EntryRecord } from '../formats.ts'
import { recognizeAmong } from '../recognition/sameness.ts'
import type { ReturnDeps } from '../returns/record.ts'
import { recordUntold } from './collective.ts'
import { type CreditDeps, recordCredit, type ScreenedPart, virtualAccountOf } from './credits.ts'
import { type EntrySource, isGivenBack, partsOf, type Recognition, untoldCountOf, withMark } from './entry.ts'
import * as store from './entry-store.ts'
import { identify, withoutPlaceholders } from './identity.ts'
import { recordDebit } from './payments.ts'
import { findSent } from './reference-store.ts'
import { findReturns, recordReturnEntry, settleReversals } from './returns.ts'
import { findReversed } from './reversed.ts'

export type EntryDeps = CreditDeps & ReturnDeps

export type ToldEntry = {
  bankFileId: string
  source: EntrySource
  account: BankAccount
  told: EntryRecord
  parts: readonly ScreenedPart[]
}

/**
 * Records a booked entry once, and what it means for us. An entry that another message told changes nothing. Answers its
 * id; undefined for one that is not booked.
 */
export async function recordEntry(deps: EntryDeps, tx: Tx, booked: ToldEntry): Promise<string | undefined> {
  const { bankFileId, source, account } = booked
  const told = withMark(withoutPlaceholders(booked.told))
  const split = partsOf(told)
  const parts = booked.parts.map((part, at) => ({ ...part, ...split[at] }))
  if (told.status !== 'BOOKED' || told.amount.units === 0n) return undefined
  const entry: store.NewEntry = {
    ...identify(deps.identityKey, account.bankAccountId, told, parts.map(virtualAccountOf)),
    bankEntryId: newId(),
    bankFileId,
    bankAccountId: account.bankAccountId,
    source,
    statementKey: told.statementKey,
    position: told.position,
    entryReference: told.entryReference,
    direction: told.direction,
    isReversal: isGivenBack(told),
    amount: told.amount.units,
    currency: told.amount.currency,
    bookingDate: told.bookingDate ?? null,
    valueDate: told.valueDate ?? null,
    partCount: split.length,
    untoldCount: untoldCountOf(told) ?? null,
  }
  const recognition = recognizeAmong(await store.findSimilar(tx, entry))
  const meaning = await findMeaning(deps, tx, { ...booked, told, parts, entry }, recognition)
  await store.insertEntry(tx, entry, meaning)
  for (const follow of meaning.after ?? []) await follow()
  return entry.bankEntryId
}

type Booked = ToldEntry & { entry: store.NewEntry }

async function findMeaning(
  deps: EntryDeps,
  tx: Tx,
  booked: Booked,
  recognition: Recognition,
): Promise<store.EntryMeaning> {
  const { entry, told } = booked
  const isCredit = told.direction === 'CREDIT' && !entry.isReversal
  if (recognition.is === 'REPEATED') {
    const { bankEntryId: repeats, outcome, isDoubtful } = recognition.known
    // A reference of ours is paid once, also by an entry in doubt.
    const isOpen = outcome === 'UNMATCHED' && !isCredit && (!isDoubtful || !entry.isReversal)
    return (isOpen && (await findLateMeaning(deps, tx, booked, repeats))) || { outcome: 'REPEATED', repeats }
  }
  if (isCredit) return recordIncoming(deps, tx, booked, recognition)
  return findOwnMeaning(deps, tx, booked, recognition)
}

/** Finds the meaning of an entry that another message told without it, such as a debit without our references. */
async function findLateMeaning(
  deps: EntryDeps,
  tx: Tx,
  booked: Booked,
  known: string,
): Promise<store.EntryMeaning | undefined> {
  const meaning = await findOwnMeaning(deps, tx, booked, { is: 'NEW' })
  if (meaning.outcome === 'UNMATCHED' || meaning.outcome === 'REPEATED') return undefined
  const resolve = async () => {
    // The file is read again, and then meets what the operator has decided.
    if (!(await store.moveEntry(tx, known, 'UNMATCHED', 'RESOLVED')))
      throw new Error('an operator has decided about this bank entry meanwhile')
    await store.repeatEntry(tx, known, booked.entry.bankEntryId)
  }
  return { ...meaning, after: [resolve, ...(meaning.after ?? [])] }
}

/** Finds the meaning of a debit, a return or a reversal. */
async function findOwnMeaning(
  deps: EntryDeps,
  tx: Tx,
  { entry, told }: Booked,
  recognition: Recognition,
): Promise<store.EntryMeaning> {
  const isDoubtful = recognition.is === 'DOUBTFUL'
  // Our own reference names a payment: a doubt about the entry does not keep it from being confirmed.
  if (!entry.isReversal) {
    const paid = await recordDebit(deps, tx, entry, told, recognition)
    return { ...paid, isDoubtful, after: [...(paid.after ?? []), () => settleReversals(deps, tx, entry)] }
  }
  const externalId = await store.nameEntry(tx, entry)
  if (told.direction === 'CREDIT')
    return { ...(await recordReturnEntry(deps, tx, { entry, told, externalId }, isDoubtful)), isDoubtful, externalId }
  if (isDoubtful) return { outcome: 'UNMATCHED', reason: inDoubt, isDoubtful, externalId }
  return { ...(await findReversed(deps, tx, entry, told)), externalId }
}

const inDoubt = 'it may be an entry that another message told'

/** Records a credit: its payments of ours that come back are returns, the rest is new money. */
async function recordIncoming(deps: EntryDeps, tx: Tx, booked: Booked, recognition: Recognition) {
  const { entry, told, parts } = booked
  const isReturning = told.details.some((each) => each.return)
  if (isReturning && parts.length !== told.details.length)
    return { outcome: 'UNMATCHED', reason: 'it returns payments, and does not tell their amounts' } as const
  const externalId = await store.nameEntry(tx, entry)
  const returns = isReturning ? await findReturns(deps, tx, { entry, parts, externalId }) : undefined
  const ours = await findOurs(tx, entry, parts)
  const credit = { ...booked, externalId, ours, ...(returns ? { returns } : {}) }
  if (entry.untoldCount !== null && !isReturning) return recordUntold(deps, tx, credit, recognition)
  return recordCredit(deps, tx, credit, recognition)
}

/** The shape of our references: svc.short_reference. */
const ourShape = /^[0-9A-Z]{15}$/

/** Finds unmarked transactions under a reference of a payment of ours: one may have come back. */
async function findOurs(tx: Tx, { bankAccountId }: store.NewEntry, parts: readonly ScreenedPart[]) {
  const ids = parts.flatMap(({ detail }) => (detail.return ? [] : (detail.references.endToEndId ?? [])))
  const likely = ids.filter((id) => ourShape.test(id))
  const sent = likely.length === 0 ? [] : await findSent(tx, likely)
  return new Set(sent.filter((item) => item.bankAccountId === bankAccountId).map(({ reference }) => reference))
}
