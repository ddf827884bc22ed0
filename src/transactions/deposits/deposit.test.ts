import { expect, test } from 'vitest'
import { chooseDisposition, type DispositionFacts } from './deposit.ts'

type Awaiting = NonNullable<DispositionFacts['transaction']>
const waiting = (status: Awaiting['status'], receivedAmount = '0'): Awaiting => ({
  status,
  sourceAsset: 'USD',
  sourceAmount: '100',
  receivedAmount,
  expiresAt: new Date('2026-01-08'),
})

// biome-ignore format: a table is read by column
test.each([
  // deposit         arrived at      transaction                           cleared, returnable    disposition
  ['100', 'USD',     'ELSEWHERE',    waiting('AWAITING_TRANSFER'),         true,  true,           { type: 'APPLY', amount: 100n, labels: [] }],
  ['99',  'USD',     'ELSEWHERE',    waiting('AWAITING_TRANSFER'),         true,  true,           { type: 'APPLY', amount: 99n, labels: [] }],
  ['101', 'USD',     'ELSEWHERE',    waiting('AWAITING_TRANSFER'),         true,  true,           { type: 'APPLY', amount: 100n, labels: ['OVERPAID'] }],
  ['50',  'USD',     'ELSEWHERE',    waiting('AWAITING_TRANSFER', '60'),   true,  true,           { type: 'APPLY', amount: 40n, labels: ['OVERPAID'] }],
  ['100', 'USD',     'ELSEWHERE',    waiting('PROCESSING', '100'),         true,  true,           { type: 'RETURN', labels: ['OVERPAID'] }],
  ['100', 'USD',     'ELSEWHERE',    waiting('COMPLETED', '100'),          true,  true,           { type: 'RETURN', labels: ['OVERPAID'] }],
  ['100', 'USD',     'ELSEWHERE',    waiting('EXPIRED'),                   true,  true,           { type: 'RETURN', labels: ['LATE'] }],
  ['100', 'USD',     'ELSEWHERE',    waiting('CANCELLED'),                 true,  true,           { type: 'RETURN', labels: ['LATE'] }],
  ['100', 'USD',     'ELSEWHERE',    waiting('FAILED'),                    true,  false,          { type: 'UNMATCHED' }],
  ['100', 'EUR',     'ELSEWHERE',    waiting('AWAITING_TRANSFER'),         true,  true,           { type: 'UNMATCHED' }],
  ['100', 'USD',     'ELSEWHERE',    waiting('AWAITING_TRANSFER'),         false, true,           { type: 'HOLD' }],
  ['100', 'USD',     'ELSEWHERE',    waiting('EXPIRED'),                   false, true,           { type: 'HOLD' }],
  ['100', 'USD',     'ELSEWHERE',    undefined,                            true,  false,          { type: 'UNMATCHED' }],
  ['100', 'USDC/BASE', 'WALLET',     undefined,                            true,  false,          { type: 'CREDIT' }],
  ['100', 'USDC/BASE', 'WALLET',     undefined,                            false, false,          { type: 'HOLD' }],
  ['100', 'USDC/BASE', 'DELETED_WALLET', undefined,                        true,  false,          { type: 'UNMATCHED' }],
  ['100', 'USDC/BASE', 'DELETED_WALLET', undefined,                        false, false,          { type: 'UNMATCHED' }],
  ['100', 'USD',     'AUTO_ACCOUNT', waiting('AWAITING_TRANSFER'),         true,  false,          { type: 'APPLY', amount: 100n, labels: [] }],
  ['100', 'USD',     'AUTO_ACCOUNT', undefined,                            true,  false,          { type: 'UNMATCHED' }],
  ['100', 'USD',     'AUTO_ACCOUNT', undefined,                            false, false,          { type: 'HOLD' }],
] as const)('%s %s at %s', (amount, asset, place, transaction, isCleared, isReturnable, expected) => {
  const deposit = { amount, asset, seenAt: new Date('2026-01-07') }
  const facts = { deposit, place, transaction, isCleared, isReturnable, isExpectedHolding: true }
  expect(chooseDisposition(facts)).toEqual(expected)
})

test('a deposit after expiry is late, even if no worker has expired the transaction yet', () => {
  const facts = {
    transaction: waiting('AWAITING_TRANSFER'),
    place: 'ELSEWHERE',
    isCleared: true,
    isExpectedHolding: true,
  } as const
  const deposit = { amount: '100', asset: 'USD', seenAt: new Date('2026-01-08') } as const
  const late = { type: 'RETURN', labels: ['LATE'] }
  expect(chooseDisposition({ ...facts, deposit, isReturnable: true })).toEqual(late)
  expect(chooseDisposition({ ...facts, deposit, isReturnable: false })).toEqual({ type: 'UNMATCHED' })
})
