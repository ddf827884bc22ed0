import { expect, test } from 'vitest'
import { presentDetails, sortEntries, stepMoney, type WriteOrder } from './timeline.ts'

const real = new Date('2026-11-15T09:00:00.000Z')
const later = new Date('2026-11-15T09:00:00.001Z')
const idAt = (moment: Date, counter = '7000') =>
  `${moment
    .getTime()
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-${counter}-8000-000000000000`

// biome-ignore format: a table is read by column
const entries: [name: string, at: string, written: WriteOrder][] = [
  ['told',                      '2026-11-22T10:00:00.000Z', 'last'],
  ['a week later',              '2026-11-22T10:00:00.000Z', { id: idAt(real) }],
  ['the status that follows',   '2026-11-15T10:00:00.000Z', { after: real }],
  ['a step of the next moment', '2026-11-15T10:00:00.000Z', { id: idAt(later) }],
  ['a second step',             '2026-11-15T10:00:00.000Z', { id: idAt(real, '7001') }],
  ['a step',                    '2026-11-15T10:00:00.000Z', { id: idAt(real) }],
  ['the answer of the bank',    '2026-11-15T10:00:00.000Z', { before: real }],
  ['before everything',         '2026-11-15T09:59:59.999Z', 'last'],
]

test('business time orders entries; for equal business time, real time does', () => {
  const unsorted = entries.map(([kind, at, written]) => ({ kind, at, details: {}, written }))
  expect(sortEntries(unsorted).map(({ kind }) => kind)).toEqual([
    'before everything',
    'the answer of the bank',
    'a step',
    'a second step',
    'the status that follows',
    'a step of the next moment',
    'a week later',
    'told',
  ])
})

// biome-ignore format: a table is read by column
test.each([
  ['no money',        { status: 'APPLIED' },                          { status: 'APPLIED' }],
  ['money of a step', stepMoney(1234n, 'USD'),                        { amount: '12.34', currency: { label: 'USD' } }],
  ['charges',         { costs: [{ asset: 'USD', amount: '25' }] },    { costs: [{ amount: '0.25', currency: { label: 'USD' } }] }],
  ['both',            { ...stepMoney(5n, 'EUR'), costs: [] },         { amount: '0.05', currency: { label: 'EUR' }, costs: [] }],
] as const)('%s in stored details is shown in decimals', (_, stored, shown) => {
  expect(presentDetails(stored, (asset) => ({ label: asset }))).toEqual(shown)
})
