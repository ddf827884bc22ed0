import { expect, test } from 'vitest'
import { collect } from '../examples.ts'
import { readIncoming } from '../read.ts'
import { layouts, type RecordKind, recordWidth } from './layouts.ts'
import { readRecords } from './reader.ts'
import { writeRecord } from './records.ts'
import { checkDigitOf } from './returns.ts'

test.each(Object.keys(layouts) as RecordKind[])('the record %s has 94 columns', (kind) => {
  const widths: readonly number[] = layouts[kind].map(([, width]) => width)
  expect(widths.reduce((sum, width) => sum + width, 0)).toBe(recordWidth)
})

test.each([
  ['02100002', '1'],
  ['12210515', '5'],
  ['01140153', '3'],
])('the routing number %s ends in %s', (eight, check) => {
  expect(checkDigitOf(eight)).toBe(check)
})

const column = (text: string, width: number) => text.padEnd(width)
const entry = (parts: { code: string; rdfi: string; body: string; addenda: string; trace: string }) =>
  `6${parts.code}${parts.rdfi}${parts.body}${parts.addenda}${parts.trace}`

/** Writes a file around the lines of one batch. */
function fileOf(batch: { header: string; lines: string[]; control: string; totals: string }): Buffer {
  const records = batch.lines.length + 4
  const blocks = String(Math.ceil(records / 10)).padStart(6, '0')
  const lines = [
    `101 071000301 0210000212611180930C094101${column('Sandbox Bank', 23)}${column('Svc', 23)}${column('', 8)}`,
    batch.header,
    ...batch.lines,
    batch.control,
    `9000001${blocks}${batch.totals}`.padEnd(recordWidth),
  ]
  const padding = Array.from({ length: (10 - (records % 10)) % 10 }, () => '9'.repeat(recordWidth))
  return Buffer.from(`${[...lines, ...padding].join('\r\n')}\r\n`)
}

function batchOf(batch: {
  serviceClass: string
  middle: string
  lines: string[]
  count: string
  hash: string
  debits: string
  credits: string
}) {
  const end = '021000020000042'
  const totals = `${batch.hash}${batch.debits}${batch.credits}`
  return fileOf({
    header: `5${batch.serviceClass}${batch.middle}   1${end}`,
    lines: batch.lines,
    control: `8${batch.serviceClass}00${batch.count}${totals}${column('1234567890', 35)}${end}`,
    totals: `0000${batch.count}${totals}`,
  })
}

const standard = `${column('Svc Payments', 36)}1234567890PPD${column('PAYMENT', 16)}261117`
const body = `${column('987654321', 17)}0000012500${column('ABCDEFGH1234567', 15)}${column('Zoe', 22)}  `
const sums = { hash: '0007100030', debits: '000000000000', credits: '000000012500' }

const dishonored = batchOf({
  serviceClass: '220',
  middle: standard,
  lines: [
    entry({ code: '21', rdfi: '071000301', body, addenda: '1', trace: '021000020000009' }),
    `799R68${'021000020000001'}${column('', 6)}07100030${column('', 3)}071000300000005${'322'}03${column('Untimely', 21)}021000020000009`,
  ],
  count: '0002',
  ...sums,
})

const contested = batchOf({
  serviceClass: '220',
  middle: standard,
  lines: [
    entry({ code: '31', rdfi: '071000301', body, addenda: '1', trace: '071000300000011' }),
    `799R73${'021000020000001'}26111807100030322${'071000300000005'}32203021000020000009${'323'}68 071000300000011`,
  ],
  count: '0002',
  ...sums,
})

const refused = batchOf({
  serviceClass: '220',
  middle: standard.replace('PPD', 'COR'),
  lines: [
    entry({
      code: '21',
      rdfi: '071000301',
      body: body.replace('0000012500', '0000000000'),
      addenda: '1',
      trace: '021000020000009',
    }),
    `798C61${'021000020000001'}${column('', 6)}07100030${column('1918171614', 29)}C010000088${column('', 5)}021000020000009`,
  ],
  count: '0002',
  ...sums,
  credits: '000000000000',
})

const international = batchOf({
  serviceClass: '225',
  middle: `${column('', 16)}FF3${column('', 15)}CA1234567890IAT${column('PAYMENT', 10)}USDCAD261117`,
  lines: [
    entry({
      code: '27',
      rdfi: '071000301',
      body: `0007${column('', 13)}0000012500${column('987654321', 35)}${column('', 4)}`,
      addenda: '1',
      trace: '021000020000001',
    }),
    ...['10ANN', '11Svc', '12Springfield', '13Bank', '14Bank', '15Street', '16Town'].map(
      (text) => `7${column(text, 86)}0000001`,
    ),
  ],
  count: '0008',
  ...sums,
  debits: '000000012500',
  credits: '000000000000',
})

// biome-ignore format: a table is read by column
test.each([
  ['a dishonored return',  dishonored,    { type: 'RETURN', code: 'R68', isDishonored: true,  isContested: false, text: 'Untimely', originalTrace: '021000020000001', reference: 'ABCDEFGH1234567', amount: { currency: 'USD', units: 125_00n } }],
  ['a contested return',   contested,     { type: 'RETURN', code: 'R73', isDishonored: false, isContested: true,  originalTrace: '021000020000001', reference: 'ABCDEFGH1234567' }],
  ['a refused change',     refused,       { type: 'CHANGE', code: 'C61', isRefused: true, corrected: '1918171614' }],
  ['an IAT debit',         international, { type: 'ACH_ENTRY', direction: 'DEBIT', secCode: 'IAT', reference: '', amount: { currency: 'USD', units: 125_00n } }],
])('%s is read, and restored byte by byte', async (_case, bytes, record) => {
  const records = await collect(readRecords([bytes]))
  expect(Buffer.concat(records.map(writeRecord)).toString()).toBe(bytes.toString())
  expect((await collect(readIncoming([bytes])))[1]).toMatchObject(record)
})
