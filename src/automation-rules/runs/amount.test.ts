import { expect, test } from 'vitest'
import { amountToMove } from './amount.ts'

// biome-ignore format: a table is read by column
test.each([
  // type    units       available               moves
  ['FLAT',   5_000n,     0n,                     5_000n],
  ['FLAT',   5_000n,     9_999n,                 5_000n],
  ['PCT',    0n,         9_999n,                 0n],
  ['PCT',    1_000_000n, 9_999n,                 9_999n],
  ['PCT',    1_000_000n, 0n,                     0n],
  ['PCT',    500_000n,   9_999n,                 4_999n],
  ['PCT',    333_333n,   3n,                     0n],
  ['PCT',    999_999n,   1n,                     0n],
  ['PCT',    1n,         999_999n,               0n],
  ['PCT',    1n,         1_000_000n,             1n],
  ['PCT',    999_999n,   10n ** 37n,             9_999_990_000_000_000_000_000_000_000_000_000_000n],
] as const)('%s of %s with %s available moves %s', (type, units, available, moves) => {
  expect(amountToMove({ type, units }, available)).toBe(moves)
})
