import { zonedTime } from '../../../lib/calendar.ts'
import type { FileHeader, OutgoingFile, OutgoingPayment } from '../../../transactions/bank-files/formats.ts'
import type { NachaDialect } from '../../../transactions/treasury/bank-account.ts'
import { fitText, identifierProblem, nameProblem } from '../text/charsets.ts'
import { blockingFactor, recordWidth, writeLine } from './layouts.ts'
import { addEntry, hashOf, noTotals, type Totals } from './totals.ts'

/** The largest amount of an entry, and of a file: ten and twelve digits of cents. */
const mostCents = 9_999_999_999n
const mostFileCents = 999_999_999_999n
/** A control record counts at most 999,999 entries and addenda. */
const mostEntries = 499_999
const eastern = 'America/New_York'
const chunkBytes = 64 * 1024

/** Tells why a payment cannot be written as an ACH credit; undefined when it can. */
export function nachaProblem(_file: FileHeader, { reference, amount, receiver }: OutgoingPayment): string | undefined {
  const { routingNumber = '', accountNumber = '' } = receiver.coordinates
  if (amount <= 0n || amount > mostCents) return 'the amount must have 1 to 10 digits of cents'
  const references = identifierProblem(reference, 'nacha', 15)
  if (references) return `the reference ${references}`
  if (!/^\d{9}$/.test(routingNumber)) return 'the routing number must have 9 digits'
  const numbers = identifierProblem(accountNumber, 'nacha', 17)
  if (numbers) return `the account number ${numbers}`
  const names = nameProblem(receiver.name, 'nacha')
  return names ? `the name of the receiver ${names}` : undefined
}

/**
 * Writes a file of ACH credits: a batch of PPD entries for persons, then one of CCD entries for businesses. The writer
 * passes over the payments twice, and holds none of them.
 */
export function* writeNacha(file: OutgoingFile): Generator<Buffer> {
  yield* gatherLines(nachaLines(file))
}

/** Joins lines into buffers of about 64 KB. */
export function* gatherLines(lines: Iterable<string>): Generator<Buffer> {
  let text = ''
  for (const line of lines) {
    text += `${line}\n`
    if (text.length < chunkBytes) continue
    yield Buffer.from(text, 'latin1')
    text = ''
  }
  if (text !== '') yield Buffer.from(text, 'latin1')
}

type Count = { batches: number; lines: number; traces: number; totals: Totals }

function* nachaLines(file: OutgoingFile): Generator<string> {
  const dialect = dialectOf(file)
  const count: Count = { batches: 0, lines: 2, traces: 0, totals: noTotals() }
  yield writeFileHeader(dialect, file.createdAt, file.fileIdModifier ?? 'A')
  // An iterator can be passed over once only.
  const payments = isIterator(file.payments) ? [...file.payments] : file.payments
  for (const secCode of ['PPD', 'CCD'] as const) yield* batchLines(file, payments, secCode, count)
  if (count.totals.count === 0) throw new RangeError('A file needs at least one payment')
  yield* endingLines(count)
}

function isIterator<T>(items: Iterable<T>): boolean {
  return items[Symbol.iterator]() === (items as unknown)
}

function dialectOf({ account }: FileHeader): NachaDialect {
  const { nacha } = account.dialect
  if (!nacha) throw new RangeError(`The account ${account.bankAccountId} has no NACHA dialect`)
  return nacha
}

export type FileNames = Pick<
  NachaDialect,
  'immediateDestination' | 'immediateOrigin' | 'destinationName' | 'originName'
>

export function writeFileHeader(names: FileNames, createdAt: Date, fileIdModifier: string): string {
  const { day, time } = zonedTime(createdAt, eastern)
  return writeLine('fileHeader', {
    recordType: '1',
    priority: '01',
    destination: names.immediateDestination.padStart(10),
    origin: names.immediateOrigin.padStart(10),
    creationDate: shortDay(day),
    creationTime: time.replace(':', ''),
    fileIdModifier,
    recordSize: '094',
    blockingFactor: String(blockingFactor),
    formatCode: '1',
    destinationName: fitText(names.destinationName, 'nacha', 23),
    originName: fitText(names.originName, 'nacha', 23),
  })
}

/** Writes 2026-11-16 as 261116. */
export const shortDay = (day: string): string => day.slice(2).replaceAll('-', '')

function* batchLines(
  file: OutgoingFile,
  payments: Iterable<OutgoingPayment>,
  secCode: 'PPD' | 'CCD',
  count: Count,
): Generator<string> {
  const { companyId, odfi } = dialectOf(file)
  let totals = noTotals()
  for (const payment of payments) {
    if (payment.receiver.isBusiness !== (secCode === 'CCD')) continue
    const problem = nachaProblem(file, payment)
    if (problem) throw new RangeError(`${payment.reference} cannot be written: ${problem}`)
    if (totals.count === 0) {
      count.batches += 1
      yield batchHeader(file, secCode, count.batches)
    }
    count.traces += 1
    yield* entryLines(payment, { odfi, trace: count.traces }, totals)
    if (count.totals.credits + totals.credits > mostFileCents) {
      throw new RangeError('The total of a NACHA file has at most 12 digits')
    }
    if (totals.count < mostEntries) continue
    yield endBatch(totals, { companyId, odfi, batchNumber: count.batches }, count)
    totals = noTotals()
  }
  if (totals.count > 0) yield endBatch(totals, { companyId, odfi, batchNumber: count.batches }, count)
}

function batchHeader(file: OutgoingFile, secCode: 'PPD' | 'CCD', batchNumber: number): string {
  const { companyName, companyId, odfi } = dialectOf(file)
  return writeLine('batchHeader', {
    recordType: '5',
    serviceClass: '220',
    companyName: fitText(companyName, 'nacha', 16),
    companyId,
    secCode,
    entryDescription: 'PAYMENT',
    descriptiveDate: file.service === 'ACH_SAME_DAY' ? sameDayMark(file.createdAt) : shortDay(file.executionDate),
    effectiveDate: shortDay(file.executionDate),
    originatorStatus: '1',
    odfi,
    batchNumber,
  })
}

/**
 * Names the settlement of the same day that we want: SD and its time. Nacha Operating Rules, company descriptive date.
 * Files before 10:30 settle at 13:00, before 14:45 at 17:00, before 16:45 at 18:00, all in Eastern time.
 */
function sameDayMark(createdAt: Date): string {
  const { time } = zonedTime(createdAt, eastern)
  if (time < '10:30') return 'SD1300'
  return time < '14:45' ? 'SD1700' : 'SD1800'
}

function* entryLines(
  { reference, amount, receiver, memo }: OutgoingPayment,
  { odfi, trace }: { odfi: string; trace: number },
  totals: Totals,
): Generator<string> {
  const { routingNumber = '', accountNumber = '' } = receiver.coordinates
  const rdfi = routingNumber.slice(0, 8)
  // The receiver sees the reference in any case: addenda are for other texts.
  const text = memo === reference ? '' : fitText(memo, 'nacha', 80)
  addEntry(totals, { rdfi, amount, direction: 'CREDIT' })
  yield writeLine('entry', {
    recordType: '6',
    transactionCode: receiver.bankAccountType.toUpperCase() === 'SAVINGS' ? '32' : '22',
    rdfi,
    checkDigit: routingNumber.slice(8),
    accountNumber,
    amount,
    individualId: reference,
    individualName: fitText(receiver.name, 'nacha', 22),
    addendaIndicator: text === '' ? '0' : '1',
    traceNumber: `${odfi}${String(trace).padStart(7, '0')}`,
  })
  if (text === '') return
  totals.count += 1
  yield writeLine('addenda', { recordType: '7', addendaType: '05', text, sequence: 1, entrySequence: trace })
}

/** Writes the control record of a batch, and adds its totals to those of the file. */
export function endBatch(
  totals: Totals,
  batch: { companyId: string; odfi: string; batchNumber: number; serviceClass?: string },
  count: Pick<Count, 'lines' | 'totals'>,
): string {
  count.lines += totals.count + 2
  count.totals.count += totals.count
  count.totals.hash += totals.hash
  count.totals.debits += totals.debits
  count.totals.credits += totals.credits
  return writeLine('batchControl', {
    recordType: '8',
    serviceClass: batch.serviceClass ?? '220',
    entryCount: totals.count,
    entryHash: hashOf(totals),
    debitTotal: totals.debits,
    creditTotal: totals.credits,
    companyId: batch.companyId,
    odfi: batch.odfi,
    batchNumber: batch.batchNumber,
  })
}

/** Writes the file control, and lines of nines up to the end of the block. `lines` counts all others. */
export function* endingLines({ batches, lines, totals }: Omit<Count, 'traces'>): Generator<string> {
  const blocks = Math.ceil(lines / blockingFactor)
  yield writeLine('fileControl', {
    recordType: '9',
    batchCount: batches,
    blockCount: blocks,
    entryCount: totals.count,
    entryHash: hashOf(totals),
    debitTotal: totals.debits,
    creditTotal: totals.credits,
  })
  for (let line = lines; line < blocks * blockingFactor; line += 1) yield '9'.repeat(recordWidth)
}
