import { expect, test } from 'vitest'
import {
  createAs,
  createHeld,
  decideAs,
  demandApprovals,
  makePeople,
  readApproval,
} from '../../support/money/approvals.ts'
import { pay, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import type { QuoteWish } from '../../support/money/quotes.ts'
import {
  advance,
  availableIn,
  expectVerified,
  readTransaction,
  type TransactionId,
  timelineOf,
} from '../../support/money/transactions.ts'
import { setRules } from '../../support/policies/policy-world.ts'

const money = await startMoney()
const { api, bank, wallet, external, offRamp } = money
/** Money that the customer sends, and that leaves to the customer's own wallet. */
const onRamp: QuoteWish = { ...money.onRamp, from: [bank, 'USD', 'ACH', '10.00'], to: [external, 'USDC', 'BASE'] }
const { maker, ann, ben, cem } = await makePeople(api)
const hands = takeOver(money, {})

/** Lets the workers do everything that is due. */
async function work(): Promise<void> {
  await untilIdle(hands.receive)
  await untilIdle(() => api.app.approvals.expireDue(5, 60_000))
  await untilIdle(hands.advanceAll)
  await untilIdle(hands.payOut)
}

const spend = (amount: string): QuoteWish => ({ ...offRamp, from: [wallet, 'USDC', 'BASE', amount] })
const available = () => availableIn(api, wallet)
const kindsOf = async (transaction: TransactionId) => (await timelineOf(api, transaction)).map(({ kind }) => kind)
const eventsOf = async (resourceId: string) => {
  const { events } = (await api.get(`/events?resourceId=${resourceId}&pageSize=100`)).body
  return events.map(({ type, data }) => [type, 'approvalStatus' in data ? data.approvalStatus : undefined]).reverse()
}

test('a transaction waits for its approval with its money reserved, and goes on with it', async () => {
  const before = await available()
  const held = await createHeld(money, maker, spend('10'))
  await work()
  const waiting = await readTransaction(api, held)
  const approval = { approvalId: held.approvalId, expiresAt: expect.any(String) }
  expect(waiting).toMatchObject({ transactionStatus: 'CREATED', approval })
  const listed = (await api.get(`/transactions?customerId=${held.customerId}&pageSize=1`)).body.transactions
  expect(listed).toEqual([expect.objectContaining({ transactionId: held.transactionId, approval })])
  expect(Number(before) - Number(await available())).toBe(10)
  expect(await readApproval(api, held)).toMatchObject({
    approvalStatus: 'OPEN',
    transactionId: held.transactionId,
    makerApiKeyId: maker.apiKeyId,
    source: { sourceAmount: '10' },
    rules: [{ ruleId: 'large', owner: 'ORGANIZATION', approvals: 1 }],
    decisions: [],
  })

  const decided = await decideAs(api, ann, held)
  expect([decided.status, decided.body]).toMatchObject([200, { approvalStatus: 'APPROVED' }])
  expect(decided.body.decisions).toMatchObject([{ apiKeyId: ann.apiKeyId, decision: 'APPROVE' }])
  expect(await readTransaction(api, held)).not.toHaveProperty('approval')
  await work()
  const done = await readTransaction(api, held)
  expect(done).toMatchObject({ transactionStatus: 'COMPLETED' })
  expect(done.statusHistory.map(({ status }) => status)).toEqual(['CREATED', 'PROCESSING', 'COMPLETED'])
  expect(await kindsOf(held)).toContain('APPROVED')
})

test('the policy decides from which amount on a transaction waits', async () => {
  await demandApprovals(api)
  const [small, large] = [await createAs(api, maker, spend('5')), await createAs(api, maker, spend('5.01'))]
  await work()
  expect(await readTransaction(api, small)).toMatchObject({ transactionStatus: 'COMPLETED' })
  expect(await readTransaction(api, large)).toMatchObject({
    transactionStatus: 'CREATED',
    approval: { approvalId: large.approval?.approvalId },
  })
  await setRules(api, [])
  expect((await api.post(`/transactions/${large.transactionId}/cancel`)).status).toBe(200)
})

test('two of three keys approve', async () => {
  const approvers = [ann, ben, cem].map(({ apiKeyId }) => apiKeyId)
  const held = await createHeld(money, maker, spend('10'), { approvals: 2, approvers })
  expect((await decideAs(api, cem, held)).body).toMatchObject({ approvalStatus: 'OPEN' })
  await work()
  expect(await readTransaction(api, held)).toMatchObject({ transactionStatus: 'CREATED' })
  expect((await decideAs(api, ann, held)).body).toMatchObject({ approvalStatus: 'APPROVED' })
  await work()
  expect(await readTransaction(api, held)).toMatchObject({ transactionStatus: 'COMPLETED' })
  const late = await decideAs(api, ben, held, 'REFUSE')
  expect([late.status, late.body.error]).toEqual([409, 'CONFLICT'])
})

test('one refusal cancels a transaction whose money was reserved, and releases it', async () => {
  const before = await available()
  const held = await createHeld(money, maker, spend('10'), { approvals: 2 })
  await decideAs(api, ann, held)
  expect((await decideAs(api, ben, held, 'REFUSE')).body).toMatchObject({ approvalStatus: 'REFUSED' })
  const ended = await readTransaction(api, held)
  expect(ended).toMatchObject({ transactionStatus: 'CANCELLED' })
  expect(ended).not.toHaveProperty('approval')
  expect(await available()).toBe(before)
  expect(await kindsOf(held)).toContain('APPROVAL_REFUSED')
})

test('money may arrive while the approval is open; it is executed afterwards', async () => {
  const held = await createHeld(money, maker, onRamp)
  await pay(money, held)
  await work()
  expect(await readTransaction(api, held)).toMatchObject({
    transactionStatus: 'PROCESSING',
    approval: { approvalId: held.approvalId },
  })
  await decideAs(api, ann, held)
  await work()
  expect(await readTransaction(api, held)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

test('an approval before the money arrives lets the transaction wait for it', async () => {
  const held = await createHeld(money, maker, onRamp)
  await decideAs(api, ann, held)
  await work()
  expect(await readTransaction(api, held)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  await pay(money, held)
  await work()
  expect(await readTransaction(api, held)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

test('a refusal before the money arrives cancels the transaction', async () => {
  const held = await createHeld(money, maker, onRamp)
  await decideAs(api, ann, held, 'REFUSE')
  expect(await readTransaction(api, held)).toMatchObject({ transactionStatus: 'CANCELLED' })
})

test.each([
  ['refused', 'approval_refused'],
  ['expired', 'approval_expired'],
] as const)('money that has arrived is refunded when the approval is %s', async (how, failureReason) => {
  const held = await createHeld(money, maker, onRamp, { expiresInHours: 1 })
  await pay(money, held)
  await work()
  if (how === 'refused') await decideAs(api, ann, held, 'REFUSE')
  else await advance(api, 'PT1H')
  await work()
  expect(await readTransaction(api, held)).toMatchObject({
    transactionStatus: 'FAILED',
    failureReason,
    refund: { refundStatus: 'COMPLETED', refundAmount: '10.00' },
  })
  expect(await readApproval(api, held)).toMatchObject({ approvalStatus: how.toUpperCase() })
})

test('a part of the money that has arrived is refunded, too', async () => {
  const held = await createHeld(money, maker, onRamp)
  await pay(money, held, '4.00')
  await work()
  await decideAs(api, ann, held, 'REFUSE')
  await work()
  expect(await readTransaction(api, held)).toMatchObject({
    transactionStatus: 'FAILED',
    failureReason: 'approval_refused',
    refund: { refundStatus: 'COMPLETED', refundAmount: '4.00' },
  })
})

test('an approval expires with its time, and the transaction is cancelled', async () => {
  const before = await available()
  const held = await createHeld(money, maker, spend('10'), { expiresInHours: 2 })
  await advance(api, 'PT1H59M')
  await work()
  expect(await readApproval(api, held)).toMatchObject({ approvalStatus: 'OPEN' })
  await advance(api, 'PT1M')
  // Its time is over although no worker has looked yet.
  expect((await decideAs(api, ann, held)).status).toBe(409)
  await work()
  expect(await readApproval(api, held)).toMatchObject({ approvalStatus: 'EXPIRED', decisions: [] })
  expect(await readTransaction(api, held)).toMatchObject({ transactionStatus: 'CANCELLED' })
  expect(await available()).toBe(before)
  const acts = await money.rows(`select actor, action from svc.audit where subject_id = '${held.approvalId}'`)
  expect(acts).toEqual([{ actor: 'worker', action: 'approval.expired' }])
})

test('the end of the transaction cancels its approval', async () => {
  const held = await createHeld(money, maker, spend('10'))
  expect((await api.post(`/transactions/${held.transactionId}/cancel`)).status).toBe(200)
  expect(await readApproval(api, held)).toMatchObject({ approvalStatus: 'CANCELLED' })
  expect((await decideAs(api, ann, held)).status).toBe(409)
  const unpaid = await createHeld(money, maker, onRamp, { expiresInHours: 24 * 30 })
  await advance(api, 'P8D')
  await work()
  expect(await readTransaction(api, unpaid)).toMatchObject({ transactionStatus: 'EXPIRED' })
  expect(await readApproval(api, unpaid)).toMatchObject({ approvalStatus: 'CANCELLED' })
})

test('a reviewer who rejects a held transaction ends its approval', async () => {
  const before = await available()
  const held = await createHeld(money, maker, spend('10'))
  const rejected = await api.post(`/transactions/${held.transactionId}/resolve`, { action: 'REJECT', reason: 'a test' })
  expect(rejected.body).toMatchObject({ transactionStatus: 'FAILED', failureReason: 'compliance_rejected' })
  expect(await readApproval(api, held)).toMatchObject({ approvalStatus: 'CANCELLED' })
  expect(await available()).toBe(before)
})

test('events tell when an approval opens and how it ends', async () => {
  const held = await createHeld(money, maker, spend('10'), { approvals: 2 })
  await decideAs(api, ann, held)
  await decideAs(api, ben, held)
  await api.app.startWorker().then((worker) => worker.stop())
  const told = [
    ['approval.created', 'OPEN'],
    ['approval.decided', 'APPROVED'],
  ]
  await expect.poll(() => eventsOf(held.approvalId)).toEqual(told)
  expect((await api.get('/approvals?status=OPEN')).body.approvals).not.toContainEqual(
    expect.objectContaining({ approvalId: held.approvalId }),
  )
  const found = (await api.get(`/approvals?status=APPROVED&transactionId=${held.transactionId}`)).body.approvals
  expect(found.map(({ approvalId }) => approvalId)).toEqual([held.approvalId])
})

test('every invariant holds', () => expectVerified(api))
