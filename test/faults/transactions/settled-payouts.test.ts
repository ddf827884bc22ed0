import { expect, test } from 'vitest'
import { createMany, pay, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { advance, availableIn, readTransaction } from '../../support/money/transactions.ts'
import { payDue as payLanes, type TestRail } from '../../support/rails/test-rail.ts'
import { first } from '../../support/runner/first.ts'

/** Decision 0042: what was withdrawn keeps its seal, and must not leave when a process makes it due once more. */
const money = await startMoney()
const { api, rows, wallet, onRamp, offRamp } = money
const { receive, advanceAll, payOut } = takeOver(money, {})
const { manualSettlements } = api.app
const reason = 'a test'
const payDue = () => untilIdle(() => payLanes(api.app.payouts, 20, 30_000))
const transfersOf = (payoutId: string) =>
  rows<{ requests: number }>(`select requests from svc.sandbox_transfers where reference = '${payoutId}'`)
const reset = (payoutId: string) =>
  api.app.database.query({
    text: `update svc.payouts set status = 'WAITING', due_at = svc.now(), resolved_at = null where payout_id = $1`,
    values: [payoutId],
  })

test('a return that the operator withdrew with svc payouts settle, made due once more, does not leave', async () => {
  const expired = first(await createMany(money, onRamp, 1))
  await advance(api, 'P8D')
  await untilIdle(advanceAll)
  expect(await readTransaction(api, expired)).toMatchObject({ transactionStatus: 'EXPIRED' })
  await pay(money, expired)
  await untilIdle(receive)
  await api.signer.sealAll()
  const { payoutId, depositId } = first(
    await rows<{ payoutId: string; depositId: string }>(
      `select payout_id as "payoutId", deposit_id as "depositId" from svc.payouts
        where purpose = 'RETURN' and status = 'WAITING' and seal is not null`,
    ),
  )
  const settled = await manualSettlements.settle({ payoutId, outcome: 'refused', reference: 'letter', reason })
  expect(settled).toEqual({ result: 'SETTLED' })
  // The deposit pays another transaction, which is paid out.
  await api.app.rates.refresh()
  const other = first(await createMany(money, onRamp, 1))
  const { transactionId } = other
  const applied = await api.post(`/deposits/${depositId}/resolve`, { action: 'APPLY', transactionId, reason })
  expect(applied.status).toBe(200)
  await untilIdle(advanceAll)
  await untilIdle(payOut)
  expect(await readTransaction(api, other)).toMatchObject({ transactionStatus: 'COMPLETED' })
  await reset(payoutId)
  await payDue()
  const sent = await transfersOf(payoutId)
  // The worker treats it like a wrong seal, and halts the asset. Restore it for the next test.
  await api.app.database.query({
    text: `update svc.payouts set status = 'REFUSED', due_at = null, resolved_at = svc.now() where payout_id = $1`,
    values: [payoutId],
  })
  await api.app.ledger.resumePayouts({ reason: 'restored', force: true })
  expect(sent).toEqual([])
})

test('a payout that the operator settled as refused, made due once more, does not leave', async () => {
  await api.app.rates.refresh()
  const before = await availableIn(api, wallet)
  const created = first(await createMany(money, offRamp, 1))
  await untilIdle(advanceAll)
  // The request is lost: the rail never hears of it, and does not answer.
  const dead: TestRail = {
    send: async () => Promise.reject(new Error('no connection')),
    ask: async () => Promise.reject(new Error('no connection')),
  }
  await takeOver(money, { rail: dead }).payOut()
  const { payoutId } = first(
    await rows<{ payoutId: string }>(
      `select payout_id as "payoutId" from svc.payouts
        where transaction_id = '${created.transactionId}' and status = 'SENDING'`,
    ),
  )
  const settled = await manualSettlements.settle({ payoutId, outcome: 'refused', reference: 'letter', reason })
  expect(settled).toEqual({ result: 'SETTLED' })
  expect(await availableIn(api, wallet)).toBe(before)
  await reset(payoutId)
  await payDue()
  expect(await transfersOf(payoutId)).toEqual([])
})
