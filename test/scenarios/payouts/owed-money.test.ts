import { expect, test } from 'vitest'
import { startHeard } from '../../support/money/money-listener.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  expectVerified,
  expectWaiting,
  sendDeposit,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'

/** Payouts never spend money that we hold for others. The operator has put in no money of its own. */
const { api } = await startHeard({ SVC_SANDBOX_LIQUIDITY: '0' })

async function makePayer() {
  const customer = await makeActive(api, 'US')
  const accounts = await makeAccounts(api, customer)
  const { organizationId, customerId } = customer
  await creditWallet(api, { organizationId, paymentAccountId: accounts.wallet, amount: 1_000_000_000n })
  return { organizationId, customerId, ...accounts }
}

const ada = await makePayer()
const bob = await makePayer()
const usd = (amount: string) => ({ amount, currency: 'USD', rail: 'ACH' })
const offRamp = (amount: string) =>
  createTransaction(api, {
    customerId: bob.customerId,
    from: [bob.wallet, 'USDC', 'BASE', amount],
    to: [bob.bank, 'USD', 'ACH'],
  })
const onRamp = (amount: string, fee?: [string, string]) =>
  createTransaction(api, {
    customerId: ada.customerId,
    from: [ada.bank, 'USD', 'ACH', amount],
    to: [ada.wallet, 'USDC', 'BASE'],
    ...(fee ? { fee } : {}),
  })
const resolve = (depositId: string, action: string) =>
  api.post(`/deposits/${depositId}/resolve`, { action, reason: 'Ada has called' })

test('the source of a transaction pays others once its own payout has arrived, its developer fee never', async () => {
  const [waiting, small] = [await offRamp('30'), await offRamp('20')]
  const source = await onRamp('31.00', ['USD', '1.00'])
  await sendDeposit(api, ada.bank, { ...usd('31.00'), reference: transferReference(source) })
  await expectWaiting(api, source)
  await expectWaiting(api, small)
  const { organizationId } = ada
  await api.app.treasury.fund({
    organizationId,
    holding: 'TREASURY',
    asset: 'USDC/BASE',
    amount: '100',
    reason: 'a test',
  })
  await advance(api, 'PT1M')
  await waitForTransaction(api, source, { transactionStatus: 'COMPLETED' })
  await advance(api, 'PT1M')
  await waitForTransaction(api, waiting, { transactionStatus: 'COMPLETED' })
  await expectVerified(api)
})

test('an unmatched deposit pays its own return, and no other payout', async () => {
  const referenceId = await sendDeposit(api, ada.bank, usd('100.00'))
  const { depositId } = await waitForDeposit(api, referenceId, { depositStatus: 'UNMATCHED' })
  const payout = await offRamp('50')
  await expectWaiting(api, payout)
  expect(await resolve(depositId, 'RETURN')).toMatchObject({ status: 200 })
  await waitForDeposit(api, referenceId, { depositStatus: 'RETURNED' })
  await expectWaiting(api, payout)
  await expectVerified(api)
})

test('returned funds, and a part payment of another transaction, pay no payout', async () => {
  const kept = await sendDeposit(api, ada.bank, usd('100.00'))
  const { depositId } = await waitForDeposit(api, kept, { depositStatus: 'UNMATCHED' })
  expect(await resolve(depositId, 'CREDIT')).toMatchObject({ status: 200 })
  const awaiting = await onRamp('200.00')
  const part = await sendDeposit(api, ada.bank, { ...usd('150.00'), reference: transferReference(awaiting) })
  await waitForDeposit(api, part, { depositStatus: 'APPLIED' })
  await expectWaiting(api, await offRamp('50'))
  await expectVerified(api)
})
