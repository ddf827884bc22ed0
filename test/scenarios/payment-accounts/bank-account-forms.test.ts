import { afterAll, expect, test } from 'vitest'
import { createCustomer } from '../../support/customers/customers.ts'
import { accountEvents, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi()
const worker = await api.app.startWorker()
afterAll(() => worker.stop())

const read = async (id: string) => (await api.get(`/payment-accounts/${id}`)).body
const remove = (id: string) => api.delete(`/payment-accounts/${id}`)
const listed = async (customerId: string) => (await api.get(`/payment-accounts?customerId=${customerId}`)).body
const makeCustomer = () => createCustomer(api, { firstName: 'Ada', lastName: 'Example' })

test('a bank account without details is PENDING until its form is completed, and keeps its id', async () => {
  const { customerId } = await makeCustomer()
  const pending = await createAccount(api, {
    customerId,
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
    nickname: 'Rent',
  })
  const id = pending.pendingPaymentAccountId ?? ''
  expect(pending).toEqual({
    paymentAccountId: '',
    pendingPaymentAccountId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    customerId,
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
    nickname: 'Rent',
    paymentAccountStatus: 'PENDING',
    isThirdParty: false,
    bankAccountFormLink: expect.stringMatching(new RegExp(`^${api.baseUrl}/forms/bank-account/[\\w-]{50}$`)),
  })
  expect(await read(id)).toEqual(pending)
  expect((await listed(customerId)).paymentAccounts).toEqual([pending])

  const complete = (externalBankAccount?: object) =>
    api.post(`/sandbox/payment-accounts/${id}/complete`, { externalBankAccount })
  const bad = await complete({ bankAccountPaymentMethod: 'ACH', routingNumber: '021000022' })
  expect(bad.body).toMatchObject({
    error: 'BAD_REQUEST',
    details: [{ field: 'externalBankAccount.accountNumber' }, { field: 'externalBankAccount.routingNumber' }],
  })
  expect((await complete(undefined)).status).toBe(400)
  const completed = (await complete(bankAccounts.SEPA())).body
  expect(completed).toMatchObject({
    paymentAccountId: id,
    paymentAccountStatus: 'ACTIVE',
    nickname: 'Rent',
    createdAt: expect.any(String),
    externalBankAccount: { bankAccountMask: '****3000', bankAccountCurrency: { label: 'EUR' } },
  })
  expect(completed).not.toHaveProperty('pendingPaymentAccountId')
  expect(completed).not.toHaveProperty('bankAccountFormLink')
  expect(await read(id)).toEqual(completed)
  const again = await complete(bankAccounts.SEPA())
  expect([again.status, again.body.error]).toEqual([409, 'CONFLICT'])
  await expect
    .poll(() => accountEvents(api, id))
    .toEqual(['payment_account.created PENDING', 'payment_account.updated ACTIVE'])
})

test('a PENDING account can be deleted by its id, and then not completed', async () => {
  const { customerId } = await makeCustomer()
  const pending = await createAccount(api, { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT' })
  const id = pending.pendingPaymentAccountId ?? ''
  const deleted = (await remove(id)).body
  expect(deleted).toMatchObject({ paymentAccountId: id, paymentAccountStatus: 'DEACTIVATED' })
  expect(deleted).not.toHaveProperty('createdAt')
  const late = await api.post(`/sandbox/payment-accounts/${id}/complete`, { externalBankAccount: bankAccounts.ACH() })
  expect([late.status, late.body.error]).toEqual([409, 'CONFLICT'])
})
