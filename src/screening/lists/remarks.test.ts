import { expect, test } from 'vitest'
import { readAddresses, readBirths, readWeakNames } from './remarks.ts'

// biome-ignore format: a table is read by column
test.each([
  ['DOB 12 Mar 1961; POB Baku.',               [['1961-03-12', '1961-03-12']]],
  ['POB Baku; DOB 1961; alt. DOB Jun 1962',    [['1961-01-01', '1961-12-31'], ['1962-06-01', '1962-06-31']]],
  ['DOB circa 1958; nationality Iraq',         [['1956-01-01', '1960-12-31']]],
  ['DOB 1950 to 1955',                         [['1950-01-01', '1955-12-31']]],
  ['DOB 01 Jan 1950 to 31 Dec 1951',           [['1950-01-01', '1951-12-31']]],
  ['DOB 5 September 1970.',                    [['1970-09-05', '1970-09-05']]],
  ['DOB unknown; DOB 12 Foo 1961; DOB 61',     []],
  ['(Linked To: DOB HOLDING)',                 []],
] as const)('%s', (remarks, births) => {
  expect(readBirths(remarks).map(({ from, to }) => [from, to])).toEqual(births)
})

test('addresses are found among other remarks, with their currency', () => {
  const evm = `0x${'aB'.repeat(20)}`
  const bitcoin = `bc1q${'x'.repeat(38)}`
  const remarks = `DOB 1980; Digital Currency Address - XBT ${bitcoin}; alt. Digital Currency Address - USDT ${evm}; (Linked To: X).`
  expect(readAddresses(remarks)).toEqual([
    { currency: 'XBT', address: bitcoin },
    { currency: 'USDT', address: evm },
  ])
  expect(readAddresses('Digital Currency Address - ETH 0x12')).toEqual([])
})

// biome-ignore format: a table is read by column
test.each([
  ["DOB 1961; a.k.a. 'EL EJEMPLO'; a.k.a. 'ABU SA'ID'.",   ['EL EJEMPLO', "ABU SA'ID"]],
  ["f.k.a. 'EXAMPLE HOUSE'; Linked To: EXAMPLE GROUP.",    ['EXAMPLE HOUSE']],
  ["POB Baku; a.k.a. 'OFFICE OF EXAM",                     []],
  ["Linked To: EXAMPLE a.k.a. 'SAMPLE'; a.k.a. ''.",       []],
] as const)('other names among the remarks: %s', (remarks, names) => {
  expect(readWeakNames(remarks)).toEqual(names)
})
