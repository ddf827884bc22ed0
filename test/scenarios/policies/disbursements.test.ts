import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { makePayer } from '../../support/money/blocked-payers.ts'
import { createDisbursementStories } from '../../support/money/disbursement-stories.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { createQuote } from '../../support/money/quotes.ts'
import { setRules } from '../../support/policies/policy-world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'

const { api } = await startHeard()
const { creditedRefund, creditedDeposit, disburse, kept, shown, waitForDisbursement } = createDisbursementStories(
  api,
  api,
)
const ada = await makePayer(api)

test('a disbursement is no way around the destinations of a policy, and takes nothing when it is refused', async () => {
  const { transactionId } = await creditedRefund(ada)
  await setRules(api, [{ ruleId: 'to', kind: 'DESTINATIONS', allowed: [ada.external], coolingHours: 0 }])
  const refused = await disburse(ada, { destinationPaymentAccountId: ada.bank })
  expect(refused).toMatchObject({
    status: 422,
    body: { error: 'POLICY_REFUSED', details: [{ field: 'destinationPaymentAccountId' }] },
  })
  expect(await shown(ada)).toEqual([['USD', '12.66', transactionId]])
  await setRules(api, [{ ruleId: 'to', kind: 'DESTINATIONS', allowed: [ada.bank], coolingHours: 0 }])
  const created = await disburse(ada, { destinationPaymentAccountId: ada.bank })
  expect(created.status).toBe(201)
  await waitForDisbursement(ada, created.body, 'COMPLETED')
})

test('returned funds that a transaction takes are weighed and counted as any payment', async () => {
  await setRules(api, [])
  const bob = await makePayer(api)
  const { transactionId } = await creditedRefund(bob)
  const { paymentAccountId } = first(await kept(bob))
  const quote = (amount: string) => {
    const from = [paymentAccountId, 'USD', 'ACH', amount] as const
    return createQuote(api, { customerId: bob.customerId, from, to: [bob.external, 'USDC', 'BASE'] })
  }
  const pay = ({ quoteId }: { quoteId: string }) =>
    api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': newId() } })
  const [all, half, other] = [await quote('12.66'), await quote('6.33'), await quote('6.33')]
  for (const rule of [
    { kind: 'KILL_SWITCH' },
    { kind: 'DESTINATIONS', allowed: [bob.bank], coolingHours: 0 },
    { kind: 'LIMIT', per: 'CUSTOMER', dayMax: '12.65' },
  ]) {
    await setRules(api, [{ ruleId: 'no', ...rule }])
    expect(await pay(all)).toMatchObject({ status: 422, body: { error: 'POLICY_REFUSED' } })
  }
  expect(await shown(bob)).toEqual([['USD', '12.66', transactionId]])
  await setRules(api, [{ ruleId: 'day', kind: 'LIMIT', per: 'CUSTOMER', dayMax: '12.65' }])
  expect((await pay(half)).status).toBe(201)
  expect(await pay(other)).toMatchObject({ status: 422, body: { error: 'POLICY_REFUSED' } })
})

test('a disbursement that waits for a counter holds no balance, as a creation locks counters before balances', async () => {
  await creditedDeposit(ada, '12.00')
  await setRules(api, [{ ruleId: 'day', kind: 'LIMIT', per: 'ORGANIZATION', dayMax: '100.00' }])
  const ask = (amount: string) => disburse(ada, { destinationPaymentAccountId: ada.bank, amount })
  // The counter has its row.
  expect((await ask('1.00')).status).toBe(201)
  const owner = openDatabase({ connection: api.database.owner, connections: 1 })
  onTestFinished(() => owner.close())
  const values = [ada.organizationId]
  let asked: ReturnType<typeof disburse> | undefined
  await api.app.database.inTx(async (tx) => {
    await tx.query({ text: 'select from svc.policy_counters where organization_id = $1 for update', values })
    asked = ask('2.00')
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                        and query like '%order_payout%'`
    await eventually(async () => expect(await owner.query({ text: waiting })).toHaveLength(1))
    const free = `select from svc.ledger_accounts where organization_id = $1 and kind = 'RETURNED_FUNDS' for update nowait`
    await eventually(async () => expect(await owner.query({ text: free, values })).not.toEqual([]))
  })
  expect((await asked)?.status).toBe(201)
})
