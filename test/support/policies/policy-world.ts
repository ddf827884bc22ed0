import { expect } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createQuote, makeAccounts, makeActive, type QuoteWish, waitForRates } from '../money/quotes.ts'
import { creditWallet } from '../money/transactions.ts'
import { makeDatabaseWithAddresses } from '../money/wallets.ts'
import { startApi, type TestApi } from '../runner/api.ts'

export type PolicyWorld = Awaited<ReturnType<typeof makePolicyWorld>>

/** A customer with a full wallet, a bank account and a wallet outside. No worker runs. */
export async function makePolicyWorld(more: { amount?: bigint } = {}) {
  const api = await startApi(
    { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0', SVC_SANDBOX_PAYOUT_DELAY: '0' },
    { database: await makeDatabaseWithAddresses() },
  )
  const worker = await api.app.startWorker()
  await waitForRates(api)
  const ada = await makeActive(api, 'US')
  const accounts = await makeAccounts(api, ada)
  await worker.stop()
  const { organizationId, customerId } = ada
  await creditWallet(api, {
    organizationId,
    paymentAccountId: accounts.wallet,
    amount: more.amount ?? 100_000_000_000n,
  })
  const { bank, wallet, external } = accounts
  const toBank = (amount: string): QuoteWish => ({
    customerId,
    from: [wallet, 'USDC', 'BASE', amount],
    to: [bank, 'USD', 'ACH'],
  })
  const outside = (amount: string): QuoteWish => ({ ...toBank(amount), to: [external, 'USDC', 'BASE'] })
  const toWallet = (amount: string): QuoteWish => ({
    customerId,
    from: [bank, 'USD', 'ACH', amount],
    to: [wallet, 'USDC', 'BASE'],
  })
  return { api, organizationId, customerId, ...accounts, toBank, outside, toWallet }
}

export async function setRules(api: TestApi, rules: readonly object[]): Promise<void> {
  const answer = await api.call('PUT', '/policies', { body: { rules } })
  expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ rules })])
}

/** Asks for a payment from a new quote. */
export async function pay(api: TestApi, wish: QuoteWish, quoted: TestApi = api) {
  const { quoteId } = await createQuote(quoted, wish)
  return api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': newId() } })
}

/** The rule that refused the payment; undefined when it was created. */
export async function refusedBy(api: TestApi, wish: QuoteWish, quoted: TestApi = api): Promise<string | undefined> {
  const { status, body } = await pay(api, wish, quoted)
  if (status === 201) return undefined
  expect([status, body.error]).toEqual([422, 'POLICY_REFUSED'])
  expect(body.details).toMatchObject([{ field: 'quoteId' }])
  return /"([^"]+)" \([A-Z_]+\)/.exec(body.message ?? '')?.[1]
}
