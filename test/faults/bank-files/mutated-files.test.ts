import { expect, test } from 'vitest'
import { BankFileError } from '../../../src/adapters/bank/bank-file-error.ts'
import { achFile, achPayment, collect, isoExamples } from '../../../src/adapters/bank/examples.ts'
import { readPain001 } from '../../../src/adapters/bank/iso20022/pain001-reader.ts'
import { writeReturnMessage } from '../../../src/adapters/bank/iso20022/returns/pacs004-writer.ts'
import {
  type NewEntry,
  writeNotification,
  writeStatement,
} from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import { writeStatusReport } from '../../../src/adapters/bank/iso20022/status-writer.ts'
import { type BatchedEntry, readEntries } from '../../../src/adapters/bank/nacha/reader.ts'
import { writeReturns } from '../../../src/adapters/bank/nacha/returns.ts'
import { readIncoming } from '../../../src/adapters/bank/read.ts'
import { writeFile } from '../../../src/adapters/bank/write.ts'
import type { IncomingRecord, Money } from '../../../src/transactions/bank-files/formats.ts'
import { createDice, mutate } from '../../support/bank/mutations.ts'
import { playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

const createdAt = new Date('2026-11-17T06:00:00Z')
const euros = (units: bigint): Money => ({ currency: 'EUR', units })
const bytesOf = (chunks: Iterable<Buffer>) => Buffer.concat([...chunks])

const entry = (number: number): NewEntry => ({
  entryReference: `E-${number}`,
  bankReference: `BANK-${number}`,
  direction: number % 2 === 0 ? 'CREDIT' : 'DEBIT',
  isReversal: false,
  status: 'BOOKED',
  amount: euros(100n * BigInt(number)),
  bookingDate: '2026-11-17',
  bankTransactionCode: 'PMNT/RCDT/ESCT',
  charges: [],
  details: [
    {
      references: { endToEndId: `E2E-${number}` },
      amount: euros(100n * BigInt(number)),
      direction: 'CREDIT',
      charges: [],
      counterparty: { name: 'Grace', account: { iban: 'FR1420041010050500013M02606' } },
      remittance: ['SVC 2345 & more'],
      creditorReferences: [],
    },
  ],
})
const account = { iban: 'DE75512108001245126199', currency: 'EUR' }
// One is a debit, two a credit, three a debit: 1.00 less than 5.00 … leaves 3.00.
const balances = [
  { code: 'OPBD', direction: 'CREDIT', amount: euros(5_00n), date: '2026-11-16' },
  { code: 'CLBD', direction: 'CREDIT', amount: euros(3_00n), date: '2026-11-17' },
] as const
const statements = [{ statementId: 'S1', account, balances, entries: [entry(1), entry(2), entry(3)] }]

const statement = bytesOf(writeStatement({ messageId: 'M1', createdAt, statements }))
const payments = [achPayment('REF000000000001', 100n), achPayment('REF000000000002', 250n, { isBusiness: true })]
const nacha = bytesOf(writeFile({ ...achFile, payments }))
const originals = (await collect(readEntries([nacha]))).filter((item): item is BatchedEntry => item.type === 'ENTRY')

/** A sound file of each format. */
const sound: readonly Buffer[] = [
  nacha,
  bytesOf(
    writeReturns({
      names: {
        immediateDestination: '1234567890',
        immediateOrigin: '021000021',
        destinationName: 'Svc',
        originName: 'Bank',
      },
      createdAt,
      fileIdModifier: 'B',
      effectiveDate: '2026-11-18',
      odfi: '12210515',
      firstTrace: 1,
      answers: originals.map((original) => ({ type: 'RETURN', original, code: 'R03' })),
    }),
  ),
  bytesOf(
    writeStatusReport({
      messageId: 'M1',
      createdAt,
      original: { fileId: 'F1', messageName: 'pain.001.001.09' },
      group: { statusCode: 'PART' },
      batches: [
        {
          paymentInformationId: 'F1',
          payments: [{ reference: 'A1', statusCode: 'RJCT', reasons: [{ code: 'AC04', text: 'Closed' }] }],
        },
      ],
    }),
  ),
  statement,
  bytesOf(writeNotification({ messageId: 'M1', createdAt, statements: [{ ...statements[0]!, balances: [] }] })),
  bytesOf(
    writeReturnMessage({
      messageId: 'M1',
      createdAt,
      returns: [{ returnId: 'R1', reference: 'A1', amount: euros(5n), effectiveDate: '2026-11-18', code: 'AC04' }],
    }),
  ),
  bytesOf(writeFile({ ...isoExamples.SEPA.file, payments: [isoExamples.SEPA.payment] })),
]

async function outcomeOf(bytes: Buffer): Promise<IncomingRecord[] | BankFileError> {
  try {
    return await collect(readIncoming([bytes]))
  } catch (error) {
    if (error instanceof BankFileError) return error
    throw error
  }
}

test('every mutated file is read or refused with a code, and no sum changes unnoticed', {
  timeout: roundsTimeoutMs,
}, async () => {
  const dice = createDice(seed)
  const seen = { read: 0, refused: 0 }
  await playRounds({ short: 500, full: 10_000 }, async (round) => {
    const bytes = mutate(sound[round % sound.length] as Buffer, dice)
    const outcome = await outcomeOf(bytes)
    if (outcome instanceof BankFileError) seen.refused += 1
    else {
      seen.read += 1
      checkRecords(outcome)
    }
    await collect(readPain001([bytes])).catch((error: unknown) => expect(error).toBeInstanceOf(BankFileError))
  })
  // Mutations that meet a name or a blank change nothing that matters.
  expect(seen.read).toBeGreaterThan(0)
  expect(seen.refused).toBeGreaterThan(seen.read)
})

/** Checks what holds for every file that is read: exact amounts, and balances that agree with the entries. */
function checkRecords(records: readonly IncomingRecord[]): void {
  expect(records[0]?.type).toBe('FILE')
  const amounts = records.flatMap((record) => ('amount' in record && record.amount ? [record.amount] : []))
  for (const { units, currency } of amounts) {
    if (typeof units !== 'bigint' || units < 0n || currency.length !== 3) expect.fail('an amount is not exact')
  }
  const signed = (record: { direction: string; amount: Money }) =>
    record.direction === 'CREDIT' ? record.amount.units : -record.amount.units
  const balance = (code: string) => records.find((record) => record.type === 'BALANCE' && record.code === code)
  const [opening, closing] = [balance('OPBD'), balance('CLBD')]
  if (opening?.type !== 'BALANCE' || closing?.type !== 'BALANCE') return
  const booked = records.filter((record) => record.type === 'ENTRY' && record.status === 'BOOKED')
  const sum = booked.reduce((total, record) => (record.type === 'ENTRY' ? total + signed(record) : total), 0n)
  expect(signed(closing) - signed(opening)).toBe(sum)
}
