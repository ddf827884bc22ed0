import { afterAll, expect, test } from 'vitest'
import { walletOf } from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import {
  advance,
  creditWallet,
  expectVerified,
  startWithWorkers,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import {
  actOn,
  changeRule,
  createRule,
  madeBy,
  makeRuleStory,
  type Rule,
  runsOf,
  waitForRuns,
} from '../../support/rules/rules.ts'
import { eventually } from '../../support/runner/eventually.ts'

const api = await startWithWorkers({ SVC_RULE_COOL_DOWN: '600' })
afterAll(api.stop)
afterAll(() => expectVerified(api))
await api.post('/sandbox/clock', { freeze: true })

/** Waits until no rule has work due. */
async function quiet(): Promise<void> {
  await eventually(async () => {
    const due = await api.app.database.query({
      text: `select rule_id from svc.threshold_watches where due_at <= svc.now()
               union all select rule_id from svc.rule_runs where due_at <= svc.now()`,
    })
    expect(due).toEqual([])
  })
}

/** Expects exactly these runs once no work is due. */
async function expectRuns(rule: Rule, expected: readonly object[]): Promise<void> {
  await quiet()
  expect(await runsOf(api, rule)).toMatchObject(expected)
}

const executed = (sourceAmount: string) => ({ runStatus: 'EXECUTED', triggerType: 'THRESHOLD_BASED', sourceAmount })

test('a rule fires when the balance reaches its threshold, and has no run before', async () => {
  const { reaching, credit, available } = await makeRuleStory(api)
  const rule = await createRule(api, reaching('100', 'PCT', '100'))
  await credit('99.999999')
  await expectRuns(rule, [])
  await credit('0.000001')
  await expectRuns(rule, [executed('100.000000')])
  expect(await available()).toBe('0.000000')
  await credit('250.000000')
  await expectRuns(rule, [executed('100.000000'), executed('250.000000')])
})

test('each credit is checked once: a remainder above the threshold waits for the next credit', async () => {
  const { reaching, credit, available } = await makeRuleStory(api)
  const rule = await createRule(api, reaching('100', 'FLAT', '10'))
  await credit('500.000000')
  await expectRuns(rule, [executed('10.000000')])
  await advance(api, 'P1D')
  await expectRuns(rule, [executed('10.000000')])
  await credit('1.000000')
  await expectRuns(rule, [executed('10.000000'), executed('10.000000')])
  expect(await available()).toBe('481.000000')
})

test('the balance is checked when a rule is created, changed or resumed, not while it is paused', async () => {
  const { reaching, credit } = await makeRuleStory(api, '100.000000')
  const rule = await createRule(api, reaching('50', 'FLAT', '1'))
  await expectRuns(rule, [executed('1.000000')])
  await changeRule(api, rule, reaching('50', 'FLAT', '2'))
  await expectRuns(rule, [executed('1.000000'), executed('2.000000')])
  await actOn(api, rule, 'pause')
  await credit('10.000000')
  await expectRuns(rule, [executed('1.000000'), executed('2.000000')])
  await actOn(api, rule, 'resume')
  await expectRuns(rule, [executed('1.000000'), executed('2.000000'), executed('2.000000')])
  await actOn(api, rule, 'delete')
  await credit('10.000000')
  await expectRuns(rule, [executed('1.000000'), executed('2.000000'), executed('2.000000')])
})

test('only balances in the rule’s currency and network count', async () => {
  const { reaching, wallet, organizationId, credit } = await makeRuleStory(api)
  const rule = await createRule(api, reaching('10', 'PCT', '100'))
  for (const asset of ['USDC/POLYGON', 'EURC/BASE']) {
    await creditWallet(api, { organizationId, paymentAccountId: wallet, asset, amount: 99_000_000n })
  }
  await expectRuns(rule, [])
  await credit('10.000000')
  await expectRuns(rule, [executed('10.000000')])
})

test('a released reserve counts as a credit', async () => {
  const { reaching, organizationId, wallet, available } = await makeRuleStory(api, '100.000000')
  const reserve = { organizationId, reference: `test:${newId()}` }
  const account = walletOf(wallet, 'USDC/BASE')
  await api.app.ledger.reserve(asTx(api.app.database), [{ ...reserve, account, amount: 60_000_000n }])
  const rule = await createRule(api, reaching('90', 'FLAT', '5'))
  await expectRuns(rule, [])
  await api.app.database.inTx((tx) => api.app.ledger.release(tx, [reserve]))
  await expectRuns(rule, [executed('5.000000')])
  expect(await available()).toBe('95.000000')
})

test('waiting rules fire when the customer becomes ACTIVE', async () => {
  const { reaching, customerId, credit } = await makeRuleStory(api, '100.000000')
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'A pause' })
  const rule = await createRule(api, reaching('50', 'FLAT', '1'))
  const skipped = { runStatus: 'SKIPPED', reason: 'CUSTOMER_NOT_ACTIVE' }
  await expectRuns(rule, [skipped])
  await advance(api, 'P1D')
  await expectRuns(rule, [skipped])
  await credit('1.000000')
  await expectRuns(rule, [skipped, skipped])
  await api.post(`/customers/${customerId}/reactivate`, { reason: 'It is over' })
  await expectRuns(rule, [skipped, skipped, executed('1.000000')])
})

test('after a run without effect, a rule waits for the next credit or the cool-down', async () => {
  const { reaching, credit } = await makeRuleStory(api, '100.000000')
  const rule = await createRule(api, { ...reaching('50', 'FLAT', '10'), fee: ['USD', '0.01'] })
  const failed = { runStatus: 'FAILED', reason: 'DEVELOPER_FEE_BELOW_SVC_FEE' }
  await expectRuns(rule, [failed])
  await advance(api, 'PT9M59S')
  await expectRuns(rule, [failed])
  await advance(api, 'PT1S')
  await expectRuns(rule, [failed, failed])
  await credit('1.000000')
  await expectRuns(rule, [failed, failed, failed])
})

test('returned funds of a rule’s own transaction do not fire the rule at once', async () => {
  const { reaching, credit, available } = await makeRuleStory(api, '100.000000')
  // The bank refuses amounts that end in 66.
  const rule = await createRule(api, reaching('50', 'FLAT', '60.66'))
  const [run] = await waitForRuns(api, rule, [executed('60.660000')])
  await waitForTransaction(api, madeBy(run), { transactionStatus: 'FAILED' })
  expect(await available()).toBe('100.000000')
  await expectRuns(rule, [executed('60.660000')])
  await advance(api, 'PT10M')
  const [, again] = await waitForRuns(api, rule, [executed('60.660000'), executed('60.660000')])
  await waitForTransaction(api, madeBy(again), { transactionStatus: 'FAILED' })
  await credit('1.000000')
  await waitForRuns(
    api,
    rule,
    [1, 2, 3].map(() => executed('60.660000')),
  )
})

/** Waits until no rule has work due and no transaction of this customer is in progress. */
async function settled({ customerId }: { customerId: string }): Promise<void> {
  const text = `select rule_id from svc.threshold_watches where due_at <= svc.now()
                 union all select rule_id from svc.rule_runs where due_at <= svc.now()
                 union all select transaction_id from svc.transactions
                  where customer_id = $1 and status in ('CREATED', 'PROCESSING')`
  await eventually(async () => expect(await api.app.database.query({ text, values: [customerId] })).toEqual([]))
}

const countExecuted = async (rule: Rule) =>
  (await runsOf(api, rule)).filter(({ runStatus }) => runStatus === 'EXECUTED').length

test('two rules whose payouts the bank refuses do not fire each other with the returned funds', async () => {
  const story = await makeRuleStory(api, '100.000000')
  const { reaching, credit, available } = story
  const rules = [
    await createRule(api, reaching('50', 'FLAT', '60.66')),
    await createRule(api, reaching('50', 'FLAT', '70.66')),
  ]
  const counts = () => Promise.all(rules.map(countExecuted))
  await settled(story)
  expect([await counts(), await available()]).toEqual([[1, 1], '100.000000'])
  await advance(api, 'PT10M')
  await settled(story)
  expect(await counts()).toEqual([2, 2])
  // A new credit fires the first rule; its returned funds do not fire the second.
  await credit('1.000000')
  await settled(story)
  expect(await counts()).toEqual([3, 2])
})

test('rules that pay into each other’s wallets fire once per cool-down', async () => {
  const story = await makeRuleStory(api)
  const { reaching, credit, customerId, wallet } = story
  const second = (await createAccount(api, serviceWalletOf(customerId, 'EVM'))).paymentAccountId
  const third = (await createAccount(api, serviceWalletOf(customerId, 'EVM'))).paymentAccountId
  const circle = [wallet, second, third, wallet]
  const rules: Rule[] = []
  for (const [at, from] of circle.slice(0, -1).entries()) {
    const to = [circle[at + 1] as string, 'USDC', 'BASE'] as const
    rules.push(await createRule(api, { ...reaching('20', 'PCT', '100'), from: [from, 'USDC', 'BASE'], to }))
  }
  const counts = () => Promise.all(rules.map(countExecuted))
  await credit('100.000000')
  await settled(story)
  expect(await counts()).toEqual([1, 1, 1])
  await advance(api, 'PT10M')
  await settled(story)
  expect(await counts()).toEqual([2, 2, 2])
  // A new credit fires at once: it does not come from the circle.
  await credit('100.000000')
  await settled(story)
  expect((await counts())[0]).toBe(3)
})

test('chained rules fire as soon as their threshold is reached, any number of times', async () => {
  const story = await makeRuleStory(api)
  const { reaching, credit, route, customerId } = story
  const second = (await createAccount(api, serviceWalletOf(customerId, 'EVM'))).paymentAccountId
  const first = await createRule(api, { ...reaching('20', 'PCT', '100'), to: [second, 'USDC', 'BASE'] })
  const last = await createRule(api, { ...reaching('10', 'PCT', '100'), from: [second, 'USDC', 'BASE'], to: route.to })
  for (let times = 1; times <= 2; times += 1) {
    await credit('50.000000')
    await settled(story)
    expect([await countExecuted(first), await countExecuted(last)]).toEqual([times, times])
  }
})

test('two rules of one wallet never take more than its balance', async () => {
  const { reaching, credit, available } = await makeRuleStory(api)
  const flat = await createRule(api, reaching('100', 'FLAT', '80'))
  const share = await createRule(api, reaching('50', 'PCT', '100'))
  await credit('100.000000')
  await quiet()
  expect(await runsOf(api, flat)).toMatchObject([executed('80.000000')])
  // The balance had reached the second threshold too, but is smaller when the second rule runs.
  expect(await runsOf(api, share)).toMatchObject([{ runStatus: 'SKIPPED', reason: 'BELOW_THRESHOLD' }])
  expect(await available()).toBe('20.000000')
})
