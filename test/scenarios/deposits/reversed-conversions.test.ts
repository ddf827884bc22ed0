import { expect, test } from 'vitest'
import { fromWallet, makePayer, type Payer, resolve } from '../../support/money/blocked-payers.ts'
import { createDisbursementStories } from '../../support/money/disbursement-stories.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import {
  createTransaction,
  expectVerified,
  readTransaction,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'

/** A deposit was credited, then the bank took it back: its money may not leave through a conversion or disbursement. */
const { api } = await startHeard()
const { kept, creditedDeposit, disburse } = createDisbursementStories(api, api)
const { depositReversals } = api.app

/** A customer for whom Svc keeps 30.00 of a deposit. */
async function makeCredited() {
  const ada = await makePayer(api)
  await creditedDeposit(ada, '30.00')
  return { ada, ...first(await kept(ada)) }
}
async function reverse(depositId: string): Promise<{ reversalId: string; reason: string }> {
  expect((await api.post(`/sandbox/deposits/${depositId}/reverse`, {})).status).toBe(200)
  const { reversalId, owedAmount } = first(
    (await depositReversals.list()).filter((reversal) => reversal.depositId === depositId),
  )
  expect(owedAmount).toBe('3000')
  return { reversalId, reason: 'a test' }
}
const convert = ({ customerId }: Payer, from: string, to: string) =>
  createTransaction(api, { customerId, from: [from, 'USD', 'ACH', '30.00'], to: [to, 'USD', 'ACH'] })
const refusal = { code: 'CONFLICT', message: expect.stringContaining('still leaves') }

test('a write-off is refused while a conversion of the money waits, and its rejection gives the money back', async () => {
  const { ada, paymentAccountId, depositId } = await makeCredited()
  const decision = await reverse(depositId ?? '')
  const created = await convert(ada, paymentAccountId, ada.bank)
  await expect(depositReversals.writeOff(decision)).rejects.toMatchObject(refusal)
  await waitForTransaction(api, created, { transactionStatus: 'PROCESSING' })
  await expect(depositReversals.writeOff(decision)).rejects.toMatchObject(refusal)
  expect((await resolve(api, created, { action: 'REJECT' })).status).toBe(200)
  await waitForTransaction(api, created, { transactionStatus: 'FAILED' })
  await depositReversals.recover({ ...decision, from: 'returned-funds' })
  expect(await kept(ada)).toEqual([])
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'FAILED' })
  await expectVerified(api)
})

test('a write-off is refused while a disbursement of what a conversion returned waits', async () => {
  const { ada, paymentAccountId, depositId } = await makeCredited()
  const refusing = await ada.bankWith({ accountNumber: '000999990066' })
  const created = await convert(ada, paymentAccountId, refusing)
  await waitForTransaction(api, created, { transactionStatus: 'FAILED', refund: { refundStatus: 'COMPLETED' } })
  expect(await kept(ada)).toMatchObject([{ transactionId: created.transactionId, balance: '30.00' }])
  const decision = await reverse(depositId ?? '')
  const { body } = await disburse(ada, { destinationPaymentAccountId: ada.bank })
  await expect(depositReversals.writeOff(decision)).rejects.toMatchObject(refusal)
  const path = `/customers/${ada.customerId}/disbursements/${body.disbursementId}/cancel` as const
  expect(await api.post(path)).toMatchObject({ status: 200 })
  // It rests in the returned funds: the write-off takes it from there.
  expect(await depositReversals.writeOff(decision)).toMatchObject({ status: 'WRITTEN_OFF', recovered: 3000n })
  expect(await kept(ada)).toEqual([])
  await expectVerified(api)
})

test('a write-off takes what rests of the deposit in returned funds, and leaves other returned funds alone', async () => {
  const { ada, depositId } = await makeCredited()
  const spent = await disburse(ada, { destinationPaymentAccountId: ada.bank, amount: '20.00' })
  await eventually(async () =>
    expect((await api.get(`/customers/${ada.customerId}/disbursements`)).body.disbursements).toMatchObject([
      { disbursementId: spent.body.disbursementId, disbursementStatus: 'COMPLETED' },
    ]),
  )
  await creditedDeposit(ada, '7.00')
  const decision = await reverse(depositId ?? '')
  expect(await depositReversals.writeOff(decision)).toMatchObject({ owedAmount: '3000', recovered: 1000n })
  expect(await kept(ada)).toMatchObject([{ balance: '7.00' }])
  await expectVerified(api)
})

test('a write-off is refused while an order from a wallet of the customer waits', async () => {
  const { ada, depositId } = await makeCredited()
  const decision = await reverse(depositId ?? '')
  const created = await createTransaction(api, fromWallet(ada, ada.bank))
  await expect(depositReversals.writeOff(decision)).rejects.toMatchObject(refusal)
  await waitForTransaction(api, created, { transactionStatus: 'PROCESSING' })
  await expect(depositReversals.writeOff(decision)).rejects.toMatchObject(refusal)
  expect((await resolve(api, created, { action: 'REJECT' })).status).toBe(200)
  await waitForTransaction(api, created, { transactionStatus: 'FAILED' })
  expect(await depositReversals.writeOff(decision)).toMatchObject({ status: 'WRITTEN_OFF' })
  await expectVerified(api)
})

test('a write-off leaves what rests in another currency to the customer only when the operator tells so', async () => {
  const { ada, paymentAccountId, depositId } = await makeCredited()
  const { customerId } = ada
  // A resident of the United States has no SEPA. Only a customer who gets no quotes opens an account by any method.
  const owner = openForTest({ connection: api.database.owner })
  const setStatus = `update svc.customers set status = $2 where customer_id = $1`
  await owner.query({ text: setStatus, values: [customerId, 'DEACTIVATED'] })
  const euros = (await createAccount(api, bankAccountOf(customerId, bankAccounts.SEPA()))).paymentAccountId
  await owner.query({ text: setStatus, values: [customerId, 'ACTIVE'] })
  const text = `update svc.customers set allowed_methods = allowed_methods || array['SEPA'] where customer_id = $1`
  await owner.query({ text, values: [customerId] })
  const from = [paymentAccountId, 'USD', 'ACH', '30.00'] as const
  const created = await createTransaction(api, { customerId, from, to: [euros, 'EUR', 'SEPA'] })
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  expect((await api.post(`/sandbox/transactions/${created.transactionId}/return`)).status).toBe(200)
  await waitForTransaction(api, created, { failureReason: 'destination_returned_funds' })
  const resting = await kept(ada)
  expect(resting).toMatchObject([{ currency: { label: 'EUR' }, transactionId: created.transactionId }])
  const decision = await reverse(depositId ?? '')
  const message = expect.stringContaining('--leave-returned-funds')
  await expect(depositReversals.writeOff(decision)).rejects.toMatchObject({ code: 'CONFLICT', message })
  const written = await depositReversals.writeOff({ ...decision, leavesOthers: true })
  expect(written).toMatchObject({ status: 'WRITTEN_OFF', recovered: 0n })
  expect(await kept(ada)).toEqual(resting)
  const acts = await api.app.database.query({
    text: `select details from svc.audit where action = 'reversal.written_off' and subject_id = $1`,
    values: [decision.reversalId],
  })
  expect(acts).toEqual([{ details: expect.objectContaining({ leavesReturnedFunds: true }) }])
  await expectVerified(api)
})
