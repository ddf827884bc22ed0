import { expect, test } from 'vitest'
import { splitReversal } from './reversal.ts'

// biome-ignore format: a table is read by column
test.each([
  // status       arrived, applied, returned, covered    reversed    covered, owed
  ['UNMATCHED',   '100',   '0',     '0',      '0',       100n,      100n, 0n],
  ['UNMATCHED',   '100',   '0',     '0',      '0',       40n,       40n,  0n],
  ['HELD',        '100',   '0',     '0',      '40',      60n,       60n,  0n],
  ['CREDITED',    '100',   '0',     '0',      '0',       100n,      0n,   100n],
  ['CREDITED',    '100',   '0',     '0',      '0',       1n,        0n,   1n],
  ['APPLIED',     '100',   '100',   '0',      '0',       100n,      0n,   100n],
  ['APPLIED',     '120',   '100',   '0',      '0',       120n,      20n,  100n],
  ['APPLIED',     '120',   '100',   '20',     '0',       120n,      0n,   120n],
  ['APPLIED',     '120',   '100',   '0',      '0',       10n,       10n,  0n],
  ['APPLIED',     '120',   '100',   '20',     '0',       10n,       0n,   10n],
  ['RETURNING',   '100',   '0',     '0',      '0',       100n,      100n, 0n],
  ['RETURNING',   '100',   '0',     '100',    '0',       100n,      0n,   100n],
  ['RETURNED',    '100',   '0',     '100',    '0',       100n,      0n,   100n],
] as const)('%s %s', (status, amount, appliedAmount, returnedAmount, coveredAmount, reversed, covered, owed) => {
  const deposit = { status, amount, appliedAmount, returnedAmount, coveredAmount }
  expect(splitReversal(deposit, reversed)).toEqual({ covered, owed })
})
