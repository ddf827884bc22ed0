import { fitText } from '../text/charsets.ts'
import { writeLine } from './layouts.ts'
import type { BatchedEntry } from './reader.ts'
import { addEntry, directionOf, noTotals } from './totals.ts'
import { endBatch, endingLines, type FileNames, gatherLines, shortDay, writeFileHeader } from './writer.ts'

/** A bank's answer to an entry that it received. */
export type EntryAnswer = { original: BatchedEntry } & (
  | { type: 'RETURN'; code: string; text?: string }
  | { type: 'CHANGE'; code: string; corrected: string }
)

export type ReturnFile = {
  names: FileNames
  createdAt: Date
  fileIdModifier: string
  /** YYYY-MM-DD */
  effectiveDate: string
  /** The eight digits of the bank that answers, and the sequence number of its first trace. */
  odfi: string
  firstTrace: number
  answers: Iterable<EntryAnswer>
}

/**
 * Writes a file of returns and notifications of change, as the receiver's bank sends it to the originator. Each answer has
 * a batch of its own: it repeats the company of the original batch, and a notification has the entry class COR.
 */
export function* writeReturns(file: ReturnFile): Generator<Buffer> {
  yield* gatherLines(returnLines(file))
}

function* returnLines(file: ReturnFile): Generator<string> {
  const count = { batches: 0, lines: 2, totals: noTotals() }
  yield writeFileHeader(file.names, file.createdAt, file.fileIdModifier)
  for (const answer of file.answers) {
    count.batches += 1
    const totals = noTotals()
    const traceNumber = `${file.odfi}${String(file.firstTrace + count.batches - 1).padStart(7, '0')}`
    const { fields: batch } = answer.original.batch
    const serviceClass = answer.original.direction === 'CREDIT' ? '220' : '225'
    const own = { companyId: batch.companyId, odfi: file.odfi, batchNumber: count.batches, serviceClass }
    yield writeLine('batchHeader', {
      recordType: '5',
      companyName: 'companyName' in batch ? batch.companyName : '',
      secCode: answer.type === 'CHANGE' ? 'COR' : batch.secCode,
      entryDescription: batch.entryDescription,
      effectiveDate: shortDay(file.effectiveDate),
      originatorStatus: '1',
      ...own,
    })
    yield* answerLines(answer, traceNumber, totals)
    yield endBatch(totals, own, count)
  }
  yield* endingLines(count)
}

function* answerLines(
  answer: EntryAnswer,
  traceNumber: string,
  totals: ReturnType<typeof noTotals>,
): Generator<string> {
  const { original } = answer
  const { fields } = original.entry
  // The answer goes back to the bank that sent the entry.
  const rdfi = fields.traceNumber.slice(0, 8)
  const amount = answer.type === 'CHANGE' ? 0n : original.amount
  const transactionCode = answerCode(fields.transactionCode)
  addEntry(totals, { rdfi, amount, direction: original.direction })
  totals.count += 1
  yield writeLine('entry', {
    recordType: '6',
    transactionCode,
    rdfi,
    checkDigit: checkDigitOf(rdfi),
    accountNumber: fields.accountNumber.slice(0, 17),
    amount,
    individualId: 'individualId' in fields ? fields.individualId : '',
    individualName: 'individualName' in fields ? fields.individualName : '',
    addendaIndicator: '1',
    traceNumber,
  })
  const addenda = { recordType: '7', originalTrace: fields.traceNumber, originalRdfi: fields.rdfi, traceNumber }
  if (answer.type === 'CHANGE') {
    yield writeLine('change', { ...addenda, addendaType: '98', changeCode: answer.code, corrected: answer.corrected })
  } else {
    const text = fitText(answer.text ?? '', 'nacha', 44)
    yield writeLine('return', { ...addenda, addendaType: '99', returnCode: answer.code, text })
  }
}

/** The code of a return or notification: 21 for a credit and 26 for a debit of a checking account, and so on. */
function answerCode(transactionCode: string): string {
  return `${transactionCode[0]}${directionOf(transactionCode) === 'CREDIT' ? '1' : '6'}`
}

/** Computes the ninth digit of a routing number: the digits weighted 3, 7, 1 add up to a multiple of ten. */
export function checkDigitOf(eightDigits: string): string {
  const weights = [3, 7, 1]
  const sum = [...eightDigits].reduce((total, digit, at) => total + Number(digit) * (weights[at % 3] as number), 0)
  return String((10 - (sum % 10)) % 10)
}
