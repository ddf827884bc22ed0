import { expect, test } from 'vitest'
import type { AccountName } from '../formats.ts'
import { type Behaviour, behaviourOf } from './behaviour.ts'

// biome-ignore format: a table is read by column
const examples: [account: AccountName, expected: Behaviour][] = [
  [{ number: '123456789' },               'SETTLE'],
  [{ number: '123450066' },               'REFUSE'],
  [{ iban: 'DE89370400440532010077' },    'RETURN'],
  [{ number: '123456766' },               'SETTLE'],
  [{ number: '123450088' },               'LOSE_REPLY'],
  [{ number: '123450055' },               'LOSE_REQUEST'],
  [{ number: '123450099' },               'SLOW'],
  [{ number: 'ada@example.com' },         'SETTLE'],
  [{ number: 'ada0066@example.com' },     'REFUSE'],
  [{},                                    'SETTLE'],
]

test.each(examples)('the bank treats %o as %s', (account, expected) => {
  expect(behaviourOf(account)).toBe(expected)
})
