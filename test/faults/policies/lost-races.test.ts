import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { createAccount } from '../../support/money/payment-accounts.ts'
import { expectVerified, sendDeposit } from '../../support/money/transactions.ts'
import { makePolicyWorld, pay, setRules } from '../../support/policies/policy-world.ts'
import { makeRuleHands } from '../../support/rules/rule-hands.ts'
import { createRule, runsOf } from '../../support/rules/rules.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Workers find room in a limit, and another process takes it before they count. */
const world = await makePolicyWorld()
const { api, organizationId, customerId, external, wallet, outside } = world
const owner = openDatabase({ connection: api.database.owner, connections: 1 })
afterAll(() => owner.close())

/** Sets a limit, and lets another process use it up while the work waits for its counter. */
async function loseRace(ruleId: string, work: () => Promise<unknown>): Promise<void> {
  await setRules(api, [{ ruleId, kind: 'LIMIT', per: 'ORGANIZATION', dayMax: '100.00' }])
  // The counter has its row.
  expect((await pay(api, outside('10'))).status).toBe(201)
  let working: Promise<unknown> = Promise.resolve()
  await api.app.database.inTx(async (tx) => {
    const text = `update svc.policy_counters set day_used = 10000 where organization_id = $1`
    await tx.query({ text, values: [organizationId] })
    working = work()
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await eventually(async () => expect(await owner.query({ text: waiting })).toHaveLength(1))
  })
  await working
}

test('a deposit to an auto fiat account that loses the race for a limit is left to an operator', async () => {
  const { paymentAccountId } = await createAccount(api, {
    customerId,
    paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
    svcAutoFiatAccount: {
      currency: 'USD',
      destinationPaymentAccountId: external,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: 'BASE',
    },
  })
  const sent = await sendDeposit(api, paymentAccountId, { amount: '50.00', currency: 'USD', rail: 'WIRE' })
  await loseRace('deposits', () => api.app.deposits.receiveDue(5, 30_000))
  const { deposits } = (await api.get(`/deposits?customerId=${customerId}`)).body
  expect(deposits).toMatchObject([{ depositStatus: 'UNMATCHED', referenceId: sent }])
  const { transactions } = (await api.get(`/transactions?paymentAccountId=${paymentAccountId}`)).body
  expect(transactions).toEqual([])
})

test('a run of an automation rule that loses the race for a limit is FAILED with POLICY_REFUSED', async () => {
  const rule = await createRule(api, {
    customerId,
    from: [wallet, 'USDC', 'BASE'],
    to: [external, 'USDC', 'BASE'],
    amount: ['FLAT', '50'],
    threshold: '1',
  })
  const hands = makeRuleHands(api.app)()
  await loseRace('runs', hands.carryOut)
  expect(await runsOf(api, rule)).toMatchObject([{ runStatus: 'FAILED', reason: 'POLICY_REFUSED' }])
})

test('every invariant holds', () => expectVerified(api))
