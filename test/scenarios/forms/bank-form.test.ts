import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { createCustomer } from '../../support/customers/customers.ts'
import { expectAccessible, heading, next, press, startForms } from '../../support/forms/form-visitor.ts'
import { accountEvents, createAccount } from '../../support/money/payment-accounts.ts'

const { api, visit } = await startForms()
const worker = await api.app.startWorker()
afterAll(() => worker.stop())

/** Creates a PENDING account and opens its form. */
async function open(more: { customer?: object; account?: object } = {}) {
  const { customerId } = await createCustomer(api, more.customer ?? { firstName: 'Ada', lastName: 'Example' })
  const pending = await createAccount(api, {
    customerId,
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
    ...more.account,
  })
  const id = pending.pendingPaymentAccountId ?? ''
  return { id, customerId, link: pending.bankAccountFormLink, ...(await visit(pending.bankAccountFormLink)) }
}

const save = async (page: Page) => {
  await next(page)
  await heading(page, 'Check the account')
  await press(page, 'Save this account')
  await heading(page, 'Your bank account is saved')
}

test('an ACH account', async () => {
  const { id, page, problems } = await open({ account: { nickname: 'Rent' } })
  await heading(page, 'Your bank account: Rent')
  await page.getByLabel('Country of the bank').selectOption('US')
  await page.getByLabel('ACH transfer').check()
  await page.getByLabel('Routing number').fill('021000022')
  await page.getByLabel('Account number').fill('0001 2345 6789')
  await page.getByText('Routing number: this is no routing number').waitFor()
  await page.getByLabel('Routing number').fill('021000021')
  await expectAccessible(page)
  await save(page)
  await page.getByText('****6789').waitFor()
  await expectAccessible(page)
  expect((await api.get(`/payment-accounts/${id}`)).body).toMatchObject({
    paymentAccountStatus: 'ACTIVE',
    externalBankAccount: { bankAccountMask: '****6789', bankAccountOwnerName: 'Ada Example' },
  })
  await expect
    .poll(() => accountEvents(api, id))
    .toEqual(['payment_account.created PENDING', 'payment_account.updated ACTIVE'])
  expect(problems).toEqual([])
})
