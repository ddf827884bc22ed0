import { expect, test } from 'vitest'
import { choosePriority } from './priority.ts'

const bounds = { least: 1_000n, cap: 50_000n }

// biome-ignore format: a table is read by column
test.each<[name: string, recent: bigint[], attempt: number, price: bigint]>([
  ['no recent transactions',           [],                       1,  1_000n],
  ['cheap ones',                       [0n, 0n, 10n, 20n],       1,  1_000n],
  ['three quarters paid no more',      [1n, 2_000n, 4_000n, 9_000n], 1, 9_000n],
  ['in any order',                     [8_000n, 0n, 2_000n, 0n, 0n, 0n, 0n, 0n], 1, 2_000n],
  ['a second attempt pays twice',      [2_000n],                 2,  4_000n],
  ['the cap is the end',               [2_000n],                 40, 50_000n],
  ['others pay more than the cap',     [90_000n],                1,  50_000n],
])('%s', (_, recent, attempt, price) => {
  expect(choosePriority(recent, attempt, bounds)).toBe(price)
})
