import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { conflict, resolve } from '../../support/money/blocked-payers.ts'
import {
  createMany,
  pay,
  settleEverything,
  startMoney,
  takeOver,
  untilIdle,
} from '../../support/money/money-stories.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import { advance, availableIn, readTransaction } from '../../support/money/transactions.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { readMetric } from '../../support/runner/metrics.ts'

/** A transaction whose screening fails for ever: its destination cannot be read. A reviewer rejects it. */
const money = await startMoney()
const { api, wallet, external, onRamp, offRamp } = money
const owner = openDatabase({ connection: api.database.owner, connections: 1 })
afterAll(() => owner.close())
const scopes = ['transactions:write', 'transactions:read']
const desk = actingWith(api, (await createKey(api, { name: 'Desk', scopes })).apiKey)
const screenAll = () => api.app.transactionAdvance.advanceDue(5, 500)
const { receive, advanceAll } = takeOver(money, {})

/** Alters the stored account as only the owner's login can; answers a function that restores it. */
async function makeUnreadable(paymentAccountId: string): Promise<() => Promise<void>> {
  const { content } = first(
    await owner.query<{ content: Buffer }>({
      text: 'select sealed_profile as content from svc.payment_accounts where payment_account_id = $1',
      values: [paymentAccountId],
    }),
  )
  const write = async (bytes: Buffer) => {
    await owner.query({
      text: 'update svc.payment_accounts set sealed_profile = $2 where payment_account_id = $1',
      values: [paymentAccountId, bytes],
    })
  }
  await write(Buffer.from([0]))
  return () => write(content)
}

const failed = { transactionStatus: 'FAILED', failureReason: 'compliance_rejected' }

test('a reviewer rejects a transaction from a wallet whose screening fails, and its reserve is released', async () => {
  const before = await availableIn(api, wallet)
  const body = bankAccountOf(offRamp.customerId, bankAccounts.ACH({ accountNumber: '000123451111' }))
  const { paymentAccountId: to } = await createAccount(api, body)
  const created = first(await createMany(money, { ...offRamp, to: [to, 'USD', 'ACH'] }, 1))
  const restore = await makeUnreadable(to)
  await untilIdle(screenAll)
  await advance(api, 'PT1H1S')
  await untilIdle(screenAll)
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'CREATED' })
  expect(await readMetric(api, 'svc_transactions_stuck')).toBe('1')
  expect((await api.get('/readyz', { apiKey: null })).body.concerns).toEqual(['TRANSACTIONS_STUCK'])
  expect(await resolve(desk, created, { action: 'REJECT' })).toMatchObject({ status: 403 })
  expect(await resolve(api, created, { action: 'REFUND' })).toMatchObject(conflict)
  expect(await resolve(api, created, { action: 'REJECT' })).toMatchObject({ status: 200, body: failed })
  expect(await availableIn(api, wallet)).toBe(before)
  expect(await resolve(api, created, { action: 'REJECT' })).toMatchObject(conflict)
  expect(await readMetric(api, 'svc_transactions_stuck')).toBe('0')
  await restore()
})

test('a reviewer rejects a funded transaction whose screening fails, and it is refunded', async () => {
  await api.app.rates.refresh()
  const created = first(await createMany(money, { ...onRamp, to: [external, 'USDC', 'BASE'] }, 1))
  await pay(money, created)
  await untilIdle(receive)
  const restore = await makeUnreadable(external)
  await untilIdle(screenAll)
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'PROCESSING' })
  expect(await resolve(api, created, { action: 'REJECT' })).toMatchObject({
    status: 200,
    body: { ...failed, refund: { refundStatus: 'PENDING', refundAmount: '10.00' } },
  })
  await restore()
  await settleEverything(money)
  expect(await readTransaction(api, created)).toMatchObject({ refund: { refundStatus: 'COMPLETED' } })
})

test('a worker that was screening when the reviewer rejected changes nothing', async () => {
  await api.app.rates.refresh()
  const created = first(await createMany(money, offRamp, 1))
  const before = await availableIn(api, wallet)
  let decided: Promise<unknown> | undefined
  const isCounterpartyBlocked = async () => {
    decided ??= resolve(api, created, { action: 'REJECT' })
    expect(await decided).toMatchObject({ status: 200, body: failed })
    return false
  }
  const slow = takeOver(money, { screening: { isCounterpartyBlocked } })
  await untilIdle(slow.advanceAll)
  expect(decided).toBeDefined()
  expect(await readTransaction(api, created)).toMatchObject(failed)
  expect(
    await money.rows(`select payout_id from svc.payouts where transaction_id = '${created.transactionId}'`),
  ).toEqual([])
  expect(await availableIn(api, wallet)).not.toBe(before)
  await untilIdle(advanceAll)
  await settleEverything(money)
})
