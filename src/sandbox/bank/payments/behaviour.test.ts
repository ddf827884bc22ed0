import { expect, test } from 'vitest'
import type { AccountName } from '../formats.ts'
import { type Behaviour, behaviourOf } from './behaviour.ts'

// biome-ignore format: a table is read by column
const examples: [account: AccountName, amount: bigint, expected: Behaviour][] = [
  [{ number: '123456789' },               10_000n, 'SETTLE'],
  [{ number: '123450066' },               10_000n, 'REFUSE'],
  [{ iban: 'DE89370400440532010077' },    10_000n, 'RETURN'],
  [{ number: '123456766' },               10_000n, 'SETTLE'],
  [{ number: '123456789' },               10_088n, 'LOSE_REPLY'],
  [{ number: '123456789' },               10_055n, 'LOSE_REQUEST'],
  [{ number: '123450099' },               10_001n, 'SLOW'],
  [{ number: 'ada@example.com' },         10_000n, 'SETTLE'],
  [{},                                     6_600n, 'SETTLE'],
]

test.each(examples)('the bank treats %o with %s as %s', (account, amount, expected) => {
  expect(behaviourOf(account, amount)).toBe(expected)
})
