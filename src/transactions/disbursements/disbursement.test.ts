import { expect, test } from 'vitest'
import type { ReturnedFunds } from '../refunds/returned-funds.ts'
import { chooseParts } from './disbursement.ts'

const kept = (causeId: string, amount: number, heldAt = 'usd-main'): ReturnedFunds => ({
  cause: 'DEPOSIT',
  causeId,
  transactionId: null,
  accountId: 'account',
  asset: 'USD',
  heldAt,
  walletId: null,
  amount: String(amount),
})
const funds = [kept('a', 3), kept('b', 5), kept('c', 4, 'usd-other'), kept('d', 6, 'usd-other')]

// biome-ignore format: a table is read by column
test.each([
  ['a part of the oldest',                  2n,        'a 2',     'usd-main'],
  ['the oldest, and a part of the next',    4n,        'a 3 b 1', 'usd-main'],
  ['all at one place',                      8n,        'a 3 b 5', 'usd-main'],
  ['the first place that has the amount',   9n,        'c 4 d 5', 'usd-other'],
  ['without an amount, the largest place',  undefined, 'c 4 d 6', 'usd-other'],
])('takes %s', (_what, wanted, parts, heldAt) => {
  const chosen = chooseParts(funds, wanted)
  expect(chosen?.parts.map(({ causeId, amount }) => `${causeId} ${amount}`).join(' ')).toBe(parts)
  expect(chosen?.heldAt).toBe(heldAt)
  expect(chosen?.parts.reduce((sum, { amount }) => sum + amount, 0n)).toBe(chosen?.amount)
})

test('takes nothing when no place has the amount, or nothing is left', () => {
  expect(chooseParts(funds, 11n)).toBeUndefined()
  expect(chooseParts([], undefined)).toBeUndefined()
  expect(chooseParts(funds, 0n)).toBeUndefined()
})
