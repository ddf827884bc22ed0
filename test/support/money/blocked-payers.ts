import { expect } from 'vitest'
import type { Customer } from '../customers/customers.ts'
import type { TestApi } from '../runner/api.ts'
import { bankAccountOf, bankAccounts, createAccount } from './payment-accounts.ts'
import { type Accounts, makeAccounts, makeActive, type QuoteWish } from './quotes.ts'
import { creditWallet, type Transaction, timelineOf } from './transactions.ts'

export type Payer = Accounts & {
  customer: Customer
  customerId: string
  organizationId: string
  /** A bank account whose owner the sandbox treats as a watch-list match. */
  listed: string
  bankWith(more: object): Promise<string>
}

/** A customer with 100 USDC, who can pay a listed person. */
export async function makePayer(api: TestApi): Promise<Payer> {
  const customer = await makeActive(api, 'US')
  const accounts = await makeAccounts(api, customer)
  const { customerId, organizationId } = customer
  await creditWallet(api, { organizationId, paymentAccountId: accounts.wallet, amount: 100_000_000n })
  const bankWith = async (more: object) =>
    (await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH(more)))).paymentAccountId
  const owner = { type: 'INDIVIDUAL', firstName: 'Ivan', lastName: 'Blocked' }
  const listed = await bankWith({ accountNumber: '000123459999', bankAccountOwner: owner })
  return { customer, customerId, organizationId, ...accounts, listed, bankWith }
}

export const fromWallet = ({ customerId, wallet }: Payer, to: string): QuoteWish => ({
  customerId,
  from: [wallet, 'USDC', 'BASE', '10'],
  to: [to, 'USD', 'ACH'],
})

/** Resolves as an operator, with a reason that names a person. */
export const resolve = (api: TestApi, { transactionId }: Pick<Transaction, 'transactionId'>, body: object) =>
  api.post(`/transactions/${transactionId}/resolve`, { reason: 'Ada Example has called', ...body })

export const returnedFunds = (api: TestApi, { organizationId, customerId }: Payer) =>
  api.app.ledger.returnedFunds(api.app.database, organizationId, customerId)

/** The kinds of a transaction's steps and decisions, the latter with their actors. */
export const kindsOf = async (api: TestApi, created: Pick<Transaction, 'transactionId'>) =>
  (await timelineOf(api, created)).map(({ kind, details }) => `${kind} ${details.action ?? ''}`.trim())

export const waitForFreeze = (api: TestApi, created: Transaction) =>
  expect.poll(() => kindsOf(api, created)).toContain('FROZEN')

export const conflict = { status: 409, body: { error: 'CONFLICT' } }
