import { expect, test } from 'vitest'
import type { PostingContent } from './postings.ts'
import * as facts from './receivable-postings.ts'

const asset = 'USD'
const customerId = 'ada'

// biome-ignore format: a table is read by column
test.each([
  [facts.reverseDeposit({ asset, covered: 1_000n, owed: 0n, customerId: null, at: 'usd-main' }),
    'DEPOSIT_REVERSAL · SUSPENSE  -1000 · BANK usd-main 1000'],
  [facts.reverseDeposit({ asset, covered: 200n, owed: 800n, customerId, at: 'usd-main' }),
    'DEPOSIT_REVERSAL · SUSPENSE  -200 · BANK usd-main 200 · RECEIVABLES ada -800 · BANK usd-main 800'],
  [facts.recoverReceivable({ asset, amount: 800n, customerId, from: { holding: 'usd-main' } }),
    'RECOVERY · BANK usd-main -800 · RECEIVABLES ada 800'],
  [facts.recoverReceivable({ asset, amount: 800n, customerId, from: 'RETURNED_FUNDS' }),
    'RECOVERY · RETURNED_FUNDS ada -800 · RECEIVABLES ada 800'],
  [facts.recoverReceivable({ asset, amount: 800n, customerId, from: { wallet: 'w1' } }),
    'RECOVERY · WALLET w1 -800 · RECEIVABLES ada 800'],
  [facts.writeOffReceivable({ asset, amount: 800n, customerId }),
    'WRITE_OFF · LOSSES  -800 · RECEIVABLES ada 800'],
] as const)('%#: entries of a fact about a reversed deposit', (content: PostingContent, expected) => {
  const entries = content.entries.map(({ kind, holder, amount }) => `${kind} ${holder} ${amount}`)
  expect([content.fact, ...entries].join(' · ')).toBe(expected)
})

test('no posting makes an unknown customer owe', () => {
  expect(() => facts.reverseDeposit({ asset, covered: 0n, owed: 1n, customerId: null, at: 'usd-main' })).toThrow(
    RangeError,
  )
})
