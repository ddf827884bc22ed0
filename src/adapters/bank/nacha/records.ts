import { BankFileError } from '../bank-file-error.ts'
import { cutFields, type Fields, joinFields, type RecordKind } from './layouts.ts'
import { bytesOf, type Line } from './lines.ts'

/** One record of a file. writeRecord restores its bytes. */
export type NachaRecord = {
  [Kind in RecordKind]: { kind: Kind; fields: Fields<Kind>; line: Line }
}[RecordKind]

export type Addenda = Extract<
  NachaRecord,
  { kind: 'addenda' | 'addendaOther' | 'change' | 'refusedChange' | 'return' | 'dishonoredReturn' | 'contestedReturn' }
>
export type Entry = Extract<NachaRecord, { kind: 'entry' | 'entryIat' | 'entryAdv' }>
export type BatchHeader = Extract<NachaRecord, { kind: 'batchHeader' | 'batchHeaderIat' }>
export type BatchControl = Extract<NachaRecord, { kind: 'batchControl' | 'batchControlAdv' }>
export type FileControl = Extract<NachaRecord, { kind: 'fileControl' | 'fileControlAdv' }>

/** The entry class of a batch decides the layout of its entries and controls. */
export type EntryClass = 'STANDARD' | 'IAT' | 'ADV'

/** Finds the class of a batch from its header line. Returned and corrected IAT batches have the indicator IATCOR. */
export function classOf(line: Line): EntryClass {
  const secCode = line.text.slice(50, 53)
  if (secCode === 'IAT' || line.text.slice(4, 10) === 'IATCOR') return 'IAT'
  return secCode === 'ADV' ? 'ADV' : 'STANDARD'
}

const entryKinds = { STANDARD: 'entry', IAT: 'entryIat', ADV: 'entryAdv' } as const

/** Reads a line whose first column says which record it is. `entryClass` is that of the batch around it. */
export function readRecord(line: Line, entryClass: EntryClass): NachaRecord {
  const record = cutRecord(kindOf(line, entryClass), line)
  checkDigits(record)
  return record
}

function kindOf(line: Line, entryClass: EntryClass): RecordKind {
  switch (line.text[0]) {
    case '1':
      return 'fileHeader'
    case '5':
      return classOf(line) === 'IAT' ? 'batchHeaderIat' : 'batchHeader'
    case '6':
      return entryKinds[entryClass]
    case '7':
      return addendaKind(line)
    case '8':
      return entryClass === 'ADV' ? 'batchControlAdv' : 'batchControl'
    case '9':
      if (/^9{94}$/.test(line.text)) return 'padding'
      return entryClass === 'ADV' ? 'fileControlAdv' : 'fileControl'
    default:
      throw new BankFileError('MALFORMED', 'The record type must be 1, 5, 6, 7, 8 or 9', line.number)
  }
}

/** Nacha Operating Rules, appendices four and five: the codes of returns and changes. */
function addendaKind({ text, number }: Line): RecordKind {
  const type = text.slice(1, 3)
  const code = text.slice(3, 6)
  if (type === '05') return 'addenda'
  if (type === '98') {
    if (!/^C\d\d$/.test(code)) throw new BankFileError('MALFORMED', 'A change code must be C and two digits', number)
    return code >= 'C61' ? 'refusedChange' : 'change'
  }
  if (type === '99') {
    if (!/^R\d\d$/.test(code)) throw new BankFileError('MALFORMED', 'A return code must be R and two digits', number)
    if (code >= 'R61' && code <= 'R70') return 'dishonoredReturn'
    return code >= 'R71' && code <= 'R77' ? 'contestedReturn' : 'return'
  }
  if (/^(?:02|1[0-8])$/.test(type)) return 'addendaOther'
  throw new BankFileError('MALFORMED', 'The addenda type is unknown', number)
}

function cutRecord(kind: RecordKind, line: Line): NachaRecord {
  return { kind, fields: cutFields(kind, line.text), line } as NachaRecord
}

/** Restores the bytes of a record from its fields. */
export function writeRecord(record: NachaRecord): Buffer {
  return bytesOf({ ...record.line, text: joinFields(record.kind, record.fields as Fields) })
}

/** Fields that must be digits, by record. */
const digitFields: Partial<Record<RecordKind, readonly string[]>> = {
  fileHeader: ['creationDate'],
  batchHeader: ['serviceClass', 'odfi', 'batchNumber'],
  batchHeaderIat: ['serviceClass', 'odfi', 'batchNumber'],
  entry: ['transactionCode', 'rdfi', 'checkDigit', 'amount', 'addendaIndicator', 'traceNumber'],
  entryIat: ['transactionCode', 'rdfi', 'checkDigit', 'addendaCount', 'amount', 'addendaIndicator', 'traceNumber'],
  entryAdv: ['transactionCode', 'rdfi', 'checkDigit', 'amount', 'addendaIndicator'],
  addenda: ['sequence', 'entrySequence'],
  change: ['originalTrace'],
  refusedChange: ['originalTrace'],
  return: ['originalTrace'],
  dishonoredReturn: ['originalTrace', 'returnTrace'],
  contestedReturn: ['originalTrace', 'returnTrace', 'dishonoredTrace'],
  batchControl: ['serviceClass', 'entryCount', 'entryHash', 'debitTotal', 'creditTotal', 'odfi', 'batchNumber'],
  batchControlAdv: ['serviceClass', 'entryCount', 'entryHash', 'debitTotal', 'creditTotal', 'odfi', 'batchNumber'],
  fileControl: ['batchCount', 'blockCount', 'entryCount', 'entryHash', 'debitTotal', 'creditTotal'],
  fileControlAdv: ['batchCount', 'blockCount', 'entryCount', 'entryHash', 'debitTotal', 'creditTotal'],
}

function checkDigits({ kind, fields, line }: NachaRecord): void {
  for (const name of digitFields[kind] ?? []) {
    const value = (fields as Record<string, string>)[name] ?? ''
    if (!/^\d+$/.test(value)) throw new BankFileError('MALFORMED', `${name} of ${kind} must be digits`, line.number)
  }
}
