import { expect, test } from 'vitest'
import { makePayer, offRamp, type Payer, startBankWorld } from '../../support/bank-files/bank-world.ts'
import { advance, expectVerified, waitForTransaction } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** A bank returns a payment after Svc has stopped asking, or returns its repayment as well. */
const { api, folder } = await startBankWorld()

const failed = { transactionStatus: 'FAILED', failureReason: 'destination_returned_funds' }

const keptFunds = async ({ customerId }: Payer) =>
  (await api.get(`/customers/${customerId}/returned-funds`)).body.returnedFunds.map(({ balance }) => balance)

test.each([
  ['ACH', 'R03'],
  ['SEPA', 'AC04'],
] as const)('%s: a return 70 days later is booked once', async (rail, code) => {
  const payer = await makePayer(api, rail)
  const paid = await offRamp(api, payer)
  const { destination } = await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  await advance(api, 'P70D')
  expect((await api.post('/sandbox/bank/returns', { transactionId: paid.transactionId, code })).status).toBe(200)
  const repayment = { repaymentStatus: 'WAITING_FOR_OPERATOR', repaymentAmount: destination.destinationAmount }
  await waitForTransaction(api, paid, { ...failed, repayment })
  const statements = (await folder.having('archive', 'camt.053.001')).length
  await advance(api, 'P1D')
  await eventually(async () =>
    expect((await folder.having('archive', 'camt.053.001')).length).toBeGreaterThan(statements),
  )
  await folder.settled()
  expect(await keptFunds(payer)).toEqual([destination.destinationAmount])
  await expectVerified(api)
})

test.each([
  ['ACH', { accountNumber: '000123450077' }],
  ['SEPA', { iban: 'DE52370400440532010077' }],
] as const)('%s: the bank returns the repayment as well, and the money is kept once more', async (rail, details) => {
  const payer = await makePayer(api, rail, details)
  const paid = await offRamp(api, payer)
  const { destination } = await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  const repayment = { repaymentStatus: 'WAITING_FOR_OPERATOR', repaymentAmount: destination.destinationAmount }
  await advance(api, 'P1DT1M')
  await waitForTransaction(api, paid, { ...failed, repayment })
  const order = { action: 'PAY_AGAIN', reason: 'The customer has opened the account anew' }
  expect((await api.post(`/transactions/${paid.transactionId}/resolve`, order)).status).toBe(200)
  await waitForTransaction(api, paid, { ...failed, repayment: { repaymentStatus: 'COMPLETED' } })
  expect(await keptFunds(payer)).toEqual([])
  await advance(api, 'P1DT1M')
  await waitForTransaction(api, paid, { ...failed, repayment })
  expect(await keptFunds(payer)).toEqual([destination.destinationAmount])
  await expectVerified(api)
})
