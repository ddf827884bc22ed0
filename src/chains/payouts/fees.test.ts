import { expect, test } from 'vitest'
import { choosePrice, chooseReplacement } from './fees.ts'

const history = (nextBaseFee: bigint, ...tips: bigint[]) => ({ nextBaseFee, tips })

// biome-ignore format: a table is read by column
test.each([
  // base  tips          cap    price
  [10n,    [1n, 3n, 2n], 100n,  { maxFee: 22n, tip: 2n }],
  [10n,    [],           100n,  { maxFee: 20n, tip: 0n }],
  [60n,    [2n],         100n,  { maxFee: 100n, tip: 2n }],
  [98n,    [2n],         100n,  { maxFee: 100n, tip: 2n }],
  [99n,    [2n],         100n,  undefined],
  [0n,     [0n],         100n,  { maxFee: 1n, tip: 0n }],
] as const)('at a base fee of %d the price is chosen', (base, tips, cap, price) => {
  expect(choosePrice(history(base, ...tips), cap)).toEqual(price)
})

// biome-ignore format: a table is read by column
test.each([
  // former                    base   cap       replacement
  [{ maxFee: 20n, tip: 1n },   10n,   10_000n,  undefined],
  [{ maxFee: 20n, tip: 1n },   500n,  10_000n,  { maxFee: 1_001n, tip: 2n }],
  [{ maxFee: 1_000n, tip: 8n}, 1_000n, 10_000n, { maxFee: 2_001n, tip: 10n }],
  [{ maxFee: 9_500n, tip: 1n}, 9_990n, 10_000n, undefined],
  [{ maxFee: 20n, tip: 1n },   20_000n, 10_000n, undefined],
] as const)('%o is replaced at a base fee of %d', (former, base, cap, replacement) => {
  expect(chooseReplacement(former, history(base, 1n), cap)).toEqual(replacement)
})
