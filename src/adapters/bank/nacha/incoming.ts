import { isRealDay } from '../../../lib/calendar.ts'
import type {
  AchEntryRecord,
  ChangeRecord,
  FileRecord,
  IncomingRecord,
  Money,
  ReturnRecord,
} from '../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../bank-file-error.ts'
import type { Fields } from './layouts.ts'
import { type BatchedEntry, readEntries } from './reader.ts'
import type { Addenda } from './records.ts'

/** Reads a NACHA file from a bank: returns, notifications of change, and entries that change nothing. */
export async function* readNachaIncoming(source: AsyncIterable<Buffer>): AsyncGenerator<IncomingRecord> {
  for await (const item of readEntries(source)) yield item.type === 'FILE' ? fileRecord(item.header) : meaningOf(item)
}

function fileRecord(header: Fields<'fileHeader'>): FileRecord {
  const { origin, destination, creationDate, creationTime, fileIdModifier, referenceCode } = header
  const time = /^\d{4}$/.test(creationTime) ? `${creationTime.slice(0, 2)}:${creationTime.slice(2)}` : '00:00'
  if (!isRealDay(longDay(creationDate))) throw new BankFileError('MALFORMED', 'The file has no creation date', 1)
  const parts = [origin, destination, creationDate, creationTime, fileIdModifier, referenceCode]
  return {
    type: 'FILE',
    format: 'NACHA',
    version: '094',
    messageId: parts
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .join('-'),
    createdAt: `${longDay(creationDate)}T${time}`,
  }
}

function meaningOf(item: BatchedEntry): ReturnRecord | ChangeRecord | AchEntryRecord {
  // A contested return repeats the addenda of the stages before: the last one says what the entry is now.
  const answer = item.addenda.findLast(({ kind }) => kind !== 'addenda' && kind !== 'addendaOther')
  switch (answer?.kind) {
    case 'return':
    case 'dishonoredReturn':
    case 'contestedReturn':
      return returnRecord(item, answer)
    case 'change':
    case 'refusedChange':
      return changeRecord(item, answer)
    default:
      return entryRecord(item)
  }
}

type ReturnAddenda = Extract<Addenda, { kind: 'return' | 'dishonoredReturn' | 'contestedReturn' }>

function returnRecord(item: BatchedEntry, answer: ReturnAddenda): ReturnRecord {
  const { returnCode: code, originalTrace } = answer.fields
  const reference = referenceOf(item)
  const text = 'text' in answer.fields ? answer.fields.text.trim() : ''
  const effective = longDay(item.batch.fields.effectiveDate)
  return {
    type: 'RETURN',
    source: 'NACHA',
    returnId: ['NACHA', reference, originalTrace, item.entry.fields.traceNumber, code].join('/'),
    reference,
    originalTrace,
    original: item.direction,
    amount: dollars(item.amount),
    code,
    ...(text === '' ? {} : { text }),
    isDishonored: answer.kind === 'dishonoredReturn',
    isContested: answer.kind === 'contestedReturn',
    ...(isRealDay(effective) ? { effectiveDate: effective } : {}),
  }
}

type ChangeAddenda = Extract<Addenda, { kind: 'change' | 'refusedChange' }>

function changeRecord(item: BatchedEntry, { kind, fields }: ChangeAddenda): ChangeRecord {
  const { changeCode: code, originalTrace } = fields
  const reference = referenceOf(item)
  return {
    type: 'CHANGE',
    changeId: ['NACHA', reference, originalTrace, item.entry.fields.traceNumber, code].join('/'),
    reference,
    originalTrace,
    code,
    corrected: fields.corrected.trimEnd(),
    isRefused: kind === 'refusedChange',
  }
}

function entryRecord(item: BatchedEntry): AchEntryRecord {
  const { fields } = item.entry
  return {
    type: 'ACH_ENTRY',
    direction: item.direction,
    secCode: item.batch.fields.secCode,
    traceNumber: fields.traceNumber,
    reference: referenceOf(item),
    amount: dollars(item.amount),
    name: 'individualName' in fields ? fields.individualName.trim() : '',
  }
}

function referenceOf({ entry }: BatchedEntry): string {
  return entry.kind === 'entry' ? entry.fields.individualId.trim() : ''
}

const dollars = (units: bigint): Money => ({ currency: 'USD', units })

/** Reads 261116 as 2026-11-16. */
function longDay(day: string): string {
  return `20${day.slice(0, 2)}-${day.slice(2, 4)}-${day.slice(4)}`
}
