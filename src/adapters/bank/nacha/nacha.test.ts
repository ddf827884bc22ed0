import { describe, expect, test } from 'vitest'
import type { IncomingRecord } from '../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../bank-file-error.ts'
import { achFile, achPayment, collect } from '../examples.ts'
import { readIncoming } from '../read.ts'
import { checkPayment, writeFile } from '../write.ts'
import { type BatchedEntry, readEntries, readRecords } from './reader.ts'
import { writeRecord } from './records.ts'
import { writeReturns } from './returns.ts'

const person = achPayment('ABCDEFGH1234567', 12_345n)
const saver = achPayment('ABCDEFGH1234568', 1n, { bankAccountType: 'SAVINGS', name: 'Zoë' })
const business = achPayment('ABCDEFGH1234569', 9_999_999_999n, {
  isBusiness: true,
  name: 'Łódź Trading & Sons Company Limited',
})
const bytesOf = (chunks: Iterable<Buffer>) => Buffer.concat([...chunks])
const written = bytesOf(
  writeFile({ ...achFile, payments: [business, person, { ...saver, memo: 'Invoice 7 – thanks' }] }),
)
const nines = '9'.repeat(94)

test('a file has a batch for persons and one for businesses, totals, and full blocks', () => {
  expect(written.toString('latin1').split('\n')).toEqual([
    '101 02100002112345678902611161004A094101Sandbox Bank           Svc Payments Inc.              ',
    '5220Svc Payments Inc                    1234567890PPDPAYMENT   261117261117   1021000020000001',
    '622122105155123456789        0000012345ABCDEFGH1234567Jose Nunez              0021000020000001',
    '632122105155123456789        0000000001ABCDEFGH1234568Zoe                     1021000020000002',
    '705Invoice 7 - thanks                                                              00010000002',
    '822000000300244210300000000000000000000123461234567890                         021000020000001',
    '5220Svc Payments Inc                    1234567890CCDPAYMENT   261117261117   1021000020000002',
    '622122105155123456789        9999999999ABCDEFGH1234569Lodz Trading & Sons Co  0021000020000003',
    '822000000100122105150000000000000099999999991234567890                         021000020000002',
    '9000002000001000000040036631545000000000000010000012345                                       ',
    '',
  ])
})

test('a file of the same day names the settlement that it wants', () => {
  // biome-ignore format: a table is read by column
  const times = [
    ['2026-11-16T15:29:00Z', 'SD1300'],
    ['2026-11-16T15:30:00Z', 'SD1700'],
    ['2026-11-16T19:45:00Z', 'SD1800'],
    ['2026-07-01T14:29:00Z', 'SD1300'],
  ] as const
  for (const [at, mark] of times) {
    const file = { ...achFile, service: 'ACH_SAME_DAY', createdAt: new Date(at), executionDate: '2026-11-16' } as const
    const header =
      bytesOf(writeFile({ ...file, payments: [person] }))
        .toString('latin1')
        .split('\n')[1] ?? ''
    expect(header.slice(63, 75)).toBe(`${mark}261116`)
  }
})

test('payments may come from an iterator that ends after one pass', () => {
  const payments = [business, person, { ...saver, memo: 'Invoice 7 – thanks' }].values()
  expect(bytesOf(writeFile({ ...achFile, payments }))).toEqual(written)
})

// biome-ignore format: a table is read by column
test.each([
  ['a longer reference', { ...person, reference: 'ABCDEFGH12345678' },                      'the reference has more than 15 characters'],
  ['no amount',          { ...person, amount: 0n },                                         'the amount must have 1 to 10 digits of cents'],
  ['a larger amount',    { ...person, amount: 10_000_000_000n },                            'the amount must have 1 to 10 digits of cents'],
  ['a long account',     achPayment('A1', 1n, { coordinates: { routingNumber: '122105155', accountNumber: '1'.repeat(18) } }), 'the account number has more than 17 characters'],
  ['no routing number',  achPayment('A1', 1n, { coordinates: { accountNumber: '1' } }),     'the routing number must have 9 digits'],
  ['another script',     achPayment('A1', 1n, { name: '王小明' }),                           'the name of the receiver has no letter that the format can carry'],
])('%s is refused, and never cut', (_case, payment, problem) => {
  expect(checkPayment(achFile, payment)).toMatch(payment.amount === 0n || payment.amount > 9_999_999_999n ? 'the amount is outside of the limits of ACH' : problem)
  expect(() => bytesOf(writeFile({ ...achFile, payments: [payment] }))).toThrow(problem)
})

test('a file without payments, or with too large a total, is not written', () => {
  expect(() => bytesOf(writeFile({ ...achFile, payments: [] }))).toThrow('at least one payment')
  const payments = Array.from({ length: 101 }, () => business)
  expect(() => bytesOf(writeFile({ ...achFile, payments }))).toThrow('at most 12 digits')
})

async function recordsOf(bytes: Buffer, size = bytes.length): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
  const out: Buffer[] = []
  for await (const record of readRecords(chunks)) out.push(writeRecord(record))
  return Buffer.concat(out)
}

async function incomingOf(bytes: Buffer): Promise<IncomingRecord[]> {
  return collect(readIncoming([bytes]))
}

describe('any file that is sound is restored byte by byte', () => {
  const text = written.toString('latin1')
  // biome-ignore format: a table is read by column
  const shapes: [string, string | Buffer][] = [
    ['as written',             text],
    ['CRLF',                   text.replaceAll('\n', '\r\n')],
    ['no line ends',           text.replaceAll('\n', '')],
    ['no end of the last line', text.trimEnd().padEnd(949)],
    ['blanks at ends of lines missing', text.split('\n').map((line) => line.trimEnd()).join('\n')],
    ['more blanks at ends of lines', text.split('\n').map((line) => (line === '' ? '' : `${line}    `)).join('\n')],
    ['a line of nines and an empty one', `${text}${nines}\n\n`],
    ['lower-case names',       text.replace('Jose Nunez', 'jose nunez')],
    ['UTF-8 names',            Buffer.from(text.replace('Jose Nunez', 'José Núñez'), 'utf8')],
    ['Latin-1 names',          Buffer.from(text.replace('Jose Nunez', 'José Núñez'), 'latin1')],
  ]
  test.each(shapes)('%s', async (_shape, content) => {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
    expect(await recordsOf(bytes)).toEqual(bytes)
    expect(await recordsOf(bytes, 7)).toEqual(bytes)
  })
})

describe('a file that contradicts itself is refused with its line', () => {
  const lines = written.toString('latin1').split('\n')
  const edit = (line: number, from: number, text: string) =>
    lines
      .map((old, at) => (at === line - 1 ? old.slice(0, from) + text + old.slice(from + text.length) : old))
      .join('\n')
  const without = (line: number) => lines.filter((_old, at) => at !== line - 1).join('\n')
  // biome-ignore format: a table is read by column
  test.each([
    ['another amount',          edit(3, 38, '1'),            'WRONG_TOTALS', 'Line 6: creditTotal of batchControl differ from the entries'],
    ['another routing number',  edit(3, 3, '9'),             'WRONG_TOTALS', 'Line 6: entryHash of batchControl differ from the entries'],
    ['a missing entry',         without(3),                  'WRONG_TOTALS', 'Line 5: entryCount, entryHash, creditTotal of batchControl differ from the entries'],
    ['another file total',      edit(10, 54, '6'),           'WRONG_TOTALS', 'Line 10: creditTotal of fileControl differ from the entries'],
    ['another batch count',     edit(10, 6, '3'),            'WRONG_TOTALS', 'Line 10: The file control counts other batches or blocks'],
    ['another block count',     edit(10, 12, '2'),           'WRONG_TOTALS', 'Line 10: The file control counts other batches or blocks'],
    ['a missing addenda',       without(5),                  'MALFORMED',    'Line 4: The addenda indicator differs from the addenda'],
    ['a missing batch header',  without(2),                  'MALFORMED',    'Line 2: A entry record cannot stand here'],
    ['a missing batch control', without(6),                  'MALFORMED',    'Line 6: A batchHeader record cannot stand here'],
    ['a missing file control',  without(10),                 'MALFORMED',    'Line 9: The file ends before its control record'],
    ['a missing file header',   without(1),                  'MALFORMED',    'Line 1: A file begins with a file header of format 1 with records of 94'],
    ['a debit among credits',   edit(3, 1, '27'),            'MALFORMED',    'Line 3: The service class of the batch forbids the entry'],
    ['an unknown code',         edit(3, 1, '29').replace('629', '699'), 'MALFORMED', 'Line 3: The transaction code is unknown'],
    ['a letter in an amount',   edit(3, 30, 'O'),            'MALFORMED',    'Line 3: amount of entry must be digits'],
    ['another batch number',    edit(6, 93, '2'),            'MALFORMED',    'Line 6: The batch control differs from its batch header'],
    ['an unknown addenda type', edit(5, 1, '77'),            'MALFORMED',    'Line 5: The addenda type is unknown'],
    ['an unknown record',       edit(5, 0, '4'),             'MALFORMED',    'Line 5: The record type must be 1, 5, 6, 7, 8 or 9'],
    ['a record after the end',  `${lines.join('\n')}${lines[2]}`, 'MALFORMED', 'Line 11: Only lines of nines follow the file control'],
    ['a control character',     edit(3, 60, '\x07'),         'MALFORMED',    'Line 3: The line has a control character'],
    ['a line of 95 columns',    lines.join('\n').replace('890PPD', '890 PPD'), 'MALFORMED', 'Line 2: The line has more than 94 characters'],
  ])('%s', async (_case, text, code, message) => {
    const failure = await recordsOf(Buffer.from(text, 'latin1')).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(BankFileError)
    expect(failure).toMatchObject({ code, message })
  })
})

async function entriesOf(bytes: Buffer): Promise<BatchedEntry[]> {
  const items = await collect(readEntries([bytes]))
  return items.filter((item) => item.type === 'ENTRY')
}

test('a return file and a notification of change name our reference, trace and amount', async () => {
  const [first, second, third] = await entriesOf(written)
  if (!first || !second || !third) throw new Error('three entries were written')
  const bytes = bytesOf(
    writeReturns({
      names: {
        immediateDestination: '1234567890',
        immediateOrigin: '021000021',
        destinationName: 'Svc Payments Inc.',
        originName: 'Sandbox Bank',
      },
      createdAt: new Date('2026-11-18T15:00:00Z'),
      fileIdModifier: 'B',
      effectiveDate: '2026-11-18',
      odfi: '12210515',
      firstTrace: 77,
      answers: [
        { type: 'RETURN', original: first, code: 'R03', text: 'No account' },
        { type: 'CHANGE', original: second, code: 'C01', corrected: '987654321' },
        { type: 'RETURN', original: third, code: 'R02' },
      ],
    }),
  )
  expect(await recordsOf(bytes)).toEqual(bytes)
  expect(bytes.length % 950).toBe(0)
  expect(await incomingOf(bytes)).toEqual([
    {
      type: 'FILE',
      format: 'NACHA',
      version: '094',
      messageId: '021000021-1234567890-261118-1000-B',
      createdAt: '2026-11-18T10:00',
    },
    {
      type: 'RETURN',
      source: 'NACHA',
      returnId: 'NACHA/ABCDEFGH1234567/021000020000001/122105150000077/R03',
      reference: 'ABCDEFGH1234567',
      originalTrace: '021000020000001',
      original: 'CREDIT',
      amount: { currency: 'USD', units: 12_345n },
      code: 'R03',
      text: 'No account',
      isDishonored: false,
      isContested: false,
      effectiveDate: '2026-11-18',
    },
    {
      type: 'CHANGE',
      changeId: 'NACHA/ABCDEFGH1234568/021000020000002/122105150000078/C01',
      reference: 'ABCDEFGH1234568',
      originalTrace: '021000020000002',
      code: 'C01',
      corrected: '987654321',
      isRefused: false,
    },
    expect.objectContaining({ type: 'RETURN', reference: 'ABCDEFGH1234569', code: 'R02' }),
  ])
})
