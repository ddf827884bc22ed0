import { expect, test } from 'vitest'
import { splitReversal } from './reversal.ts'

// biome-ignore format: a table is read by column
test.each([
  // status       arrived, applied, returned, covered    reversed, all    covered, owed
  ['UNMATCHED',   '100',   '0',     '0',      '0',       100n, true,      100n, 0n],
  ['UNMATCHED',   '100',   '0',     '0',      '0',       40n,  false,     40n,  0n],
  ['HELD',        '100',   '0',     '0',      '40',      60n,  true,      60n,  0n],
  ['CREDITED',    '100',   '0',     '0',      '0',       100n, true,      0n,   100n],
  ['CREDITED',    '100',   '0',     '0',      '0',       1n,   false,     0n,   1n],
  ['APPLIED',     '100',   '100',   '0',      '0',       100n, true,      0n,   100n],
  ['APPLIED',     '120',   '100',   '0',      '0',       120n, true,      20n,  100n],
  ['APPLIED',     '120',   '100',   '20',     '0',       120n, true,      0n,   120n],
  ['APPLIED',     '120',   '100',   '0',      '0',       10n,  false,     0n,   10n],
  ['RETURNING',   '100',   '0',     '0',      '0',       100n, true,      100n, 0n],
  ['RETURNING',   '100',   '0',     '100',    '0',       100n, true,      0n,   100n],
  ['RETURNED',    '100',   '0',     '100',    '0',       100n, true,      0n,   100n],
] as const)('%s %s', (status, amount, appliedAmount, returnedAmount, coveredAmount, reversed, isFull, covered, owed) => {
  const deposit = { status, amount, appliedAmount, returnedAmount, coveredAmount }
  expect(splitReversal(deposit, { amount: reversed, isFull })).toEqual({ covered, owed })
})
