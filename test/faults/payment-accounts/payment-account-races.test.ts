import { afterAll, expect, test } from 'vitest'
import { createCustomer } from '../../support/customers/customers.ts'
import {
  accountEvents,
  bankAccountOf,
  bankAccounts,
  createAccount,
  postAccount,
  serviceWalletOf,
} from '../../support/money/payment-accounts.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { type Answer, startApi } from '../../support/runner/api.ts'

const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
await fillAddressPool(api.database, 200)
const worker = await api.app.startWorker()
afterAll(() => worker.stop())

const concurrently = <Body>(size: number, act: (at: number) => Promise<Answer<Body>>): Promise<Answer<Body>[]> =>
  Promise.all(Array.from({ length: size }, (_, at) => insist(() => act(at))))

/** Retries a 503 as a client does: on a slow machine many callers may wait too long for a connection. */
async function insist<Body>(act: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const answer = await act()
    if (answer.status !== 503) return answer
  }
  throw new Error('the service stayed away')
}
const outcomes = (answers: readonly Answer[]) => {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const name = body.error ? `${status} ${body.error}` : String(status)
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

test('of 64 concurrent requests for the same account one succeeds and 63 get a conflict', async () => {
  const { customerId } = await createCustomer(api, { firstName: 'Ada' })
  const answers = await concurrently(64, () => postAccount(api, bankAccountOf(customerId, bankAccounts.ACH())))
  expect(outcomes(answers)).toEqual({ 201: 1, '409 DUPLICATE_PAYMENT_ACCOUNT': 63 })
})

test('of 64 forms submitted for the same account one creates it', async () => {
  const { customerId } = await createCustomer(api, { firstName: 'Ada' })
  const made = await concurrently(64, () =>
    postAccount(api, { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT' }),
  )
  const answers = await concurrently(64, (at) =>
    api.post(`/sandbox/payment-accounts/${made[at]?.body.pendingPaymentAccountId}/complete`, {
      externalBankAccount: bankAccounts.ACH(),
    }),
  )
  expect(outcomes(answers)).toEqual({ 200: 1, '409 DUPLICATE_PAYMENT_ACCOUNT': 63 })
})

test('of 32 concurrent submissions of one form one succeeds, with one event', async () => {
  const { customerId } = await createCustomer(api, { firstName: 'Ada' })
  const { pendingPaymentAccountId: id = '' } = await createAccount(api, {
    customerId,
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  })
  const answers = await concurrently(32, (at) =>
    api.post(`/sandbox/payment-accounts/${id}/complete`, {
      externalBankAccount: bankAccounts.ACH({ accountNumber: `5550000${at}` }),
    }),
  )
  expect(outcomes(answers)).toEqual({ 200: 1, '409 CONFLICT': 31 })
  await expect
    .poll(() => accountEvents(api, id))
    .toEqual(['payment_account.created PENDING', 'payment_account.updated ACTIVE'])
})

test('32 concurrent deletions of an account all answer that it is deleted, with one event', async () => {
  const { customerId } = await createCustomer(api, { firstName: 'Ada' })
  const { paymentAccountId: id } = await createAccount(api, serviceWalletOf(customerId))
  expect(outcomes(await concurrently(32, () => api.delete(`/payment-accounts/${id}`)))).toEqual({ 200: 32 })
  await expect
    .poll(() => accountEvents(api, id))
    .toEqual(['payment_account.created ACTIVE', 'payment_account.deleted DEACTIVATED'])
})

test('64 service wallets created at once get 64 different addresses', async () => {
  const { customerId } = await createCustomer(api, { firstName: 'Ada' })
  const made = await concurrently(64, () => postAccount(api, serviceWalletOf(customerId)))
  expect(outcomes(made)).toEqual({ 201: 64 })
  expect(new Set(made.map((each) => each.body.svcCryptoWallet?.address.address)).size).toBe(64)
})

test('an account is never deleted while another starts to pay into it: one of the two requests fails', async () => {
  const { customerId } = await createCustomer(api, { firstName: 'Ada' })
  for (let round = 0; round < 20; round++) {
    const { paymentAccountId: id } = await createAccount(api, serviceWalletOf(customerId))
    const svcAutoFiatAccount = {
      currency: 'USD',
      destinationPaymentAccountId: id,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: 'BASE',
    }
    const [deleted, ...opened] = await Promise.all([
      insist(() => api.delete(`/payment-accounts/${id}`)),
      ...Array.from({ length: 3 }, () =>
        insist(() => postAccount(api, { customerId, paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT', svcAutoFiatAccount })),
      ),
    ])
    const isDeleted = deleted.status === 200
    expect(outcomes([deleted])).toEqual(isDeleted ? { 200: 1 } : { '409 PAYMENT_ACCOUNT_IN_USE': 1 })
    expect(outcomes(opened)).toEqual(isDeleted ? { '409 CONFLICT': 3 } : { 201: 3 })
  }
  const { checks } = await api.app.verify()
  expect(checks.filter((check) => !check.ok)).toEqual([])
})

test('a rejected customer gets no new account, even in a race', async () => {
  for (let round = 0; round < 10; round++) {
    const { customerId } = await createCustomer(api, { kycData: { legalFirstName: 'A', legalLastName: 'Review' } })
    const path = `/sandbox/customers/${customerId}/verification`
    await expect.poll(async () => (await api.post(path, { outcome: 'REVIEW' })).status).toBe(200)
    const [rejected, ...made] = await Promise.all([
      insist(() => api.post(path, { outcome: 'REJECT' })),
      ...Array.from({ length: 4 }, () => insist(() => postAccount(api, serviceWalletOf(customerId)))),
    ])
    expect(rejected.status).toBe(200)
    for (const answer of made) expect(answer.status === 201 || answer.body.error === 'CONFLICT').toBe(true)
    const list = (await api.get(`/payment-accounts?customerId=${customerId}`)).body
    expect(list.paymentAccounts).toHaveLength(made.filter((answer) => answer.status === 201).length)
    expect((await postAccount(api, serviceWalletOf(customerId))).status).toBe(409)
    for (const answer of made.filter(({ status }) => status === 201)) {
      expect((await api.delete(`/payment-accounts/${answer.body.paymentAccountId}`)).status).toBe(200)
    }
  }
})
