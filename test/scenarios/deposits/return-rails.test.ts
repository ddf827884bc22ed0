import { expect, test } from 'vitest'
import { conflict, makePayer, type Payer } from '../../support/money/blocked-payers.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import {
  advance,
  createTransaction,
  type Deposit,
  expectVerified,
  sendDeposit,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'

/** The receiving account's own rail and currency decide how a deposit is returned. */
const { api, hears } = await startHeard()

const decide = ({ depositId }: Deposit, body: object) =>
  api.post(`/deposits/${depositId}/resolve`, { reason: 'a test', ...body })

const railsOf = ({ depositId }: Deposit) =>
  api.app.database.query<{ method: string; asset: string }>({
    text: `select method, asset from svc.payouts where deposit_id = $1`,
    values: [depositId],
  })

const awaiting = ({ customerId, bank, wallet }: Payer) =>
  createTransaction(api, { customerId, from: [bank, 'USD', 'ACH', '10.00'], to: [wallet, 'USDC', 'BASE'] })

test('money that arrived by wire is returned by the rail of the account that takes it', async () => {
  const ada = await makePayer(api)
  const created = await awaiting(ada)
  const reference = transferReference(created)
  await advance(api, 'P8D')
  await waitForTransaction(api, created, { transactionStatus: 'EXPIRED' })
  const sent = await sendDeposit(api, ada.bank, { amount: '10.00', currency: 'USD', rail: 'WIRE', reference })
  await hears.deposit(sent, ['RETURNING', 'RETURNED'])
  const deposit = await waitForDeposit(api, sent, { depositStatus: 'RETURNED', paymentMethod: 'WIRE' })
  expect(await railsOf(deposit)).toEqual([{ method: 'ACH', asset: 'USD' }])
  await waitForTransaction(api, created, { refund: { refundStatus: 'COMPLETED', refundAmount: '10.00' } })
  await expectVerified(api)
})

test('the excess of a deposit by wire is returned by the rail of the source account', async () => {
  const ada = await makePayer(api)
  const created = await awaiting(ada)
  const reference = transferReference(created)
  const sent = await sendDeposit(api, ada.bank, { amount: '12.00', currency: 'USD', rail: 'WIRE', reference })
  await waitForTransaction(api, created, { refund: { refundStatus: 'COMPLETED', refundAmount: '2.00' } })
  expect(await railsOf(await waitForDeposit(api, sent, {}))).toEqual([{ method: 'ACH', asset: 'USD' }])
  await expectVerified(api)
})

test('an operator names an account when the sender’s account does not take the currency', async () => {
  const ada = await makePayer(api)
  const sent = await sendDeposit(api, ada.bank, { amount: '10.00', currency: 'EUR', rail: 'SEPA' })
  const deposit = await waitForDeposit(api, sent, { depositStatus: 'UNMATCHED', paymentAccountId: ada.bank })
  expect(await decide(deposit, { action: 'RETURN' })).toMatchObject({
    ...conflict,
    body: { message: expect.stringContaining('`paymentAccountId`') },
  })
  expect(await decide(deposit, { action: 'RETURN', paymentAccountId: ada.bank })).toMatchObject(conflict)
  const { paymentAccountId } = await createAccount(api, bankAccountOf(ada.customerId, bankAccounts.SEPA()))
  expect((await decide(deposit, { action: 'RETURN', paymentAccountId })).status).toBe(200)
  await hears.deposit(sent, ['UNMATCHED', 'RETURNING', 'RETURNED'])
  expect(await railsOf(deposit)).toEqual([{ method: 'SEPA', asset: 'EUR' }])
  await expectVerified(api)
})

test('an unmatched deposit by wire is returned by the rail of the sender’s account', async () => {
  const ada = await makePayer(api)
  const sent = await sendDeposit(api, ada.bank, { amount: '10.00', currency: 'USD', rail: 'WIRE' })
  const deposit = await waitForDeposit(api, sent, { depositStatus: 'UNMATCHED' })
  expect((await decide(deposit, { action: 'RETURN' })).status).toBe(200)
  await hears.deposit(sent, ['UNMATCHED', 'RETURNING', 'RETURNED'])
  expect(await railsOf(deposit)).toEqual([{ method: 'ACH', asset: 'USD' }])
})
