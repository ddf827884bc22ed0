import { expect, test } from 'vitest'
import { startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { advance, createTransaction, expectVerified, readTransaction } from '../../support/money/transactions.ts'
import { setRules } from '../../support/policies/policy-world.ts'

/** Payments that exist already wait for the end of a kill switch or of quiet hours, at both steps that are left. */
const money = await startMoney()
const { api, offRamp, rows } = money
/** Runs between the look of a worker at the policies and its start of the payouts. */
let meanwhile: () => Promise<void> = async () => {}
const hands = takeOver(money, {
  screening: {
    listVersion: async () => {
      const act = meanwhile
      meanwhile = async () => {}
      await act()
      return undefined
    },
  },
})
const create = () => createTransaction(api, offRamp)
const createPayout = async () => {
  const transaction = await create()
  await untilIdle(hands.advanceAll)
  return transaction
}
const payouts = () => rows(`select status from svc.payouts where status <> 'CONFIRMED'`)
const expectPaid = async (transaction: { transactionId: string }) => {
  await setRules(api, [])
  await advance(api, 'PT2M')
  await untilIdle(hands.advanceAll)
  await untilIdle(hands.payOut)
  expect(await readTransaction(api, transaction)).toMatchObject({ transactionStatus: 'COMPLETED' })
}

const killSwitch = { ruleId: 'stop', kind: 'KILL_SWITCH' }
const quietHours = { ruleId: 'quiet', kind: 'QUIET_HOURS', from: '00:00', to: '00:00', timeZone: 'UTC' }

test.each([killSwitch, quietHours])('$kind: a transaction without a payout waits as it is', async (rule) => {
  const transaction = await create()
  await setRules(api, [rule])
  await untilIdle(hands.advanceAll)
  await advance(api, 'PT5M')
  await untilIdle(hands.advanceAll)
  expect(await readTransaction(api, transaction)).toMatchObject({ transactionStatus: 'CREATED' })
  expect(await payouts()).toEqual([])
  await expectPaid(transaction)
})

test.each([killSwitch, quietHours])('$kind: a payout that exists waits', async (rule) => {
  const transaction = await createPayout()
  await setRules(api, [rule])
  await untilIdle(hands.payOut)
  await advance(api, 'PT5M')
  await untilIdle(hands.payOut)
  expect(await payouts()).toEqual([{ status: 'WAITING' }])
  await expectPaid(transaction)
})

test('a kill switch that is set after a worker has looked holds the payout as well', async () => {
  const transaction = await createPayout()
  meanwhile = () => setRules(api, [killSwitch])
  await hands.payOut()
  expect(await payouts()).toEqual([{ status: 'WAITING' }])
  await rows(`update svc.payouts set lease_until = clock_timestamp() where lease_until is not null`)
  await expectPaid(transaction)
})

test('every invariant holds', () => expectVerified(api))
