import { expect } from 'vitest'
import type { BodyOf } from '../runner/answers.ts'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import { first } from '../runner/first.ts'
import { fromWallet, type Payer, resolve } from './blocked-payers.ts'
import {
  createTransaction,
  sendDeposit,
  type Transaction,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from './transactions.ts'

type Disbursement = BodyOf<'POST /customers/{customerId}/disbursements'>

/** Money that Svc keeps for a customer, and the disbursements that a desk orders. */
export function createDisbursementStories(api: TestApi, desk: TestApi) {
  const kept = async ({ customerId }: Payer) =>
    (await desk.get(`/customers/${customerId}/returned-funds`)).body.returnedFunds
  const shown = async (ada: Payer) =>
    (await kept(ada)).map(({ currency, balance, transactionId }) => [currency.label, balance, transactionId])

  const order = ({ customerId }: Payer, body: object, as = desk, options = {}) =>
    as.post(`/customers/${customerId}/disbursements`, { reason: 'Ada Example has called', ...body }, options)

  /** Orders a disbursement of the customer's only account of returned funds. */
  const disburse = async (ada: Payer, body: object, as = desk) => {
    const { paymentAccountId, currency } = first(await kept(ada))
    const chain = currency.chain === undefined ? {} : { chain: currency.chain }
    return order(ada, { paymentAccountId, currency: currency.label, ...chain, ...body }, as)
  }

  function waitForDisbursement({ customerId }: Payer, { disbursementId }: Disbursement, disbursementStatus: string) {
    return eventually(async () => {
      const { body } = await desk.get(`/customers/${customerId}/disbursements/${disbursementId}`)
      expect(body).toMatchObject({ disbursementStatus })
      return body
    })
  }

  /** Creates a failed transaction whose refund the bank refuses. */
  async function refusedRefund(ada: Payer): Promise<Transaction> {
    const { customerId, external, bankWith } = ada
    const refusing = await bankWith({ accountNumber: '000123450066' })
    const wish = { customerId, from: [refusing, 'USD', 'ACH', '12.66'], to: [external, 'USDC', 'BASE'] } as const
    const created = await createTransaction(api, wish)
    const reference = transferReference(created)
    await sendDeposit(api, refusing, { amount: '12.66', currency: 'USD', rail: 'ACH', reference })
    return waitForTransaction(api, created, { refund: { refundStatus: 'WAITING_FOR_OPERATOR' } })
  }

  /** Creates a failed transaction whose refund an operator credits to the customer. */
  async function creditedRefund(ada: Payer): Promise<Transaction> {
    const created = await refusedRefund(ada)
    expect((await resolve(desk, created, { action: 'CREDIT' })).status).toBe(200)
    return created
  }

  async function returnedPayout(ada: Payer): Promise<Transaction> {
    const created = await createTransaction(api, fromWallet(ada, ada.bank))
    await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
    await api.post(`/sandbox/transactions/${created.transactionId}/return`)
    return waitForTransaction(api, created, { repayment: { repaymentStatus: 'WAITING_FOR_OPERATOR' } })
  }

  /** Credits a deposit without a transaction to the customer. */
  async function creditedDeposit(ada: Payer, amount: string): Promise<void> {
    const loose = await sendDeposit(api, ada.bank, { amount, currency: 'USD', rail: 'ACH', reference: 'rent' })
    const { depositId } = await waitForDeposit(api, loose, { depositStatus: 'UNMATCHED' })
    expect((await desk.post(`/deposits/${depositId}/resolve`, { action: 'CREDIT', reason: 'a test' })).status).toBe(200)
    expect(await kept(ada)).toEqual(expect.arrayContaining([expect.objectContaining({ transactionId: '', depositId })]))
  }

  async function bodyOf(ada: Payer) {
    const { paymentAccountId, currency } = first(await kept(ada))
    return { paymentAccountId, currency: currency.label }
  }
  const stories = { refusedRefund, creditedRefund, creditedDeposit, returnedPayout }
  return { kept, shown, bodyOf, order, disburse, waitForDisbursement, ...stories }
}
