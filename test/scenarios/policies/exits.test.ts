import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { makePayer, resolve } from '../../support/money/blocked-payers.ts'
import { createDisbursementStories } from '../../support/money/disbursement-stories.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { createTransaction, sendDeposit, waitForDeposit, waitForTransaction } from '../../support/money/transactions.ts'
import { setRules } from '../../support/policies/policy-world.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'

/** Money that leaves by an operator's decision, and not by a transaction. */
const { api } = await startHeard()
const { refusedRefund, returnedPayout, creditedRefund, disburse, shown } = createDisbursementStories(api, api)
const onlyTo = (allowed: string, coolingHours = 0) => [
  { ruleId: 'to', kind: 'DESTINATIONS', allowed: [allowed], coolingHours },
]
const approval = [{ ruleId: 'large', kind: 'APPROVAL', above: '5.00', approvals: 1, expiresInHours: 1 }]
const atMost = (dayMax: string) => [{ ruleId: 'day', kind: 'LIMIT', per: 'ORGANIZATION', dayMax }]
const refusedFor = (field: string) => ({ status: 422, body: { error: 'POLICY_REFUSED', details: [{ field }] } })

/** Those payouts, by their deposits or their own ids, that a kill switch or quiet hours hold if they have not started. */
const findHeld = ({ organizationId }: { organizationId: string }, ids: readonly string[]) =>
  api.app.database.query<{ payoutId: string; depositId: string | null }>({
    text: `with asked as (select array_agg(organization_id) as organization_ids, array_agg(payout_id) as payout_ids
                            from svc.payouts where organization_id = $1 and (deposit_id = any($2) or payout_id = any($2)))
           select payout.payout_id as "payoutId", payout.deposit_id as "depositId"
             from asked, svc.find_held_payouts(asked.organization_ids, asked.payout_ids) as held
             join svc.payouts as payout on payout.organization_id = $1 and payout.payout_id = held.payout_id`,
    values: [organizationId, ids],
  })

test('a refund to another account is weighed as a payment there, and the source account always takes one', async () => {
  await setRules(api, [])
  const ada = await makePayer(api)
  const failed = await refusedRefund(ada)
  const refund = (body: object) => resolve(api, failed, { action: 'REFUND', ...body })
  await setRules(api, onlyTo(ada.external))
  expect(await refund({ paymentAccountId: ada.bank })).toMatchObject(refusedFor('paymentAccountId'))
  await setRules(api, onlyTo(ada.bank, 48))
  expect(await refund({ paymentAccountId: ada.bank })).toMatchObject(refusedFor('paymentAccountId'))
  await setRules(api, [{ ruleId: 'stop', kind: 'KILL_SWITCH' }])
  expect(await refund({ paymentAccountId: ada.bank })).toMatchObject(refusedFor('paymentAccountId'))
  expect((await refund({})).status).toBe(200)
  await waitForTransaction(api, failed, { refund: { refundStatus: 'WAITING_FOR_OPERATOR' } })
  for (const rules of [approval, atMost('12.65')]) {
    await setRules(api, rules)
    expect(await refund({ paymentAccountId: ada.bank })).toMatchObject(refusedFor('paymentAccountId'))
  }
  await setRules(api, [...onlyTo(ada.bank), ...atMost('12.66')])
  expect((await refund({ paymentAccountId: ada.bank })).status).toBe(200)
  await waitForTransaction(api, failed, { refund: { refundStatus: 'COMPLETED' } })
})

test('a repayment goes to another account only if the policy allows it', async () => {
  await setRules(api, [])
  const ada = await makePayer(api)
  const other = await ada.bankWith({ accountNumber: '000123450001' })
  const returned = await returnedPayout(ada)
  const payAgain = (paymentAccountId: string) => resolve(api, returned, { action: 'PAY_AGAIN', paymentAccountId })
  for (const rules of [onlyTo(ada.bank), approval, atMost('5.00')]) {
    await setRules(api, rules)
    expect(await payAgain(other)).toMatchObject(refusedFor('paymentAccountId'))
  }
  await setRules(api, onlyTo(other))
  expect((await payAgain(other)).status).toBe(200)
  await waitForTransaction(api, returned, { repayment: { repaymentStatus: 'COMPLETED' } })
})

test('a deposit returns to its own account under any policy, and elsewhere only as a payment could go', async () => {
  await setRules(api, [])
  const ada = await makePayer(api)
  const other = await ada.bankWith({ accountNumber: '000123450002' })
  const received = async () => {
    const sent = await sendDeposit(api, ada.bank, { amount: '7.00', currency: 'USD', rail: 'ACH', reference: 'rent' })
    return waitForDeposit(api, sent, { depositStatus: 'UNMATCHED' })
  }
  const giveBack = ({ depositId }: { depositId: string }, more: object = {}) =>
    api.post(`/deposits/${depositId}/resolve`, { action: 'RETURN', reason: 'a test', ...more })
  const [first, second] = [await received(), await received()]
  for (const rules of [approval, atMost('6.99'), onlyTo(ada.external)]) {
    await setRules(api, rules)
    expect(await giveBack(first, { paymentAccountId: other })).toMatchObject(refusedFor('paymentAccountId'))
  }
  expect((await giveBack(first)).status).toBe(200)
  await setRules(api, onlyTo(other))
  expect((await giveBack(second, { paymentAccountId: other })).status).toBe(200)
  for (const each of [first, second]) await waitForDeposit(api, each.referenceId, { depositStatus: 'RETURNED' })
  await setRules(api, [{ ruleId: 'stop', kind: 'KILL_SWITCH' }])
  expect(await findHeld(ada, [first.depositId, second.depositId])).toMatchObject([{ depositId: second.depositId }])
})

test('a deposit that is applied to the transaction of another account leaves only as a payment could', async () => {
  await setRules(api, [])
  const ada = await makePayer(api)
  const { customerId, wallet, external } = ada
  const stranger = await ada.bankWith({ accountNumber: '000123450003' })
  const apply = async (amount: string, from: readonly [string, 'USDC', 'BASE']) => {
    const sent = await sendDeposit(api, ada.bank, { amount, currency: 'USD', rail: 'ACH', reference: 'rent' })
    const { depositId } = await waitForDeposit(api, sent, { depositStatus: 'UNMATCHED' })
    const wish = { customerId, from: [stranger, 'USD', 'ACH', '12.66'], to: from } as const
    const { transactionId } = await createTransaction(api, wish)
    const body = { action: 'APPLY', transactionId, reason: 'a test' }
    expect((await api.post(`/deposits/${depositId}/resolve`, body)).status).toBe(200)
    return waitForTransaction(api, { transactionId }, { refund: { refundStatus: 'WAITING_FOR_OPERATOR' } })
  }
  await setRules(api, [{ ruleId: 'stop', kind: 'KILL_SWITCH' }])
  const overpaid = await apply('50.00', [wallet, 'USDC', 'BASE'])
  await setRules(api, [{ ruleId: 'other', kind: 'KILL_SWITCH', appliesTo: { networks: ['SOLANA'] } }])
  const failed = await apply('12.66', [external, 'USDC', 'BASE'])
  for (const rules of [approval, atMost('12.65'), [{ ruleId: 'stop', kind: 'KILL_SWITCH' }]]) {
    await setRules(api, rules)
    for (const each of [overpaid, failed]) {
      expect(await resolve(api, each, { action: 'REFUND' })).toMatchObject(refusedFor('paymentAccountId'))
    }
  }
  // The account that sent it is no destination of a payment.
  for (const each of [overpaid, failed]) {
    expect((await resolve(api, each, { action: 'REFUND', paymentAccountId: ada.bank })).status).toBe(200)
    await waitForTransaction(api, each, { refund: { refundStatus: 'COMPLETED' } })
  }
})

test('a disbursement counts in the limits of its key, and takes nothing when a rule refuses it', async () => {
  await setRules(api, [])
  const ada = await makePayer(api)
  const bob = await makePayer(api)
  const { transactionId } = await creditedRefund(ada)
  await creditedRefund(bob)
  const pay = (payer: typeof ada) => disburse(payer, { destinationPaymentAccountId: payer.bank })
  for (const rule of [
    { kind: 'LIMIT', per: 'ORGANIZATION', transactionMax: '12.65' },
    { kind: 'LIMIT', per: 'API_KEY', dayMax: '12.65' },
    { kind: 'APPROVAL', above: '5.00', approvals: 1, expiresInHours: 1 },
  ]) {
    await setRules(api, [{ ruleId: 'less', ...rule }])
    expect(await pay(ada)).toMatchObject(refusedFor('destinationPaymentAccountId'))
  }
  expect(await shown(ada)).toEqual([['USD', '12.66', transactionId]])
  await setRules(api, [{ ruleId: 'day', kind: 'LIMIT', per: 'API_KEY', dayMax: '25.31' }])
  const both = await Promise.all([pay(ada), pay(bob)])
  expect(both.map(({ status }) => status).sort()).toEqual([201, 422])
})

test('a cancelled disbursement gives its value back, and a rule about a key holds what that key has ordered', async () => {
  await setRules(api, [])
  const ada = await makePayer(api)
  await creditedRefund(ada)
  const scopes = ['customers:read', 'transactions:read', 'transactions:write']
  const { apiKey, apiKeyId } = await createKey(api, { name: 'Desk', scopes })
  const desk = actingWith(api, apiKey)
  const order = () => disburse(ada, { destinationPaymentAccountId: ada.bank }, desk)
  await setRules(api, atMost('12.66'))
  const halt = { text: `insert into svc.payout_halts (halt_id, violated) values ($1, '{a test}')`, values: [newId()] }
  await api.app.database.query(halt)
  const { disbursementId } = (await order()).body
  expect((await desk.post(`/customers/${ada.customerId}/disbursements/${disbursementId}/cancel`)).status).toBe(200)
  const { body, status } = await order()
  expect(status).toBe(201)
  const quiet = (ruleId: string, from: string, to: string) => ({
    ruleId,
    kind: 'QUIET_HOURS',
    from,
    to,
    timeZone: 'UTC',
  })
  for (const rules of [
    [{ ruleId: 'stop', kind: 'KILL_SWITCH' }],
    [quiet('mornings', '00:00', '12:00'), quiet('evenings', '12:00', '00:00')],
  ]) {
    const about = (bound: string) => rules.map((rule) => ({ ...rule, appliesTo: { apiKeyIds: [bound] } }))
    await setRules(api, about(apiKeyId))
    expect(await findHeld(ada, [body.disbursementId])).toHaveLength(1)
    await setRules(api, about(newId()))
    expect(await findHeld(ada, [body.disbursementId])).toEqual([])
  }
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
})
