import { afterAll, expect, test } from 'vitest'
import { createCustomer, patchCustomer } from '../../support/customers/customers.ts'
import { createPending, sendAccount as send, stateOf } from '../../support/forms/bank-form.ts'
import { openFormClient } from '../../support/forms/form-client.ts'
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

const newForm = async (more: Parameters<typeof createPending>[1] = {}) => {
  const pending = await createPending(api, more)
  return { ...pending, form: await openFormClient(pending.link) }
}
const ach = bankAccounts.ACH()

test('an own account has the name of the customer, however it is spelled', async () => {
  const { id, form } = await newForm({ customer: { firstName: 'Zoë', lastName: 'Müller' } })
  const person = (firstName: string, lastName: string) => ({ type: 'INDIVIDUAL', firstName, lastName })
  const own = 'externalBankAccount.bankAccountOwner'
  const strangers = [
    [person('Eve', 'Other'), `${own}.lastName`],
    [person('???', '!!!'), `${own}.lastName`],
    [{ type: 'BUSINESS', businessName: 'Zoë Müller Trading' }, `${own}.type`],
    [{ type: 'BUSINESS', businessName: 'Shell Goods Ltd' }, `${own}.type`],
  ] as const
  for (const [bankAccountOwner, field] of strangers) {
    const checked = (await send(form, 'check', { ...ach, bankAccountOwner })).body as unknown as { problems: object[] }
    expect(checked.problems).toMatchObject([{ field, rule: 'OWNER_NAME' }])
    const saved = await send(form, 'account', { ...ach, bankAccountOwner })
    expect([saved.status, saved.body]).toMatchObject([400, { details: [{ field, rule: 'OWNER_NAME' }] }])
  }
  expect(await read(id)).toMatchObject({ paymentAccountStatus: 'PENDING' })
  expect((await send(form, 'account', { ...ach, bankAccountOwner: person('Zoe', 'Mueller') })).status).toBe(200)
  expect(await read(id)).toMatchObject({
    isThirdParty: false,
    externalBankAccount: { bankAccountOwnerName: 'Zoe Mueller' },
  })
})

test('an own account waits for the name of its customer, which the customer alone cannot tell', async () => {
  const { id, form, customerId } = await newForm({ customer: {}, account: { nickname: 'Rent' } })
  const mallory = { ...ach, bankAccountOwner: { type: 'INDIVIDUAL', firstName: 'Mallory', lastName: 'Money' } }
  const expectWaiting = async () => {
    expect((await stateOf(form)).body).toMatchObject({ status: 'WAITING', nickname: '' })
    expect((await stateOf(form)).body).not.toHaveProperty('owner')
    // A page that is left behind does not renew its session, because it would open by itself.
    const polled = await form.call('GET', 'bank-account/status')
    expect([polled.body, polled.headers.get('set-cookie')]).toMatchObject([{ status: 'WAITING' }, null])
    for (const path of ['check', 'account'])
      expect(await send(form, path, mallory)).toMatchObject({ status: 409, body: { error: 'CONFLICT' } })
    expect(await read(id)).toMatchObject({ paymentAccountStatus: 'PENDING' })
  }
  const tell = async (names: object) => expect((await patchCustomer(api, { customerId }, names)).status).toBe(200)
  await expectWaiting()
  await tell({ firstName: 'Mallory' })
  await expectWaiting()
  // A name that the customer submits is no name before it is approved.
  await tell({ kycData: { legalFirstName: 'Mallory', legalLastName: 'Money', address: { countryCode: 'US' } } })
  await expectWaiting()
  const decide = await api.post(`/sandbox/customers/${customerId}/verification`, { outcome: 'APPROVE' })
  expect(decide.status).toBe(200)
  expect((await stateOf(form)).body).toMatchObject({ status: 'OPEN', nickname: 'Rent' })
  const other = { ...ach, bankAccountOwner: { ...mallory.bankAccountOwner, lastName: 'Stranger' } }
  expect((await send(form, 'account', other)).status).toBe(400)
  expect((await send(form, 'account', mallory)).status).toBe(200)
})

test('half a name is not that of the owner: an own account gets the confirmed one', async () => {
  const { id, form, customerId } = await newForm({ customer: { firstName: 'Mallory' } })
  const kycData = { legalFirstName: 'Mallory', legalLastName: 'Money', address: { countryCode: 'US' } }
  expect((await patchCustomer(api, { customerId }, { kycData })).status).toBe(200)
  const decide = await api.post(`/sandbox/customers/${customerId}/verification`, { outcome: 'APPROVE' })
  expect(decide.status).toBe(200)
  expect((await stateOf(form)).body).toMatchObject({ status: 'OPEN', owner: { name: 'Mallory Money' } })
  expect((await send(form, 'account', bankAccounts.ACH({ bankAccountOwner: undefined }))).status).toBe(200)
  expect(await read(id)).toMatchObject({ externalBankAccount: { bankAccountOwnerName: 'Mallory Money' } })
})

test.each([
  ['the account of a third party', { isThirdParty: true }, {}],
  [
    'an account of a business that the integrator has named',
    {},
    { customerType: 'BUSINESS', businessName: 'Shell Goods Ltd' },
  ],
])('%s waits for no name', async (_name, account, customer) => {
  const { form } = await newForm({ customer, account })
  expect((await stateOf(form)).body).toMatchObject({ status: 'OPEN' })
  const bankAccountOwner = { type: 'BUSINESS', businessName: 'Shell Goods Ltd' }
  expect((await send(form, 'account', { ...ach, bankAccountOwner })).status).toBe(200)
})
