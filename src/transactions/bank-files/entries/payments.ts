import type { FiatLabel } from '../../../catalog/currencies.ts'
import type { Tx } from '../../../db/database.ts'
import type { NewReport } from '../../payouts/reports/service.ts'
import type { Charge, EntryRecord } from '../formats.ts'
import { isCollected, type Part, partsOf } from './entry.ts'
import { type EntryMeaning, moveEntry, type NewEntry } from './entry-store.ts'
import * as store from './reference-store.ts'

export type ReportDeps = {
  /** Hands a report to the payouts, in the database transaction that records its cause. */
  report(tx: Tx, report: Omit<NewReport, 'rail'>): Promise<unknown>
}

/** Records what a booked debit pays: payments that it names by our references, or a whole file by its id. */
export async function recordDebit(deps: ReportDeps, tx: Tx, entry: NewEntry, told: EntryRecord): Promise<EntryMeaning> {
  // A creditor who collects money chooses its references.
  if (isCollected(told)) return { outcome: 'UNMATCHED' }
  const parts = partsOf(told)
  const named = parts.flatMap(({ detail }) => detail.references.endToEndId ?? [])
  const sent = (await store.findSent(tx, named)).filter(({ bankAccountId }) => bankAccountId === entry.bankAccountId)
  if (sent.length === 0) return recordBatch(deps, tx, entry, told)
  let areAllPaid = true
  const due: (() => Promise<boolean>)[] = []
  for (const part of parts) {
    const item = sent.find(({ reference }) => reference === part.detail.references.endToEndId)
    if (item) due.push(() => recordPart(deps, tx, { entry, told, part, item, isOnly: parts.length === 1 }))
    else areAllPaid = false
  }
  return { outcome: areAllPaid ? 'PAYMENT' : 'UNMATCHED', after: due }
}

type NamedPart = { entry: NewEntry; told: EntryRecord; part: Part; item: store.SentItem; isOnly: boolean }

async function recordPart(deps: ReportDeps, tx: Tx, { entry, told, part, item, isOnly }: NamedPart): Promise<boolean> {
  const costs = includedCosts([...part.detail.charges, ...(isOnly ? told.charges : [])])
  const { references } = part.detail
  const payment = {
    reference: item.reference,
    bankEntryId: entry.bankEntryId,
    externalReference: references.bankReference ?? entry.bankReference ?? `${entry.statementKey}:${entry.position}`,
    amount: part.amount - costs,
    costs,
    valueDate: entry.valueDate ?? entry.bookingDate,
  }
  const isRight = payment.amount === BigInt(item.amount)
  const isNew = isRight && (await store.insertPayment(tx, payment))
  // Another amount contradicts our record: the payout raises the alarm, and nothing else changes.
  if (isNew || !isRight) await reportPayment(deps, tx, payment, entry.currency)
  return isNew
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
async function recordBatch(deps: ReportDeps, tx: Tx, entry: NewEntry, told: EntryRecord): Promise<EntryMeaning> {
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
  // Another message told its payments one by one.
  if (sumOf(batch) === amount && batch.items.every(({ isPaid }) => isPaid)) return { outcome: 'REPEATED', batchFileId }
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

/** Compares debits that name a file with it again: the bank's word about its payments has changed. */
export async function rematchBatch(deps: ReportDeps, tx: Tx, bankFileId: string): Promise<void> {
  for (const open of await store.findOpenBatchEntries(tx, bankFileId)) {
    const batch = await store.findBatch(tx, open.bankAccountId, [open.messageId])
    if (!batch || !fits(batch, BigInt(open.amount))) continue
    if (await moveEntry(tx, open.bankEntryId, 'UNMATCHED', 'PAYMENT')) await payBatch(deps, tx, batch, open)
  }
}
