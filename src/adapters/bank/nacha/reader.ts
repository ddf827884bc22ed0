import { BankFileError } from '../bank-file-error.ts'
import { blockingFactor, type Fields } from './layouts.ts'
import { type Line, readLines } from './lines.ts'
import {
  type Addenda,
  type BatchControl,
  type BatchHeader,
  classOf,
  type Entry,
  type EntryClass,
  type FileControl,
  type NachaRecord,
  readRecord,
} from './records.ts'
import { addEntry, checkTotals, directionIn, noTotals, type Totals } from './totals.ts'

/** An entry with its batch and addenda. */
export type BatchedEntry = {
  type: 'ENTRY'
  batch: BatchHeader
  entry: Entry
  direction: 'CREDIT' | 'DEBIT'
  amount: bigint
  addenda: readonly Addenda[]
}
export type FileBeginning = { type: 'FILE'; header: Fields<'fileHeader'> }

/** A return of an IAT entry has up to 13 addenda, a CTX entry 9,999. */
const mostAddenda = 9_999

type OpenBatch = { header: BatchHeader; entryClass: EntryClass; totals: Totals; open: BatchedEntry | undefined }
type OpenFile = {
  records: number
  batches: number
  totals: Totals
  entryClass: EntryClass
  batch: OpenBatch | undefined
}

/**
 * Reads every record of a file, and checks their order, counts, hashes and totals. A file is sound only once the
 * generator has ended without an error: its totals are at its end.
 */
export async function* readRecords(source: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<NachaRecord> {
  for await (const { record } of walk(source)) if (record) yield record
}

/** Reads the file header, then each entry with its addenda. The file is sound once the generator has ended. */
export async function* readEntries(
  source: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncGenerator<FileBeginning | BatchedEntry> {
  for await (const { record, finished } of walk(source)) {
    if (finished) yield finished
    if (record?.kind === 'fileHeader') yield { type: 'FILE', header: record.fields }
  }
}

type Step = { record: NachaRecord | undefined; finished: BatchedEntry | undefined }

async function* walk(source: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Step> {
  const file: OpenFile = { records: 0, batches: 0, totals: noTotals(), entryClass: 'STANDARD', batch: undefined }
  let stage: 'START' | 'OPEN' | 'ENDED' = 'START'
  let last = 0
  for await (const line of readLines(source)) {
    last = line.number
    if (stage === 'ENDED') {
      yield { record: readTrailer(line), finished: undefined }
      continue
    }
    const record = readRecord(line, file.batch?.entryClass ?? file.entryClass)
    file.records += 1
    if (stage === 'START') {
      checkFileHeader(record)
      stage = 'OPEN'
      yield { record, finished: undefined }
      continue
    }
    const finished = takeRecord(file, record)
    if (record.kind === 'fileControl' || record.kind === 'fileControlAdv') stage = 'ENDED'
    yield { record, finished }
  }
  if (stage !== 'ENDED') throw new BankFileError('MALFORMED', 'The file ends before its control record', last)
}

/** Reads a line after the file control: nines, or nothing. */
function readTrailer(line: Line): NachaRecord | undefined {
  if (line.text.trim() === '') return { kind: 'padding', fields: { nines: line.text }, line }
  const record = line.text[0] === '9' ? readRecord(line, 'STANDARD') : undefined
  if (record?.kind === 'padding') return record
  throw new BankFileError('MALFORMED', 'Only lines of nines follow the file control', line.number)
}

function checkFileHeader(record: NachaRecord): void {
  const { kind, fields, line } = record
  const isRight =
    kind === 'fileHeader' &&
    fields.priority === '01' &&
    fields.recordSize === '094' &&
    fields.blockingFactor === '10' &&
    fields.formatCode === '1'
  if (isRight) return
  throw new BankFileError('MALFORMED', 'A file begins with a file header of format 1 with records of 94', line.number)
}

/** Takes the next record, and returns the entry that it completes. */
function takeRecord(file: OpenFile, record: NachaRecord): BatchedEntry | undefined {
  const { batch } = file
  switch (record.kind) {
    case 'batchHeader':
    case 'batchHeaderIat':
      if (batch) throw misplaced(record)
      file.batch = openBatch(record)
      file.batches += 1
      return undefined
    case 'entry':
    case 'entryIat':
    case 'entryAdv':
      if (!batch) throw misplaced(record)
      return beginEntry(batch, record)
    case 'batchControl':
    case 'batchControlAdv':
      if (!batch) throw misplaced(record)
      return endBatch(file, batch, record)
    case 'fileControl':
    case 'fileControlAdv':
      if (batch) throw misplaced(record)
      endFile(file, record)
      return undefined
    case 'fileHeader':
    case 'padding':
      throw misplaced(record)
    default:
      if (!batch?.open) throw misplaced(record)
      addAddenda(batch, batch.open, record)
      return undefined
  }
}

function misplaced({ kind, line }: NachaRecord): BankFileError {
  return new BankFileError('MALFORMED', `A ${kind} record cannot stand here`, line.number)
}

function openBatch(header: BatchHeader): OpenBatch {
  const { serviceClass, secCode } = header.fields
  if (!['200', '220', '225', '280'].includes(serviceClass)) {
    throw new BankFileError('MALFORMED', 'The service class must be 200, 220, 225 or 280', header.line.number)
  }
  if (!/^[A-Z]{3}$/i.test(secCode)) {
    throw new BankFileError('MALFORMED', 'The entry class must be three letters', header.line.number)
  }
  return { header, entryClass: classOf(header.line), totals: noTotals(), open: undefined }
}

function beginEntry(batch: OpenBatch, entry: Entry): BatchedEntry | undefined {
  const finished = finishEntry(batch)
  const direction = directionIn(batch.header.fields.serviceClass, entry)
  const amount = BigInt(entry.fields.amount)
  addEntry(batch.totals, { rdfi: entry.fields.rdfi, amount, direction })
  batch.open = { type: 'ENTRY', batch: batch.header, entry, direction, amount, addenda: [] }
  return finished
}

function addAddenda(batch: OpenBatch, open: BatchedEntry, addenda: Addenda): void {
  batch.totals.count += 1
  const known = open.addenda as Addenda[]
  known.push(addenda)
  if (known.length > mostAddenda)
    throw new BankFileError('TOO_LARGE', 'The entry has too many addenda', addenda.line.number)
}

/** Completes the entry before: its indicator says whether it has addenda. */
function finishEntry(batch: OpenBatch): BatchedEntry | undefined {
  const { open } = batch
  batch.open = undefined
  if (!open) return undefined
  const { addendaIndicator } = open.entry.fields
  if (addendaIndicator === (open.addenda.length > 0 ? '1' : '0')) return open
  throw new BankFileError('MALFORMED', 'The addenda indicator differs from the addenda', open.entry.line.number)
}

function endBatch(file: OpenFile, batch: OpenBatch, control: BatchControl): BatchedEntry | undefined {
  const finished = finishEntry(batch)
  checkAgreement(batch.header, control)
  checkTotals(batch.totals, control)
  file.totals.count += batch.totals.count
  file.totals.hash += batch.totals.hash
  file.totals.debits += batch.totals.debits
  file.totals.credits += batch.totals.credits
  // The control record of a file of advices has wider totals.
  file.entryClass = batch.entryClass
  file.batch = undefined
  return finished
}

/** Compares a batch control with its header. Some banks leave the company out of the control, or shift it by a column. */
function checkAgreement({ fields: header }: BatchHeader, control: BatchControl): void {
  const { serviceClass, odfi, batchNumber } = control.fields
  const company = control.kind === 'batchControl' ? control.fields.companyId.trim() : ''
  const isOtherCompany = company !== '' && company !== header.companyId.trim()
  const isOther = serviceClass !== header.serviceClass || odfi !== header.odfi || batchNumber !== header.batchNumber
  if (isOther || isOtherCompany) {
    throw new BankFileError('MALFORMED', 'The batch control differs from its batch header', control.line.number)
  }
}

function endFile(file: OpenFile, control: FileControl): void {
  checkTotals(file.totals, control)
  const { batchCount, blockCount } = control.fields
  const blocks = Math.ceil(file.records / blockingFactor)
  if (Number(batchCount) !== file.batches || Number(blockCount) !== blocks) {
    throw new BankFileError('WRONG_TOTALS', 'The file control counts other batches or blocks', control.line.number)
  }
}
