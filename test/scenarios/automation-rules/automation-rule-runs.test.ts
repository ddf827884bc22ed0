import { afterAll, expect, test } from 'vitest'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import {
  advance,
  expectVerified,
  readTransaction,
  startWithWorkers,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import {
  actOn,
  businessNow,
  changeRule,
  createRule,
  madeBy,
  makeRuleStory,
  type Rule,
  type Run,
  readRule,
  toNextMinute,
  waitForRuns,
} from '../../support/rules/rules.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'

const api = await startWithWorkers()
afterAll(api.stop)
afterAll(() => expectVerified(api))
await api.post('/sandbox/clock', { freeze: true })

const eventsOf = async ({ runId }: Run) => (await api.get(`/events?resourceId=${runId}`)).body.events

test('a due rule creates one transaction, and an event', async () => {
  const { everyMinute, available, customerId } = await makeRuleStory(api, '100.000000')
  const rule = await createRule(api, everyMinute('FLAT', '10.50'))
  const minute = rule.nextRunAt
  expect(await toNextMinute(api)).toBe(minute)
  const expected = { runStatus: 'EXECUTED', triggerType: 'TIME_BASED', scheduledFor: minute, sourceAmount: '10.500000' }
  const run = first(await waitForRuns(api, rule, [expected]))
  const made = await waitForTransaction(api, madeBy(run), { transactionStatus: 'COMPLETED' })
  expect(made).toMatchObject({ customerId, source: { sourceAmount: '10.50' } })
  expect(await available()).toBe('89.500000')
  expect(await readRule(api, rule)).toMatchObject({
    nextRunAt: new Date(Date.parse(minute ?? '') + 60_000).toISOString(),
    lastRun: { runId: run.runId },
  })
  await eventually(async () =>
    expect(await eventsOf(run)).toMatchObject([
      { type: 'automation_rule.executed', data: { runId: run.runId, transactionId: run.transactionId } },
    ]),
  )
  const ofRule = (await api.get(`/events?resourceId=${rule.id}`)).body.events
  expect(ofRule).toEqual(await eventsOf(run))
  const ofType = `/events?resourceType=automation_rule&resourceId=${rule.id}`
  expect((await api.get(ofType)).body.events).toEqual(ofRule)
  await actOn(api, rule, 'delete')
})

test('every minute has a run; after a long gap only the last minute has one', async () => {
  const { everyMinute } = await makeRuleStory(api, '100.000000')
  const rule = await createRule(api, everyMinute('FLAT', '1'))
  const minutes: string[] = []
  for (let at = 1; at <= 3; at += 1) {
    minutes.push(await toNextMinute(api))
    await waitForRuns(
      api,
      rule,
      minutes.map((scheduledFor) => ({ runStatus: 'EXECUTED', scheduledFor })),
    )
  }
  await advance(api, 'P3DT59M')
  const latest = new Date(Math.floor((await businessNow(api)).getTime() / 60_000) * 60_000)
  await waitForRuns(
    api,
    rule,
    [...minutes, latest.toISOString()].map((scheduledFor) => ({ runStatus: 'EXECUTED', scheduledFor })),
  )
  expect((await readRule(api, rule)).nextRunAt).toBe(new Date(latest.getTime() + 60_000).toISOString())
  await actOn(api, rule, 'delete')
  const page = async (query: string) => (await api.get(`/automation-rules/${rule.id}/runs?pageSize=3&${query}`)).body
  const first = await page('status=EXECUTED')
  const rest = await page(`status=EXECUTED&pageToken=${first.nextPageToken}`)
  const newestFirst = [latest.toISOString(), ...minutes.reverse()]
  expect([...first.runs, ...rest.runs].map(({ scheduledFor }) => scheduledFor)).toEqual(newestFirst)
  expect([rest.nextPageToken, await page('status=SKIPPED')]).toEqual(['', { runs: [], nextPageToken: '' }])
  expect(await page(`status=SKIPPED&pageToken=${first.nextPageToken}`)).toMatchObject({ error: 'BAD_REQUEST' })
})

// biome-ignore format: a table is read by column
test.each([
  // has           amount                  the run
  ['100.000000',   ['PCT', '33.3333'],     { runStatus: 'EXECUTED', sourceAmount: '33.333300' }],
  ['0.999999',     ['PCT', '50'],          { runStatus: 'EXECUTED', sourceAmount: '0.499999' }],
  ['77.000001',    ['PCT', '100'],         { runStatus: 'EXECUTED', sourceAmount: '77.000001' }],
  ['100.000000',   ['PCT', '0'],           { runStatus: 'SKIPPED', reason: 'NOTHING_TO_MOVE' }],
  ['0.000001',     ['PCT', '99.9999'],     { runStatus: 'SKIPPED', reason: 'NOTHING_TO_MOVE' }],
  ['0',            ['PCT', '100'],         { runStatus: 'SKIPPED', reason: 'NOTHING_TO_MOVE' }],
  ['0',            ['FLAT', '1'],          { runStatus: 'SKIPPED', reason: 'INSUFFICIENT_BALANCE' }],
  ['9.999999',     ['FLAT', '10'],         { runStatus: 'SKIPPED', reason: 'INSUFFICIENT_BALANCE' }],
  ['10.000000',    ['FLAT', '10'],         { runStatus: 'EXECUTED', sourceAmount: '10.000000' }],
  ['0.009000',     ['PCT', '100'],         { runStatus: 'SKIPPED', reason: 'AMOUNT_BELOW_MINIMUM' }],
  ['2000000.000000', ['FLAT', '1500000'],  { runStatus: 'FAILED', reason: 'AMOUNT_ABOVE_MAXIMUM' }],
] as const)('with %s in the wallet, a rule of %j', async (has, [type, value], expected) => {
  const { everyMinute, available } = await makeRuleStory(api, has)
  const rule = await createRule(api, everyMinute(type, value))
  await toNextMinute(api)
  await waitForRuns(api, rule, [expected])
  const left = BigInt(has.replace('.', '')) - BigInt('sourceAmount' in expected ? expected.sourceAmount.replace('.', '') : 0)
  expect(BigInt((await available()).replace('.', ''))).toBe(left)
  await actOn(api, rule, 'delete')
})

test('rules of one wallet that are due in the same minute run in order of creation', async () => {
  const { everyMinute, available } = await makeRuleStory(api, '100.000000')
  const rules: Rule[] = []
  // biome-ignore format: a table is read by column
  const turns = [
    ['PCT',  '50',  { runStatus: 'EXECUTED', sourceAmount: '50.000000' }],
    ['PCT',  '50',  { runStatus: 'EXECUTED', sourceAmount: '25.000000' }],
    ['FLAT', '30',  { runStatus: 'SKIPPED',  reason: 'INSUFFICIENT_BALANCE' }],
    ['PCT',  '100', { runStatus: 'EXECUTED', sourceAmount: '25.000000' }],
    ['PCT',  '100', { runStatus: 'SKIPPED',  reason: 'NOTHING_TO_MOVE' }],
  ] as const
  for (const [type, value] of turns) rules.push(await createRule(api, everyMinute(type, value)))
  await toNextMinute(api)
  for (const [at, rule] of rules.entries()) await waitForRuns(api, rule, [turns[at]?.[2] as object])
  expect(await available()).toBe('0.000000')
  for (const rule of rules) await actOn(api, rule, 'delete')
})

test('a run that breaks the fee rule of the BUILDER tier fails, with an event', async () => {
  const { everyMinute, available } = await makeRuleStory(api, '100.000000')
  const rule = await createRule(api, { ...everyMinute('FLAT', '10'), fee: ['USD', '0.01'] })
  const enough = await createRule(api, { ...everyMinute('FLAT', '10'), fee: ['USD', '0.05'] })
  await toNextMinute(api)
  const run = first(await waitForRuns(api, rule, [{ runStatus: 'FAILED', reason: 'DEVELOPER_FEE_BELOW_SVC_FEE' }]))
  await waitForRuns(api, enough, [{ runStatus: 'EXECUTED' }])
  expect(await available()).toBe('90.000000')
  await eventually(async () =>
    expect(await eventsOf(run)).toMatchObject([
      { type: 'automation_rule.failed', data: { reason: 'DEVELOPER_FEE_BELOW_SVC_FEE' } },
    ]),
  )
  for (const each of [rule, enough]) await actOn(api, each, 'delete')
})

test('runs are SKIPPED while the customer is not ACTIVE, and continue afterwards', async () => {
  const { everyMinute, customerId } = await makeRuleStory(api, '100.000000')
  const rule = await createRule(api, everyMinute('FLAT', '10'))
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'A pause' })
  await toNextMinute(api)
  const skipped = { runStatus: 'SKIPPED', reason: 'CUSTOMER_NOT_ACTIVE' }
  const run = first(await waitForRuns(api, rule, [skipped]))
  await api.post(`/customers/${customerId}/reactivate`, { reason: 'It is over' })
  await toNextMinute(api)
  await waitForRuns(api, rule, [skipped, { runStatus: 'EXECUTED' }])
  expect(await eventsOf(run)).toEqual([])
  await actOn(api, rule, 'delete')
})

test('a paused rule does not catch up on missed minutes; a deleted one never fires again', async () => {
  const { everyMinute } = await makeRuleStory(api, '100.000000')
  const rule = await createRule(api, everyMinute('FLAT', '10'))
  await actOn(api, rule, 'pause')
  await advance(api, 'PT10M')
  const other = await createRule(api, everyMinute('FLAT', '1'))
  await toNextMinute(api)
  await waitForRuns(api, other, [{ runStatus: 'EXECUTED' }])
  await waitForRuns(api, rule, [])
  const resumed = await actOn(api, rule, 'resume')
  const minute = await toNextMinute(api)
  expect(resumed.nextRunAt).toBe(minute)
  await waitForRuns(api, rule, [{ runStatus: 'EXECUTED', scheduledFor: minute }])
  await actOn(api, rule, 'delete')
  await toNextMinute(api)
  await waitForRuns(
    api,
    other,
    [1, 2, 3].map(() => ({ runStatus: 'EXECUTED' })),
  )
  const { runs } = (await api.get(`/automation-rules/${other.id}/runs`)).body
  expect(runs).toHaveLength(3)
  await actOn(api, other, 'delete')
})

test('runs use the values of the last PUT', async () => {
  const { everyMinute, wallet, customerId } = await makeRuleStory(api, '100.000000')
  const rule = await createRule(api, everyMinute('FLAT', '10'))
  const second = (await createAccount(api, serviceWalletOf(customerId, 'EVM'))).paymentAccountId
  await changeRule(api, rule, { ...everyMinute('PCT', '25'), to: [second, 'USDC', 'BASE'] })
  await toNextMinute(api)
  const run = first(await waitForRuns(api, rule, [{ runStatus: 'EXECUTED', sourceAmount: '25.000000' }]))
  expect(await readTransaction(api, madeBy(run))).toMatchObject({
    source: { sourcePaymentAccountId: wallet },
    destination: { destinationPaymentAccountId: second },
  })
  await actOn(api, rule, 'delete')
})
