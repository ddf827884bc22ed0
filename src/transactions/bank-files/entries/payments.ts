import type { FiatLabel } from '../../../catalog/currencies.ts'
import type { Tx } from '../../../db/database.ts'
import type { Charge, EntryRecord } from '../formats.ts'
import type { ReportDeps } from '../returns/record.ts'
import { insertSecondDebit } from '../returns/second-debit-store.ts'
import { isCollected, type Part, partsOf, type Recognition } from './entry.ts'
import { type EntryMeaning, moveEntry, type NewEntry } from './entry-store.ts'
import * as store from './reference-store.ts'

/** Records what a booked debit pays: payments that it names by our references, or a whole file by its id. */
export async function recordDebit(
  deps: ReportDeps,
  tx: Tx,
  entry: NewEntry,
  told: EntryRecord,
  recognition: Recognition,
): Promise<EntryMeaning> {
  // A creditor who collects money chooses its references.
  if (isCollected(told)) return { outcome: 'UNMATCHED' }
  const parts = partsOf(told)
  const named = parts.flatMap(({ detail }) => detail.references.endToEndId ?? [])
  const sent = (await store.findSent(tx, named)).filter(({ bankAccountId }) => bankAccountId === entry.bankAccountId)
  if (sent.length === 0) return recordBatch(deps, tx, entry, told, recognition)
  const payers = await findPayers(tx, named)
  const isTold = payers.size > 0 && (await store.isToldBefore(tx, entry))
  const seen = new Set<string>()
  const due: (() => Promise<unknown>)[] = []
  const kinds = new Set<PartKind>()
  for (const part of parts) {
    const item = sent.find(({ reference }) => reference === part.detail.references.endToEndId)
    const payment = item && paymentOf({ entry, told, part, item, isOnly: parts.length === 1 })
    const payer = item && payers.get(item.reference)
    const isPaidHere = item !== undefined && seen.has(item.reference)
    const isKnown = payer !== undefined && isPayer(payer, recognition)
    const isSame = isKnown || (payer !== undefined && !isTold && isSameBooking(entry, payer))
    const kind = kindOf({ item, payment, isPaid: payer !== undefined || isPaidHere, isSame: isSame && !isPaidHere })
    kinds.add(kind)
    if (payment && kind === 'REPEATED')
      due.push(() => store.insertTellings(tx, entry.bankEntryId, [{ ...payment, amount: part.amount }]))
    if (!payment || kind === 'REPEATED' || (kind === 'AGAIN' && isLikely(recognition))) continue
    seen.add(payment.reference)
    due.push(() => recordPart(deps, tx, payment, entry.currency, kind))
  }
  if (kinds.has('UNKNOWN') || kinds.has('CONTRARY') || kinds.has('AGAIN')) return { outcome: 'UNMATCHED', after: due }
  return { outcome: kinds.has('NEW') ? 'PAYMENT' : 'REPEATED', after: due }
}

/** True when the debit that paid has the reference and amount of this one, although it is told otherwise. */
function isPayer({ bankEntryId }: store.Payer, recognition: Recognition): boolean {
  if (recognition.is === 'NEW') return false
  const { known } = recognition
  return known.bankEntryId === bankEntryId && known.bankReference === 'SAME' && known.isSameAmount
}

/** True when a debit is likely one that another message told: it waits for an operator, and is no second payment. */
const isLikely = (recognition: Recognition) => recognition.is === 'DOUBTFUL' && !recognition.isStrong

/** NEW: it pays. REPEATED: another message told it. AGAIN: the bank has paid twice. CONTRARY: another amount. */
type PartKind = 'NEW' | 'REPEATED' | 'AGAIN' | 'CONTRARY' | 'UNKNOWN'

function kindOf(part: {
  item: store.SentItem | undefined
  payment: store.NewPayment | undefined
  isPaid: boolean
  isSame: boolean
}): PartKind {
  if (!part.item || !part.payment) return 'UNKNOWN'
  const isRight = part.payment.amount === BigInt(part.item.amount)
  if (!part.isPaid) return isRight ? 'NEW' : 'CONTRARY'
  return isRight && part.isSame ? 'REPEATED' : 'AGAIN'
}

async function findPayers(tx: Tx, references: readonly string[]): Promise<Map<string, store.Payer>> {
  return new Map((await store.findPayers(tx, references)).map((payer) => [payer.reference, payer]))
}

/**
 * True when the other kind of message told the same booking otherwise: as one batch, or payment by payment. An entry that
 * it told alike was recognized before.
 */
function isSameBooking(entry: NewEntry, payer: store.Payer, isBatch = false): boolean {
  const isOtherShape = payer.isBatch !== isBatch || BigInt(payer.amount) !== entry.amount
  return payer.source !== entry.source && isOtherShape && isSameDay(entry, payer)
}

type Days = { bookingDate: string | null; valueDate: string | null }

function isSameDay(one: Days, other: Days): boolean {
  if (one.bookingDate !== null && other.bookingDate !== null) return one.bookingDate === other.bookingDate
  return one.valueDate === null || other.valueDate === null || one.valueDate === other.valueDate
}

type NamedPart = { entry: NewEntry; told: EntryRecord; part: Part; item: store.SentItem; isOnly: boolean }

function paymentOf({ entry, told, part, item, isOnly }: NamedPart): store.NewPayment {
  // Some banks repeat the charges of an entry at its only payment.
  const isRepeated = part.detail.charges.length > 0
  const costs = includedCosts(isRepeated || !isOnly ? part.detail.charges : told.charges)
  const { references } = part.detail
  return {
    reference: item.reference,
    bankEntryId: entry.bankEntryId,
    externalReference: references.bankReference ?? entry.bankReference ?? `${entry.statementKey}:${entry.position}`,
    amount: part.amount - costs,
    costs,
    valueDate: entry.valueDate ?? entry.bookingDate,
  }
}

async function recordPart(
  deps: ReportDeps,
  tx: Tx,
  payment: store.NewPayment,
  currency: string,
  kind: PartKind,
): Promise<void> {
  if (kind === 'AGAIN') return reportAgain(deps, tx, payment)
  // Another amount contradicts our record: the payout raises the alarm, and nothing else changes.
  if (kind === 'CONTRARY' || (await store.insertPayment(tx, payment))) await reportPayment(deps, tx, payment, currency)
}

/** Reports that the bank has debited us for a payment that it had paid before. */
async function reportAgain(
  deps: ReportDeps,
  tx: Tx,
  { reference, bankEntryId, externalReference, amount }: Omit<store.NewPayment, 'costs' | 'valueDate'>,
): Promise<void> {
  await insertSecondDebit(tx, { bankEntryId, reference, amount })
  const reportId = `again ${bankEntryId} ${reference}`
  await deps.report(tx, { reportId, reference, report: { state: 'PAID_TWICE', externalReference, amount } })
}

function includedCosts(charges: readonly Charge[]): bigint {
  const included = charges.filter(({ isIncluded, direction }) => isIncluded && direction === 'DEBIT')
  return included.reduce((sum, { amount }) => sum + amount.units, 0n)
}

async function reportPayment(deps: ReportDeps, tx: Tx, payment: store.NewPayment, currency: string): Promise<void> {
  const { reference, bankEntryId, externalReference, amount, costs, valueDate } = payment
  await deps.report(tx, {
    reportId: `payment ${bankEntryId} ${reference}`,
    reference,
    report: {
      state: 'CONFIRMED',
      externalReference,
      amount,
      ...(valueDate === null ? {} : { valueDate }),
      costs: costs > 0n ? [{ asset: currency as FiatLabel, amount: costs }] : [],
    },
  })
}

/** The bank books a whole file as one entry: it must be the sum of the payments that the bank has not rejected. */
async function recordBatch(
  deps: ReportDeps,
  tx: Tx,
  entry: NewEntry,
  told: EntryRecord,
  recognition: Recognition,
): Promise<EntryMeaning> {
  const { fileId, paymentInformationId } = told.batch ?? {}
  const ofDetails = told.details.flatMap(({ references }) => [references.messageId, references.paymentInformationId])
  const names = [fileId, paymentInformationId, ...ofDetails].filter((name) => name !== undefined)
  const batch = names.length > 0 ? await store.findBatch(tx, entry.bankAccountId, names) : undefined
  if (!batch) return { outcome: 'UNMATCHED' }
  const { bankEntryId, amount, currency, valueDate, bookingDate } = entry
  const payer = {
    bankEntryId,
    amount,
    currency,
    valueDate: valueDate ?? bookingDate,
    externalReference: entry.bankReference ?? `${entry.statementKey}:${entry.position}`,
  }
  const { bankFileId: batchFileId } = batch
  if (sumOf(batch) === amount && batch.items.every(({ isPaid }) => isPaid)) {
    const payers = await findPayers(
      tx,
      batch.items.map(({ reference }) => reference),
    )
    const isSame =
      [...payers.values()].every((each) => isPayer(each, recognition)) ||
      ([...payers.values()].every((each) => isSameBooking(entry, each, true)) &&
        !(await store.isToldBefore(tx, entry, batchFileId)))
    if (isSame) {
      const told = batch.items.map(({ reference, amount: units }) => ({ reference, amount: BigInt(units) }))
      return { outcome: 'REPEATED', batchFileId, after: [() => store.insertTellings(tx, bankEntryId, told)] }
    }
    if (isLikely(recognition)) return { outcome: 'UNMATCHED', batchFileId }
    return { outcome: 'UNMATCHED', batchFileId, after: [() => reportBatchAgain(deps, tx, batch, payer)] }
  }
  if (!fits(batch, amount)) return { outcome: 'UNMATCHED', batchFileId }
  return { outcome: 'PAYMENT', batchFileId, after: [() => payBatch(deps, tx, batch, payer)] }
}

function sumOf({ items }: store.SentBatch): bigint {
  return items.reduce((total, item) => total + BigInt(item.amount), 0n)
}

function fits(batch: store.SentBatch, amount: bigint): boolean {
  return sumOf(batch) === amount && batch.items.every(({ isPaid }) => !isPaid)
}

type Payer = Pick<store.NewPayment, 'bankEntryId' | 'valueDate' | 'externalReference'> & { currency: string }

async function payBatch(deps: ReportDeps, tx: Tx, { items }: store.SentBatch, payer: Payer): Promise<boolean> {
  const { currency, bankEntryId, valueDate, externalReference } = payer
  for (const { reference, amount } of items) {
    const payment = { reference, bankEntryId, valueDate, externalReference, amount: BigInt(amount), costs: 0n }
    if (await store.insertPayment(tx, payment)) await reportPayment(deps, tx, payment, currency)
  }
  return true
}

async function reportBatchAgain(deps: ReportDeps, tx: Tx, { items }: store.SentBatch, payer: Payer): Promise<void> {
  const { bankEntryId, externalReference } = payer
  for (const { reference, amount } of items)
    await reportAgain(deps, tx, { reference, bankEntryId, externalReference, amount: BigInt(amount) })
}

/** Compares debits that name a file with it again: the bank's word about its payments has changed. */
export async function rematchBatch(deps: ReportDeps, tx: Tx, bankFileId: string): Promise<void> {
  for (const open of await store.findOpenBatchEntries(tx, bankFileId)) {
    const batch = await store.findBatch(tx, open.bankAccountId, [open.messageId])
    if (!batch || !fits(batch, BigInt(open.amount))) continue
    if (await moveEntry(tx, open.bankEntryId, 'UNMATCHED', 'PAYMENT')) await payBatch(deps, tx, batch, open)
  }
}
