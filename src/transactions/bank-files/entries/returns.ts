import type { Tx } from '../../../db/database.ts'
import type { EntryRecord, ReturnRecord } from '../formats.ts'
import { bankFilesRail } from '../outgoing/rail.ts'
import { recognizeAmong } from '../recognition/sameness.ts'
import { type ReturnDeps, recordReturn, reportDoubt, reportOnce } from '../returns/record.ts'
import type { ToldReturn } from '../returns/return.ts'
import * as waiting from '../returns/reversal-store.ts'
import {
  findByBankReference,
  findSecondDebit,
  listDebitedTwice,
  reverseSecondDebits,
} from '../returns/second-debit-store.ts'
import { type Part, partsOf } from './entry.ts'
import { type EntryMeaning, moveEntry, type NewEntry } from './entry-store.ts'
import { identifyPart } from './part.ts'
import { findKnownParts, insertPart } from './part-store.ts'
import { findSent } from './reference-store.ts'

type ReturnEntryDeps = ReturnDeps & { identityKey: Buffer }

/** Records a return that a message tells. A return of a return, or of something that we never sent, is for a person. */
export async function recordReturnMessage(
  deps: ReturnDeps,
  tx: Tx,
  bankFileId: string,
  told: ReturnRecord,
): Promise<void> {
  const { reference, returnId, code, isDishonored, isContested, original, effectiveDate } = told
  const { units: amount, currency } = told.amount
  if (isDishonored || isContested || original === 'DEBIT') {
    const why = isDishonored || isContested ? 'dishonored return' : 'return of a debit'
    const report = { state: 'DEAD' } as const
    return reportOnce(deps, tx, `return ${bankFileId} ${returnId}`, { reference: `${why} ${reference}`, report })
  }
  const named = { reference, amount, currency, reason: code, valueDate: effectiveDate ?? null }
  const sent = reference === '' ? [] : await findSent(tx, [reference])
  const isOurs = sent.some((item) => item.currency === currency)
  const record = isOurs ? recordReturn : reportDoubt
  await record(deps, tx, { ...named, identity: returnId, bankFileId })
}

type ReturnEntry = { entry: NewEntry; told: EntryRecord; externalId: string }

/**
 * Records a credit that the bank itself marks as a return or reversal of payments of ours. Those that it names with a
 * reference of ours are returned; for the rest it waits for an operator.
 */
export async function recordReturnEntry(
  deps: ReturnEntryDeps,
  tx: Tx,
  { entry, told, externalId }: ReturnEntry,
  isDoubtful: boolean,
): Promise<EntryMeaning> {
  const corrected = isDoubtful ? undefined : await findCorrected(deps, tx, entry)
  if (corrected) return corrected
  const parts = partsOf(told)
  const returns = await findReturns(deps, tx, { entry, parts, externalId })
  const taken: string[] = []
  const after: (() => Promise<unknown>)[] = []
  for (const part of parts) {
    const record = returns.get(part.place)
    if (!record) continue
    const reference = parts.length === 1 ? entry.bankReference : null
    const identity = { ...identifyPart(deps.identityKey, entry.bankAccountId, part, reference), isReturn: true }
    const found = recognizeAmong(await findKnownParts(tx, entry, identity, taken))
    const known = found.is === 'REPEATED' ? found.known : undefined
    if (known) taken.push(`${known.bankEntryId}/${known.place}`)
    else after.push(() => record(isDoubtful || found.is === 'DOUBTFUL'))
    after.push(() =>
      insertPart(tx, entry, {
        ...identity,
        externalId: known?.externalId ?? `${externalId}/${part.place}`,
        ...(known ? { repeats: { bankEntryId: known.bankEntryId, place: known.place } } : {}),
      }),
    )
  }
  if (returns.size === parts.length) return { outcome: 'RETURN', after }
  return { outcome: 'UNMATCHED', after, reason: 'it returns a payment that is not known' }
}

/**
 * Finds the transactions of a credit that give payments of ours back. Only our own reference names the payment: the text
 * that a receiver wrote does not.
 */
export async function findReturns(
  deps: ReturnDeps,
  tx: Tx,
  { entry, parts, externalId }: { entry: NewEntry; parts: readonly Part[]; externalId: string },
): Promise<Map<number, (isDoubtful: boolean) => Promise<unknown>>> {
  const returning = parts.filter(({ detail }) => entry.isReversal || detail.return)
  const named = returning.flatMap(({ detail }) => detail.references.endToEndId ?? [])
  const sent = (await findSent(tx, named)).filter(({ bankAccountId }) => bankAccountId === entry.bankAccountId)
  const ours = returning.filter(({ detail }) =>
    sent.some(({ reference }) => reference === detail.references.endToEndId),
  )
  return new Map(
    ours.map(({ place, amount, detail }) => {
      const told: ToldReturn = {
        reference: detail.references.endToEndId ?? '',
        amount,
        currency: entry.currency,
        reason: detail.return?.reason?.code ?? 'reversed',
        valueDate: entry.valueDate ?? entry.bookingDate,
        bankEntryId: entry.bankEntryId,
        bankFileId: entry.bankFileId,
        identity: `${externalId}/${place}`,
      }
      // The bank's own reversal names the debit that it takes back. A return by the receiver's bank has a reason.
      const isProven = async () =>
        detail.return?.reason !== undefined || (await waiting.isPaidUnder(tx, told.reference, entry.bankReference))
      const record = async (isDoubtful: boolean) =>
        isDoubtful || !(await isProven()) ? reportDoubt(deps, tx, told) : recordReturn(deps, tx, told)
      return [place, record]
    }),
  )
}

/** Finds the second debit that the bank takes back with this credit: the payment stands, and the alarm ends. */
async function findCorrected(deps: ReturnDeps, tx: Tx, entry: NewEntry): Promise<EntryMeaning | undefined> {
  const { bankReference, bankAccountId, bankEntryId, amount } = entry
  if (bankReference === null) return undefined
  const debits = await findByBankReference(tx, bankAccountId, bankReference)
  if (debits.length === 0) return undefined
  const sum = debits.reduce((total, debit) => total + BigInt(debit.amount), 0n)
  if (sum !== amount) return { outcome: 'UNMATCHED', reason: 'it reverses a second debit with another amount' }
  const after = () => endSecondDebits(deps, tx, debits, bankEntryId)
  return { outcome: 'REVERSAL', after: [after] }
}

async function endSecondDebits(
  deps: ReturnDeps,
  tx: Tx,
  debits: readonly { bankEntryId: string; reference: string }[],
  reversedBy: string,
): Promise<void> {
  for (const debit of debits) await reverseSecondDebits(tx, debit.bankEntryId, reversedBy)
  const references = debits.map(({ reference }) => reference)
  const open = await listDebitedTwice(tx, references)
  for (const reference of references.filter((each) => !open.includes(each)))
    await deps.report(tx, { reportId: `once ${reversedBy} ${reference}`, reference, report: { state: 'PAID_ONCE' } })
}

/**
 * Applies reversals that came before the debit that they name: one of the paying debit returns the payment, one of a
 * second debit ends the alarm about that.
 */
export async function settleReversals(deps: ReturnDeps, tx: Tx, { bankEntryId, ...entry }: NewEntry): Promise<void> {
  if (entry.bankReference === null) return
  for (const { told, reportId } of await waiting.findWaitingReversals(
    tx,
    bankFilesRail,
    entry.bankAccountId,
    entry.bankReference,
  )) {
    const second = await findSecondDebit(tx, bankEntryId, told.reference)
    const isSecond = second !== undefined && BigInt(second.amount) === told.amount
    const isPaying = second === undefined && (await waiting.isPaidUnder(tx, told.reference, entry.bankReference))
    if (!isSecond && !isPaying) continue
    if (!(await waiting.withdrawReport(tx, bankFilesRail, reportId))) continue
    if (isPaying) {
      await recordReturn(deps, tx, told)
      continue
    }
    await moveEntry(tx, told.bankEntryId, 'RETURN', 'REVERSAL')
    await endSecondDebits(deps, tx, [{ bankEntryId, reference: told.reference }], told.bankEntryId)
  }
}
