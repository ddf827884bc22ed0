import { expect, test } from 'vitest'
import { type DueRun, decideInOrder, outcomeOfRefusal, quoteBodyOf, retryOrFail } from './due-run.ts'

const dueRun: DueRun = {
  organizationId: 'organization',
  apiKeyId: null,
  ruleId: 'rule',
  runId: 'run',
  fence: '1',
  tries: 0,
  version: 1,
  name: 'A rule',
  customerId: 'customer',
  customerStatus: 'ACTIVE',
  isSuspended: false,
  tier: 'BUILDER',
  available: '100000000',
  sourcePaymentAccountId: 'wallet',
  sourceAsset: 'USDC/BASE',
  sourceMethod: 'BASE',
  destinationPaymentAccountId: 'bank',
  destinationAsset: 'USD',
  destinationMethod: 'ACH',
  amountType: 'FLAT',
  amountText: '10.50',
  amountUnits: '10500000',
  developerFeeType: null,
  developerFeeText: null,
  triggerType: 'TIME_BASED',
  cronSchedule: '* * * * *',
  thresholdText: null,
  thresholdUnits: null,
  status: 'ACTIVE',
  nextRunAt: null,
  externalId: null,
  metadata: null,
  deletedAt: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
}

// biome-ignore format: a table is read by column
test.each([
  // the rule and its customer                                      decision
  [{},                                                              { amount: 10_500_000n }],
  [{ available: '10500000' },                                       { amount: 10_500_000n }],
  [{ available: '10499999' },                                       { skip: 'INSUFFICIENT_BALANCE' }],
  [{ thresholdUnits: '100000000' },                                 { amount: 10_500_000n }],
  [{ thresholdUnits: '100000001' },                                 { skip: 'BELOW_THRESHOLD' }],
  [{ thresholdUnits: '100000001', customerStatus: 'DEACTIVATED' },  { skip: 'CUSTOMER_NOT_ACTIVE' }],
  [{ customerStatus: null },                                        { skip: 'CUSTOMER_NOT_ACTIVE' }],
  [{ customerStatus: 'DEACTIVATED', isSuspended: true },            { skip: 'ORGANIZATION_SUSPENDED' }],
  [{ customerStatus: 'DEACTIVATED', status: 'PAUSED' },             { skip: 'RULE_PAUSED' }],
  [{ status: 'PAUSED', deletedAt: new Date(0) },                    { skip: 'RULE_DELETED' }],
  [{ amountType: 'PCT', amountUnits: '0' },                         { skip: 'NOTHING_TO_MOVE' }],
  [{ amountType: 'PCT', amountUnits: '1000000', available: '0' },   { skip: 'NOTHING_TO_MOVE' }],
  [{ amountType: 'PCT', amountUnits: '1000000' },                   { amount: 100_000_000n }],
] as const)('a run with %o', (given, decision) => {
  expect(decideInOrder([{ ...dueRun, ...given }])).toMatchObject([{ decision }])
})

test('each run finds the balance that earlier runs left in the same wallet and currency', () => {
  const half = { ...dueRun, amountType: 'PCT', amountUnits: '500000' } as const
  const decided = decideInOrder([
    { ...half, ruleId: '3' },
    { ...half, ruleId: '1' },
    { ...half, ruleId: '2', sourceAsset: 'EURC/BASE' },
    { ...half, ruleId: '4', sourcePaymentAccountId: 'other' },
    { ...half, ruleId: '5', organizationId: 'other' },
    { ...dueRun, ruleId: '6', amountUnits: '25000001' },
    { ...half, ruleId: '7', amountUnits: '1000000' },
    { ...half, ruleId: '8', amountUnits: '1000000' },
  ])
  expect(decided.map(({ dueRun: { ruleId }, decision }) => [ruleId, ...Object.values(decision)])).toEqual([
    ['1', 50_000_000n],
    ['2', 50_000_000n],
    ['3', 25_000_000n],
    ['4', 50_000_000n],
    ['5', 50_000_000n],
    ['6', 'INSUFFICIENT_BALANCE'],
    ['7', 25_000_000n],
    ['8', 'NOTHING_TO_MOVE'],
  ])
})

test('the quote request repeats a FLAT amount in its own digits and writes a PCT amount at full scale', () => {
  expect(quoteBodyOf(dueRun, 10_500_000n).source.sourceAmount).toBe('10.50')
  expect(quoteBodyOf({ ...dueRun, amountType: 'PCT' }, 10_500_000n).source.sourceAmount).toBe('10.500000')
})

// biome-ignore format: a table is read by column
test.each([
  ['INSUFFICIENT_BALANCE',            'FLAT', { move: 'skip', reason: 'INSUFFICIENT_BALANCE' }],
  ['INSUFFICIENT_BALANCE',            'PCT',  { move: 'retry', reason: 'BALANCE_CHANGED', inSeconds: 0 }],
  ['CONFLICT',                        'FLAT', { move: 'skip', reason: 'PAYMENT_ACCOUNT_NOT_ACTIVE' }],
  ['NOT_FOUND',                       'FLAT', { move: 'skip', reason: 'PAYMENT_ACCOUNT_NOT_ACTIVE' }],
  ['CUSTOMER_NOT_ACTIVE',             'FLAT', { move: 'skip', reason: 'CUSTOMER_NOT_ACTIVE' }],
  ['AMOUNT_BELOW_MINIMUM',            'PCT',  { move: 'skip', reason: 'AMOUNT_BELOW_MINIMUM' }],
  ['AMOUNT_ABOVE_MAXIMUM',            'PCT',  { move: 'fail', reason: 'AMOUNT_ABOVE_MAXIMUM' }],
  ['PAYMENT_METHOD_NOT_AVAILABLE',    'FLAT', { move: 'fail', reason: 'PAYMENT_METHOD_NOT_AVAILABLE' }],
  ['UNSUPPORTED_ROUTE',               'FLAT', { move: 'fail', reason: 'UNSUPPORTED_ROUTE' }],
  ['BAD_REQUEST',                     'FLAT', { move: 'fail', reason: 'BAD_REQUEST' }],
  ['QUOTE_EXPIRED',                   'FLAT', { move: 'retry', reason: 'QUOTE_EXPIRED', inSeconds: 0 }],
  ['SERVICE_UNAVAILABLE',             'FLAT', { move: 'retry', reason: 'SERVICE_UNAVAILABLE', inSeconds: 1 }],
  ['IDEMPOTENCY_REQUEST_IN_PROGRESS', 'FLAT', { move: 'leave' }],
  ['INTERNAL_ERROR',                  'FLAT', { move: 'retry', reason: 'INTERNAL_ERROR', inSeconds: 1 }],
] as const)('%s, for a rule with a %s amount', (code, amountType, outcome) => {
  expect(outcomeOfRefusal({ ...dueRun, amountType }, { code, details: undefined })).toEqual(outcome)
})

test('a developer fee below svcFee has a failure reason of its own', () => {
  const details = [{ field: 'developerFee.developerFeeAmount', message: 'must be at least svcFee' }]
  expect(outcomeOfRefusal(dueRun, { code: 'BAD_REQUEST', details })).toEqual({
    move: 'fail',
    reason: 'DEVELOPER_FEE_BELOW_SVC_FEE',
  })
})

test('a run is retried for 15 minutes', () => {
  let waited = 0
  for (let tries = 0; ; tries += 1) {
    const outcome = retryOrFail({ tries }, 'SERVICE_UNAVAILABLE')
    if (outcome.move === 'fail') break
    waited += outcome.move === 'retry' ? outcome.inSeconds : 0
  }
  expect(waited).toBe(901)
})
