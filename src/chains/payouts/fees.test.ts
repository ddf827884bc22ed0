import { expect, test } from 'vitest'
import { choosePrice, chooseReplacement } from './fees.ts'

const history = (nextBaseFee: bigint, ...tips: bigint[]) => ({ nextBaseFee, tips })

const bounds = (cap: bigint, leastTip = 1n) => ({ cap, leastTip })

// biome-ignore format: a table is read by column
test.each([
  // base  tips          cap    least  price
  [10n,    [1n, 3n, 2n], 100n,  1n,    { maxFee: 22n, tip: 2n }],
  [10n,    [],           100n,  1n,    { maxFee: 21n, tip: 1n }],
  [10n,    [1n],         100n,  25n,   { maxFee: 45n, tip: 25n }],
  [10n,    [30n],        100n,  25n,   { maxFee: 50n, tip: 30n }],
  [80n,    [1n],         100n,  25n,   undefined],
  [60n,    [2n],         100n,  1n,    { maxFee: 100n, tip: 2n }],
  [98n,    [2n],         100n,  1n,    { maxFee: 100n, tip: 2n }],
  [99n,    [2n],         100n,  1n,    undefined],
  [0n,     [0n],         100n,  1n,    { maxFee: 1n, tip: 1n }],
] as const)('at a base fee of %d and tips of %o the price is chosen', (base, tips, cap, least, price) => {
  expect(choosePrice(history(base, ...tips), bounds(cap, least))).toEqual(price)
})

// biome-ignore format: a table is read by column
test.each([
  // former                     refused  base     tip   least  replacement
  [{ maxFee: 20n, tip: 1n },    false,   10n,     1n,   1n,    undefined],
  [{ maxFee: 20n, tip: 1n },    false,   500n,    1n,   1n,    { maxFee: 1_001n, tip: 2n }],
  [{ maxFee: 1_000n, tip: 8n }, false,   1_000n,  1n,   1n,    { maxFee: 2_001n, tip: 10n }],
  [{ maxFee: 9_500n, tip: 1n }, false,   9_990n,  1n,   1n,    undefined],
  [{ maxFee: 20n, tip: 1n },    false,   20_000n, 1n,   1n,    undefined],
  // The tip alone is too low.
  [{ maxFee: 1_000n, tip: 0n }, false,   10n,     1n,   1n,    { maxFee: 1_126n, tip: 1n }],
  [{ maxFee: 1_000n, tip: 5n }, false,   10n,     1n,   25n,   { maxFee: 1_126n, tip: 25n }],
  [{ maxFee: 1_000n, tip: 5n }, false,   10n,     10n,  1n,    undefined],
  [{ maxFee: 1_000n, tip: 5n }, false,   10n,     11n,  1n,    { maxFee: 1_126n, tip: 11n }],
  // A node has called it underpriced.
  [{ maxFee: 1_000n, tip: 8n }, true,    10n,     1n,   1n,    { maxFee: 1_126n, tip: 10n }],
  [{ maxFee: 9_900n, tip: 8n }, true,    10n,     1n,   1n,    undefined],
] as const)('%o (refused: %s) is replaced at a base fee of %d and a tip of %d', (former, isRefused, base, tip, least, replacement) => {
  expect(chooseReplacement({ ...former, isRefused }, history(base, tip), bounds(10_000n, least))).toEqual(replacement)
})
