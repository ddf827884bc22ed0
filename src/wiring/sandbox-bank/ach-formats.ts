import { readEntries } from '../../adapters/bank/nacha/reader.ts'
import { type BatchHeader, classOf, type Entry, readRecord } from '../../adapters/bank/nacha/records.ts'
import { type EntryAnswer, writeReturns } from '../../adapters/bank/nacha/returns.ts'
import type { AchOrigin, BankFormats, ChangeMessage, PaymentFile, ReceivedPayment } from '../../sandbox/bank/formats.ts'

/** Reads a NACHA file of payments, as the bank of the originator does. */
export async function readAchPayments(content: Buffer): Promise<PaymentFile> {
  const payments: ReceivedPayment[] = []
  const companies = new Set<string>()
  for await (const item of readEntries([content])) {
    if (item.type === 'FILE') continue
    const { batch, entry, direction, amount } = item
    if (entry.kind !== 'entry' || direction !== 'CREDIT') throw new Error('The bank takes credits of PPD and CCD only')
    companies.add(batch.fields.companyId)
    const { rdfi, checkDigit, accountNumber, individualId, individualName } = entry.fields
    payments.push({
      reference: individualId.trim(),
      amount,
      currency: 'USD',
      receiver: {
        name: individualName.trim(),
        account: { number: accountNumber.trim(), bankId: `${rdfi}${checkDigit}` },
      },
      ach: { batchHeader: batch.line.text, entry: entry.line.text },
    })
  }
  const [companyId = '', other] = companies
  if (other !== undefined) throw new Error('The bank takes one company in a file')
  return { format: 'NACHA', fileId: undefined, debtor: { companyId }, payments }
}

/** The files in which the receiver's bank answers an ACH payment. */
export const achAnswers: Pick<BankFormats, 'writeAchReturn' | 'writeAchChange'> = {
  writeAchReturn: (message) => {
    const { reason } = message
    return write(message, message.settledOn, (original) => ({ type: 'RETURN', original, ...reason }))
  },
  writeAchChange: (message) => {
    const { code, corrected, createdAt } = message
    const day = createdAt.toISOString().slice(0, 10)
    return write(message, day, (original) => ({ type: 'CHANGE', original, code, corrected }))
  },
}

const modifiers = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const mostTraces = 10_000_000n

/** A return goes the other way: from our bank to us. */
function write(
  { account, payment, createdAt, number }: Omit<ChangeMessage, 'code' | 'corrected'>,
  effectiveDate: string,
  answer: (original: EntryAnswer['original']) => EntryAnswer,
): Buffer {
  const { nacha } = account
  if (!payment.ach || !nacha) throw new Error('Only an ACH payment has an answer in a NACHA file')
  const original = readOrigin(payment.ach, payment.amount)
  const file = writeReturns({
    names: {
      immediateDestination: nacha.immediateOrigin,
      immediateOrigin: nacha.immediateDestination,
      destinationName: nacha.originName,
      originName: nacha.destinationName,
    },
    createdAt,
    fileIdModifier: modifiers[Number(number % BigInt(modifiers.length))] ?? 'A',
    effectiveDate,
    odfi: original.entry.fields.rdfi,
    firstTrace: Number(number % mostTraces),
    answers: [answer(original)],
  })
  return Buffer.concat([...file])
}

function readOrigin({ batchHeader, entry }: AchOrigin, amount: bigint): EntryAnswer['original'] {
  const line = { number: 1, width: 94, ending: '\n', encoding: 'latin1' } as const
  const header = { ...line, text: batchHeader }
  return {
    type: 'ENTRY',
    batch: readRecord(header, 'STANDARD') as BatchHeader,
    entry: readRecord({ ...line, text: entry }, classOf(header)) as Entry,
    direction: 'CREDIT',
    amount,
    addenda: [],
  }
}
