import { expect, test } from 'vitest'
import { conflict } from '../../support/money/blocked-payers.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  availableIn,
  type Deposit,
  expectVerified,
  sendDeposit,
  waitForDeposit,
} from '../../support/money/transactions.ts'

/** Tokens that arrive at the address of a deleted service wallet. */
const { api, hears } = await startHeard()

const decide = ({ depositId }: Deposit, body: object) =>
  api.post(`/deposits/${depositId}/resolve`, { reason: 'a test', ...body })

async function owner() {
  const customer = await makeActive(api, 'US')
  return { ...customer, ...(await makeAccounts(api, customer)) }
}
const tokens = (wallet: string) => sendDeposit(api, wallet, { amount: '3', currency: 'USDC', chain: 'BASE' })

test('a deposit to a deleted wallet waits for an operator, who returns it to a registered account', async () => {
  const { wallet, external, bank } = await owner()
  expect((await api.delete(`/payment-accounts/${wallet}`)).status).toBe(200)
  const sent = await tokens(wallet)
  const deposit = await waitForDeposit(api, sent, { depositStatus: 'UNMATCHED', paymentAccountId: wallet })
  expect(await decide(deposit, { action: 'CREDIT' })).toMatchObject({
    ...conflict,
    body: {
      message: 'The wallet that received this deposit is deleted: RETURN it to a registered account of the customer',
    },
  })
  expect(await decide(deposit, { action: 'RETURN' })).toMatchObject(conflict)
  expect(await decide(deposit, { action: 'RETURN', paymentAccountId: bank })).toMatchObject(conflict)
  expect((await decide(deposit, { action: 'RETURN', paymentAccountId: external })).status).toBe(200)
  await hears.deposit(sent, ['UNMATCHED', 'RETURNING', 'RETURNED'])
  const [payout] = await api.app.database.query({
    text: `select from_wallet_id as "from", payment_account_id as "to" from svc.payouts where deposit_id = $1`,
    values: [deposit.depositId],
  })
  expect(payout).toEqual({ from: wallet, to: external })
  await expectVerified(api)
})

test('a deposit to a wallet deleted before a deactivation is not held for the customer', async () => {
  const { customerId, wallet } = await owner()
  await api.delete(`/payment-accounts/${wallet}`)
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'a test' })
  await waitForDeposit(api, await tokens(wallet), { depositStatus: 'UNMATCHED' })
})

test('a held deposit keeps its wallet from being deleted, and can be credited to it', async () => {
  const { customerId, wallet } = await owner()
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'a test' })
  const deposit = await waitForDeposit(api, await tokens(wallet), { depositStatus: 'HELD' })
  expect((await api.delete(`/payment-accounts/${wallet}`)).status).toBe(409)
  expect((await decide(deposit, { action: 'CREDIT' })).status).toBe(200)
  expect(await availableIn(api, wallet)).toBe('3.000000')
})
