import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { decideReview, readReview } from '../../support/customers/reviews.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
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
  waitForWaiting,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { makeFolder } from '../../support/runner/folder.ts'

/** A payout that waits for liquidity leaves under the conditions of the moment at which it leaves. */
const { api } = await startHeard({ SVC_SANDBOX_LIQUIDITY: '0' })
const { folder, remove } = await makeFolder('svc waiting payouts ')
afterAll(remove)

async function makePayer() {
  const customer = await makeActive(api, 'US')
  const accounts = await makeAccounts(api, customer)
  const { organizationId, customerId } = customer
  await creditWallet(api, { organizationId, paymentAccountId: accounts.wallet, amount: 1_000_000_000n })
  const pay = (amount: string, to = accounts.bank) =>
    createTransaction(api, { customerId, from: [accounts.wallet, 'USDC', 'BASE', amount], to: [to, 'USD', 'ACH'] })
  const setActive = (verb: 'deactivate' | 'reactivate') =>
    api.post(`/customers/${customerId}/${verb}`, { reason: 'a test' })
  return { customer, organizationId, customerId, ...accounts, pay, setActive }
}

async function putIn(organizationId: string, amount: string): Promise<void> {
  await api.app.treasury.fund({ organizationId, holding: 'usd-main', asset: 'USD', amount, reason: 'a test' })
  await advance(api, 'PT1M')
}

test('a payout does not leave for a DEACTIVATED customer; a refund does', async () => {
  const ada = await makePayer()
  const payout = await ada.pay('40')
  await waitForWaiting(api, payout)
  const { customerId, bank, wallet } = ada
  const awaiting = await createTransaction(api, {
    customerId,
    from: [bank, 'USD', 'ACH', '30.00'],
    to: [wallet, 'USDC', 'BASE'],
  })
  const part = { amount: '10.00', currency: 'USD', rail: 'ACH', reference: transferReference(awaiting) }
  await waitForDeposit(api, await sendDeposit(api, bank, part), { depositStatus: 'APPLIED' })
  expect((await ada.setActive('deactivate')).status).toBe(200)
  await putIn(ada.organizationId, '40.00')
  await expectWaiting(api, payout)
  await advance(api, 'P8D')
  await waitForTransaction(api, awaiting, { transactionStatus: 'FAILED', refund: { refundStatus: 'COMPLETED' } })
  await expectWaiting(api, payout)
  expect((await ada.setActive('reactivate')).status).toBe(200)
  await waitForTransaction(api, payout, { transactionStatus: 'COMPLETED' })
  await expectVerified(api)
})

test('a payout waits when a new watch list matches its destination, until a reviewer clears it', async () => {
  const ada = await makePayer()
  const bankAccountOwner = { type: 'INDIVIDUAL', firstName: 'Bertram', lastName: 'Quillfeather' }
  const body = bankAccountOf(ada.customerId, bankAccounts.ACH({ accountNumber: '000987654321', bankAccountOwner }))
  const { paymentAccountId } = await createAccount(api, { ...body, isThirdParty: true })
  const payout = await ada.pay('40', paymentAccountId)
  await waitForWaiting(api, payout)
  const dash = '-0- ,'
  const line = `101,"QUILLFEATHER, Bertram","individual","SDGT",${dash.repeat(7)}"DOB 12 Mar 1961;"\r\n`
  await writeFile(path.join(folder, 'sdn.csv'), line)
  await writeFile(path.join(folder, 'alt.csv'), '')
  await api.app.screening.importList(folder, { actor: 'test' })
  await eventually(async () => expect(await api.app.screening.currentVersion()).toBe(1))
  await putIn(ada.organizationId, '40.00')
  await expectWaiting(api, payout)
  await eventually(async () => {
    expect(await readReview(api, ada.customer)).toMatchObject({ reason: 'WATCH_LIST_HIT', reviewStatus: 'OPEN' })
  })
  expect(await decideReview(api, ada.customer, { decision: 'APPROVE' })).toMatchObject({ status: 200 })
  await waitForTransaction(api, payout, { transactionStatus: 'COMPLETED' })
})

test('a payout that has lacked liquidity for ten minutes is not passed by a younger one', async () => {
  const ada = await makePayer()
  const large = await ada.pay('100')
  await waitForWaiting(api, large)
  await putIn(ada.organizationId, '50.00')
  await waitForTransaction(api, await ada.pay('10'), { transactionStatus: 'COMPLETED' })
  await advance(api, 'PT10M')
  const younger = await ada.pay('10')
  await expectWaiting(api, younger)
  await putIn(ada.organizationId, '100.00')
  for (const each of [large, younger]) await waitForTransaction(api, each, { transactionStatus: 'COMPLETED' })
  await expectVerified(api)
})
