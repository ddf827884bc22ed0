import { randomInt } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import {
  createMany,
  type Money,
  pay,
  settleEverything,
  startMoney,
  takeOver,
  untilIdle,
} from '../../support/money/money-stories.ts'
import { bankAccountOf, bankAccounts, createAccount, externalWalletOf } from '../../support/money/payment-accounts.ts'
import type { QuoteWish } from '../../support/money/quotes.ts'
import {
  advance,
  expectVerified,
  readTransaction,
  sendDeposit,
  type Transaction,
  transferReference,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { first } from '../../support/runner/first.ts'

/** Late, short, excess, duplicate, misdirected and returned transfers: no money is lost, none is invented. */
const money = await startMoney()
const { api, rows } = money
const { customerId } = money.onRamp
const { receive, advanceAll, payOut } = takeOver(money, {})
afterAll(() => expectVerified(api))

const depositsOf = async (query: string) => (await api.get(`/deposits?${query}`)).body.deposits
const make = async (wish: QuoteWish) => first(await createMany(money, wish, 1))
const cancel = ({ transactionId }: Transaction) => api.post(`/transactions/${transactionId}/cancel`)
const resolve = (depositId: string | undefined, body: object) =>
  api.post(`/deposits/${depositId}/resolve`, { reason: 'a test', ...body })

/** A bank account whose bank refuses (0066) or returns (0077) what it receives. */
async function bankThat(ending: '0066' | '0077'): Promise<Money> {
  const accountNumber = `0001${randomInt(1e8)}${ending}`
  const { paymentAccountId: bank } = await createAccount(
    api,
    bankAccountOf(customerId, bankAccounts.ACH({ accountNumber })),
  )
  return { ...money, bank, onRamp: { ...money.onRamp, from: [bank, 'USD', 'ACH', '10.00'] } }
}

test('a deposit after the deadline is late, even before a worker records the expiry', async () => {
  const made = await make({ ...money.onRamp, more: { guaranteeQuote: true } })
  await advance(api, 'P8D')
  await pay(money, made)
  await untilIdle(receive)
  expect(await depositsOf(`transactionId=${made.transactionId}`)).toMatchObject([
    { depositStatus: 'RETURNING', labels: ['LATE'] },
  ])
  await api.app.rates.refresh()
  await settleEverything(money)
  expect(await readTransaction(api, made)).toMatchObject({
    transactionStatus: 'EXPIRED',
    labels: ['LATE'],
    refund: { refundStatus: 'COMPLETED', refundAmount: '10.00' },
  })
})

test('late, short and excess deposits of one transaction are each counted once, and the refund adds up', async () => {
  const made = await make(money.onRamp)
  for (const amount of ['4.00', '7.50']) {
    await pay(money, made, amount)
    await untilIdle(receive)
  }
  await settleEverything(money)
  await pay(money, made, '3.25')
  await settleEverything(money)
  expect(await readTransaction(api, made)).toMatchObject({
    transactionStatus: 'COMPLETED',
    labels: ['OVERPAID'],
    refund: { refundStatus: 'COMPLETED', refundAmount: '4.75' },
  })
  const failed = await make(money.onRamp)
  await pay(money, failed, '9.99')
  await untilIdle(receive)
  await advance(api, 'P8D')
  await api.app.rates.refresh()
  await settleEverything(money)
  await pay(money, failed, '20.00')
  await settleEverything(money)
  expect(await readTransaction(api, failed)).toMatchObject({
    transactionStatus: 'FAILED',
    labels: ['LATE', 'UNDERPAID'],
    refund: { refundStatus: 'COMPLETED', refundAmount: '29.99' },
  })
})

test('the last deposit decides the price, in any order of processing', async () => {
  const made = await make(money.onRamp)
  const early = await pay(money, made, '4.00')
  await rows(`update svc.sightings set due_at = due_at + interval '1 hour' where external_id = '${early}'`)
  await advance(api, 'PT6M')
  await pay(money, made, '6.00')
  await untilIdle(receive)
  await advance(api, 'PT1H')
  await api.app.rates.refresh()
  await settleEverything(money)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
  const steps = await rows<{ kind: string }>(
    `select kind from svc.transaction_steps where transaction_id = '${made.transactionId}'`,
  )
  expect(steps.map(({ kind }) => kind)).toContain('REPRICED')
})

test('a transaction with a sighted deposit cannot be cancelled, even if the deposit is unprocessed or held', async () => {
  const [seen, held, free] = await createMany(money, money.onRamp, 3)
  if (!seen || !held || !free) throw new Error('three were made')
  await sendDeposit(api, money.bank, {
    amount: '10.00',
    currency: 'USD',
    rail: 'ACH',
    senderName: 'Ivan Blocked',
    reference: transferReference(held),
  })
  await untilIdle(receive)
  await pay(money, seen)
  const refused = { status: 409, body: { error: 'TRANSACTION_NOT_CANCELLABLE' } }
  expect(await cancel(seen)).toMatchObject(refused)
  expect(await cancel(held)).toMatchObject(refused)
  expect((await cancel(free)).status).toBe(200)
  const [deposit] = await depositsOf(`transactionId=${held.transactionId}`)
  expect((await resolve(deposit?.depositId, { action: 'RETURN' })).status).toBe(200)
  expect((await cancel(held)).status).toBe(200)
  await settleEverything(money)
})

test('a refund that the bank returns becomes returned funds, and an operator decides', async () => {
  const returning = await bankThat('0077')
  const made = await make(returning.onRamp)
  await pay(returning, made, '6.00')
  await untilIdle(receive)
  await advance(api, 'P8D')
  await api.app.rates.refresh()
  await settleEverything(money)
  expect(await readTransaction(api, made)).toMatchObject({ refund: { refundStatus: 'COMPLETED' } })
  await pay(returning, made, '1.50')
  await settleEverything(money)
  const keptOf = async () =>
    (await api.app.ledger.returnedFunds(api.app.database, money.organizationId, customerId))[0]?.posted ?? 0n
  const before = await keptOf()
  await advance(api, 'P1DT1M')
  await untilIdle(payOut)
  expect((await keptOf()) - before).toBe(750n)
  expect(await readTransaction(api, made)).toMatchObject({
    transactionStatus: 'FAILED',
    failureReason: 'insufficient_funds_received',
    refund: { refundStatus: 'RETURNED', refundAmount: '7.50' },
    repayment: { repaymentStatus: 'WAITING_FOR_OPERATOR', repaymentAmount: '6.00' },
  })
  const again = { action: 'PAY_AGAIN', paymentAccountId: money.bank, reason: 'a test' }
  expect((await api.post(`/transactions/${made.transactionId}/resolve`, again)).status).toBe(200)
  await untilIdle(payOut)
  expect(await readTransaction(api, made)).toMatchObject({ repayment: { repaymentStatus: 'COMPLETED' } })
  expect((await keptOf()) - before).toBe(150n)
  await api.app.rates.refresh()
})

test('a refused refund counts once however often it is retried, and not after it is credited', async () => {
  const refusing = await bankThat('0066')
  const made = await make(refusing.onRamp)
  expect((await cancel(made)).status).toBe(200)
  await pay(refusing, made, '2.00')
  await settleEverything(money)
  for (const attempt of [1, 2]) {
    const [deposit] = await depositsOf(`transactionId=${made.transactionId}`)
    expect([attempt, deposit?.depositStatus]).toEqual([attempt, 'UNMATCHED'])
    expect(await readTransaction(api, made)).toMatchObject({
      refund: { refundStatus: 'WAITING_FOR_OPERATOR', refundAmount: '2.00' },
    })
    if (attempt === 1) expect((await resolve(deposit?.depositId, { action: 'RETURN' })).status).toBe(200)
    else expect((await resolve(deposit?.depositId, { action: 'CREDIT' })).status).toBe(200)
    await settleEverything(money)
  }
  expect(await readTransaction(api, made)).not.toHaveProperty('refund')
})

test('tokens can only be applied to the transaction whose address received them', async () => {
  const from = async (currency: string) => {
    const wallet = externalWalletOf(customerId, { chain: 'BASE', currency, address: makeEvmAddress() })
    return (await createAccount(api, wallet)).paymentAccountId
  }
  const wants = async (currency: string) =>
    make({ customerId, from: [await from(currency), currency, 'BASE', '25'], to: [money.bank, 'USD', 'ACH'] })
  const [dollars, euros] = [await wants('USDC'), await wants('EURC')]
  const reference = transferReference(dollars)
  await sendDeposit(api, await from('EURC'), { amount: '25', currency: 'EURC', chain: 'BASE', reference })
  await untilIdle(receive)
  const [deposit] = await depositsOf(`transactionId=${dollars.transactionId}`)
  expect(deposit).toMatchObject({ depositStatus: 'UNMATCHED' })
  expect(await resolve(deposit?.depositId, { action: 'APPLY', transactionId: euros.transactionId })).toMatchObject({
    status: 409,
    body: { error: 'CONFLICT' },
  })
  for (const waiting of [dollars, euros]) expect((await cancel(waiting)).status).toBe(200)
})

test('a returned payout leaves the refund of the excess untouched', async () => {
  const from = (await createAccount(api, bankAccountOf(customerId, bankAccounts.WIRE()))).paymentAccountId
  const made = await make({ customerId, from: [from, 'USD', 'WIRE', '30.00'], to: [money.bank, 'USD', 'ACH'] })
  const reference = transferReference(made)
  await sendDeposit(api, from, { amount: '35.00', currency: 'USD', rail: 'WIRE', reference })
  await settleEverything(money)
  expect((await api.post(`/sandbox/transactions/${made.transactionId}/return`)).status).toBe(200)
  await settleEverything(money)
  expect(await readTransaction(api, made)).toMatchObject({
    transactionStatus: 'FAILED',
    failureReason: 'destination_returned_funds',
    refund: { refundStatus: 'COMPLETED', refundAmount: '5.00' },
  })
})

test('repeated reports of one transfer create one deposit, in any order', async () => {
  const made = await make(money.onRamp)
  const entryReference = `statement-${newId()}`
  const reference = transferReference(made)
  const tell = () =>
    sendDeposit(api, money.bank, { amount: '6.00', currency: 'USD', rail: 'ACH', reference, entryReference })
  await Promise.all([
    ...Array.from({ length: 16 }, tell),
    ...Array.from({ length: 4 }, () => untilIdle(receive)),
    untilIdle(advanceAll),
  ])
  await tell()
  await untilIdle(receive)
  expect(await depositsOf(`transactionId=${made.transactionId}`)).toMatchObject([{ appliedAmount: '6.00' }])
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
})
