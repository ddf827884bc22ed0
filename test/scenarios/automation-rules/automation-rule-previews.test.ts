import { afterAll, expect, test } from 'vitest'
import { createCustomer } from '../../support/customers/customers.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import { advance, creditWallet, startWithWorkers } from '../../support/money/transactions.ts'
import { actOn, createRule, type RuleWish, ruleBody, type TimedWish, waitForRuns } from '../../support/rules/rules.ts'
import type { BodyOf } from '../../support/runner/answers.ts'

const api = await startWithWorkers()
afterAll(() => api.stop())
await api.post('/sandbox/clock', { freeze: true })

type Preview = BodyOf<'POST /automation-rules/preview'>

/** Creates a customer of its own for each test, with this amount in the wallet. */
async function setUp(units: bigint) {
  const customer = await makeActive(api)
  const { customerId, organizationId } = customer
  const { wallet, external } = await makeAccounts(api, customer)
  if (units > 0n) await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: units })
  const wish = (type: 'FLAT' | 'PCT', value: string, cron = '* * * * *'): TimedWish => ({
    customerId,
    from: [wallet, 'USDC', 'BASE'],
    to: [external, 'USDC', 'BASE'],
    amount: [type, value],
    cron,
  })
  return { customerId, external, wish }
}

async function preview(wish: RuleWish, runs?: number): Promise<Preview> {
  const answer = await api.post('/automation-rules/preview', { ...ruleBody(wish), ...(runs ? { runs } : {}) })
  expect([answer.status, answer.body]).toEqual([200, expect.anything()])
  return answer.body
}
const waiting = ({ cron: _, ...wish }: TimedWish, threshold: string): RuleWish => ({ ...wish, threshold })
const codes = ({ warnings }: Preview) => warnings.map(({ code }) => code)
const shown = ({ runs }: Preview) => runs.map((run) => run.sourceAmount ?? run.reason)
const countRules = () => api.app.database.query({ text: 'select count(*) from svc.automation_rules' })

test('a preview shows the schedule in words, the next times, and the amount of each run', async () => {
  const { wish } = await setUp(100_000_000n)
  const before = await countRules()
  const shownNow = await preview(wish('PCT', '50', '0 9 * * mon'), 3)
  expect(shownNow).toMatchObject({
    description: 'At 09:00, only on Monday (UTC)',
    currency: { label: 'USDC', chain: 'BASE' },
    availableBalance: '100.000000',
    runs: [
      { runStatus: 'EXECUTED', sourceAmount: '50.000000', destinationAmount: '49.750000' },
      { runStatus: 'EXECUTED', sourceAmount: '25.000000', destinationAmount: '24.875000' },
      { runStatus: 'EXECUTED', sourceAmount: '12.500000', destinationAmount: '12.437500' },
    ],
    warnings: [],
  })
  const [first, second] = shownNow.runs.map(({ scheduledFor }) => new Date(scheduledFor))
  expect(first?.toISOString()).toMatch(/T09:00:00\.000Z$/)
  expect([first?.getUTCDay(), Number(second) - Number(first)]).toEqual([1, 7 * 24 * 3_600_000])
  expect((await preview(wish('PCT', '50'))).runs).toHaveLength(5)
  expect(await countRules()).toEqual(before)
})

test('the runs happen as previewed', async () => {
  const { wish } = await setUp(10_000_000n)
  const rule = wish('FLAT', '4')
  const { runs, warnings } = await preview(rule, 4)
  expect(warnings).toMatchObject([{ code: 'INSUFFICIENT_BALANCE' }])
  const made = await createRule(api, rule)
  for (const [at, { scheduledFor }] of runs.entries()) {
    const { now } = (await api.get('/sandbox/clock')).body
    await advance(api, `PT${(Date.parse(scheduledFor) - Date.parse(now)) / 1_000}S`)
    await waitForRuns(
      api,
      made,
      runs.slice(0, at + 1).map(({ destinationAmount: _, ...run }) => run),
    )
  }
  await actOn(api, made, 'delete')
})

test('a preview simulates the other rules of the wallet in order, and names them', async () => {
  const { wish } = await setUp(100_000_000n)
  const flat = await createRule(api, wish('FLAT', '30', '0 12 * * *'))
  const paused = await createRule(api, wish('FLAT', '30', '0 12 * * *'))
  await actOn(api, paused, 'pause')
  const other = await createRule(api, waiting(wish('PCT', '1'), '1000000'))
  const seen = await preview(wish('PCT', '100', '0 12 * * *'), 2)
  expect(shown(seen)).toEqual(['70.000000', 'NOTHING_TO_MOVE'])
  expect(codes(seen)).toEqual(['NOTHING_TO_MOVE', 'CONFLICTS_WITH_RULE'])
  expect(seen.warnings[1]?.ruleIds).toEqual([other.id, flat.id])
})

test('when other rules fire too often to simulate, a preview shows times without amounts', async () => {
  const { wish } = await setUp(100_000_000n)
  await createRule(api, wish('FLAT', '0.1', '* * * * *'))
  const seen = await preview(wish('FLAT', '1', '0 0 1 1 *'), 3)
  expect(seen.runs.map((run) => Object.keys(run))).toEqual(Array(3).fill(['scheduledFor']))
  expect(codes(seen)).toEqual(['NOT_PLAYED_THROUGH', 'CONFLICTS_WITH_RULE'])
})

test('a preview warns about a schedule that never fires', async () => {
  const { wish } = await setUp(0n)
  await createRule(api, wish('FLAT', '1'))
  const seen = await preview(wish('FLAT', '1', '0 0 30 2 *'))
  expect(seen.runs).toEqual([])
  expect(codes(seen)).toEqual(['NEVER_FIRES', 'CONFLICTS_WITH_RULE'])
})

test('the preview of a threshold fires now, or shows how much is missing', async () => {
  const { wish } = await setUp(100_000_000n)
  const enough = await preview(waiting(wish('PCT', '25'), '100.00'))
  expect(enough).toMatchObject({
    description: 'When 100.00 USDC or more is available on BASE',
    runs: [{ runStatus: 'EXECUTED', sourceAmount: '25.000000' }],
    warnings: [],
  })
  const more = await preview(waiting(wish('PCT', '25'), '100.000001'))
  expect([more.runs, codes(more)]).toEqual([[], ['BELOW_THRESHOLD']])
  const never = await preview(waiting(wish('FLAT', '500'), '200'))
  expect([never.runs, codes(never)]).toEqual([[], ['BELOW_THRESHOLD', 'INSUFFICIENT_BALANCE']])
})

test('a preview shows why each run would be refused', async () => {
  const { wish } = await setUp(100_000_000n)
  // biome-ignore format: a table is read by column
  const doubts: [RuleWish, string, string, string][] = [
    [wish('PCT', '0'),                                        'SKIPPED', 'NOTHING_TO_MOVE',              'nothing to move'],
    [wish('FLAT', '101'),                                     'SKIPPED', 'INSUFFICIENT_BALANCE',         'less than the amount'],
    [wish('FLAT', '0.05'),                                    'SKIPPED', 'AMOUNT_BELOW_MINIMUM',         'must be at least 0.10 USDC on BASE'],
    [{ ...wish('FLAT', '10'), fee: ['USD', '0.01'] },         'FAILED',  'DEVELOPER_FEE_BELOW_SVC_FEE',  'must be at least svcFee'],
  ]
  for (const [rule, runStatus, reason, says] of doubts) {
    const seen = await preview(rule, 2)
    expect(seen.runs).toMatchObject([
      { runStatus, reason },
      { runStatus, reason },
    ])
    expect(seen.warnings).toEqual([{ code: reason, message: expect.stringContaining(says) }])
  }
})

test('a preview for a customer who is not ACTIVE shows skipped runs', async () => {
  const customer = await createCustomer(api)
  const { wallet, external } = await makeAccounts(api, customer)
  const { customerId } = customer
  const seen = await preview({
    customerId,
    from: [wallet, 'USDC', 'BASE'],
    to: [external, 'USDC', 'BASE'],
    amount: ['PCT', '100'],
    cron: '* * * * *',
  })
  expect(codes(seen)).toEqual(['CUSTOMER_NOT_ACTIVE'])
  expect(seen.runs[0]).toMatchObject({ runStatus: 'SKIPPED', reason: 'CUSTOMER_NOT_ACTIVE' })
})

test('an invalid rule cannot be previewed', async () => {
  const { wish, external } = await setUp(0n)
  const body = ruleBody({ ...wish('FLAT', '1e2', 'noon'), from: [external, 'USDC', 'BASE'] })
  for (const path of ['/automation-rules', '/automation-rules/preview']) {
    const answer = await api.post(path, body)
    expect(answer.body).toMatchObject({ error: 'BAD_REQUEST', details: { length: 4 } })
  }
  for (const runs of [0, 101, 1.5, '5']) {
    const answer = await api.post('/automation-rules/preview', { ...ruleBody(wish('FLAT', '1')), runs })
    expect(answer.body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field: 'runs' }] })
  }
})
