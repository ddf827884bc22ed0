import type { Page } from 'playwright-core'
import { createCustomer } from '../customers/customers.ts'
import { createAccount } from '../money/payment-accounts.ts'
import type { TestApi } from '../runner/api.ts'
import type { FormClient } from './form-client.ts'
import { heading, next, press } from './form-visitor.ts'

export type PendingAccount = { customerId: string; id: string; link: string }

/** Creates a customer with a PENDING bank account. */
export async function createPending(
  api: TestApi,
  more: { customer?: object; account?: object } = {},
): Promise<PendingAccount> {
  const { customerId } = await createCustomer(api, more.customer ?? { firstName: 'Ada', lastName: 'Example' })
  return addPending(api, customerId, more.account)
}

/** Adds a PENDING bank account to a customer. */
export async function addPending(api: TestApi, customerId: string, more: object = {}): Promise<PendingAccount> {
  const body = { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT', ...more }
  const pending = await createAccount(api, body)
  return { customerId, id: pending.pendingPaymentAccountId ?? '', link: pending.bankAccountFormLink ?? '' }
}

/** Fills in an account of an American bank. */
export async function fillAch(page: Page, accountNumber = '000123456789'): Promise<void> {
  await page.getByLabel('Country of the bank').selectOption('US')
  await page.getByLabel('ACH transfer').check()
  await page.getByLabel('Routing number').fill('021000021')
  await page.getByLabel('Account number').fill(accountNumber)
}

/** Continues to the page that shows the answers once more, and saves them. */
export async function saveAccount(page: Page): Promise<void> {
  await next(page)
  await heading(page, 'Check the account')
  await press(page, 'Save this account')
}

/** Sends an account as the page does: a save has a key that the page has made. */
export function sendAccount(
  form: FormClient,
  path: string,
  externalBankAccount: unknown,
  headers?: Record<string, string>,
) {
  const more = path === 'account' ? { saveKey: form.token.slice(0, 32) } : {}
  return form.call('POST', `bank-account/${path}`, { externalBankAccount, ...more }, headers)
}

/** Reads what the page of a bank account shows. */
export const stateOf = (form: FormClient) => form.call('GET', 'bank-account/state')
