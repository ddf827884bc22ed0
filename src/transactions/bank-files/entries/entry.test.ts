import { expect, test } from 'vitest'
import type { EntryRecord } from '../formats.ts'
import { railOf } from './entry.ts'

// biome-ignore format: a table is read by column
test.each([
  // code            rails                shown
  ['PMNT/RCDT/ACDT', ['ACH', 'WIRE'],     'ACH'],
  ['PMNT/RCDT/PRCT', ['ACH', 'WIRE'],     'WIRE'],
  ['PMNT/RCDT/XBCT', ['ACH', 'WIRE'],     'WIRE'],
  ['PMNT/RCDT/PRCT', ['ACH'],             undefined],
  ['PMNT/RCDT/DMCT', ['ACH', 'WIRE'],     undefined],
  ['PMNT/ICDT/ACDT', ['ACH', 'WIRE'],     undefined],
  ['166',            ['ACH', 'WIRE'],     undefined],
  ['PMNT/RCDT/PRCT', ['SEPA'],            undefined],
  [undefined,        ['ACH', 'WIRE'],     undefined],
] as const)('a credit with the code %s at an account for %j came by %s', (bankTransactionCode, rails, rail) => {
  expect(railOf({ bankTransactionCode } as EntryRecord, rails)).toBe(rail)
})
