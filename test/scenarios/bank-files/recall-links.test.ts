import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { makePayer, offRamp, onRamp, startBankWorld } from '../../support/bank-files/bank-world.ts'
import { openRecalls, recallFile, txInf } from '../../support/bank-files/recall-files.ts'
import {
  advance,
  expectVerified,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Recalls whose ids name several payments, or none: the operator of the deployment links them. */
const world = await startBankWorld()
const { api, folder } = world
const { command, debit, payShort, read, shown, idOf } = openRecalls(world)
const reason = ['--reason', 'The payer has called'] as const
const accept = (depositId: string) =>
  api.post(`/deposits/${depositId}/recall`, { decision: 'ACCEPT', reason: 'a test' })
const link = (recallId: string, depositId: string) =>
  command('deposits', 'link-recall', recallId, '--deposit', depositId, ...reason)

test('a recall whose ids disagree holds both deposits until an operator links it; its debit may be found by hand', async () => {
  const uetr = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
  const [one, other] = [await payShort({ uetr }), await payShort({ transactionId: 'TX-OTHER' }, 9_000n)]
  // The bank tells no amount: it wants all of the payment.
  const payment = `<OrgnlTxId>TX-OTHER</OrgnlTxId><OrgnlUETR>${uetr}</OrgnlUETR>`
  await folder.put('incoming', 'both.xml', recallFile('BOTH', txInf({ id: 'BOTH', payment, amount: '' })))
  await shown(one.depositId, { recall: { recallStatus: 'OPEN', amount: '100.00' } })
  await shown(other.depositId, { recall: { recallStatus: 'OPEN', amount: '90.00' } })
  // No organization decides about the deposit of another one.
  expect(await accept(one.depositId)).toMatchObject({ status: 409, body: { error: 'CONFLICT' } })
  const recallId = await idOf(/no amount told {2}2 payments: link it with one/)
  expect(await link(recallId, one.depositId)).toMatchObject({ code: 0, output: expect.stringContaining('linked') })
  expect(await read(other.depositId)).not.toHaveProperty('recall')
  expect(await read(one.depositId)).toMatchObject({ recall: { recallStatus: 'OPEN' } })
  expect((await accept(one.depositId)).status).toBe(200)

  // The bank takes the money with its charge in one amount, and names nothing.
  const entryId = await debit(10_500n)
  const rejected = await command('deposits', 'reject-recall', recallId, ...reason)
  expect(rejected).toMatchObject({ code: 1, output: expect.stringContaining('may be the one that takes the money') })
  const reverse = (depositId: string) => command('bank-files', 'reverse', entryId, '--deposit', depositId, ...reason)
  expect((await reverse(newId())).output).toContain('cannot take this deposit back')
  expect(await reverse(one.depositId)).toMatchObject({ code: 0 })
  await shown(one.depositId, { reversedAmount: '100.00', recall: { recallStatus: 'SETTLED' } })
  expect((await reverse(one.depositId)).code).toBe(1)
  // A recall that has ended stays with its payment.
  expect((await link(recallId, other.depositId)).output).toContain('The recall has ended')
  await expectVerified(api)
})

test('a recall without a known payment holds the deposit that an operator links, and its debit takes no more of it', async () => {
  const { depositId } = await payShort({}, 25_000n)
  const reasons = ['CUST', 'FRAD']
  await folder.put('incoming', 'unknown.xml', recallFile('UNKNOWN', txInf({ id: 'UNKNOWN', reasons })))
  await folder.arrived('UNKNOWN')
  const recallId = await idOf(/FRAD {2}100\.00 EUR {2}no known payment/)
  const payer = await makePayer(api, 'ACH')
  const dollars = await onRamp(api, payer, '300.00')
  const sent = { bankAccountId: 'usd-main', amount: '100.00', reference: transferReference(dollars) ?? '' }
  const { referenceId } = (await api.post('/sandbox/bank/deposits', sent)).body
  const foreign = await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED' })
  expect((await link(recallId, foreign.depositId)).output).toContain('must be a deposit in EUR')
  expect((await link(recallId, newId())).output).toContain('must be the id of a deposit that came through a bank')
  expect((await link(recallId, depositId)).code).toBe(0)
  await shown(depositId, { recall: { recallStatus: 'OPEN', code: 'FRAD' } })
  // A suspicion counts, although it is not the first reason: a reviewer cannot release the money.
  const rejection = { decision: 'REJECT', reason: 'a test' }
  expect(await api.post(`/deposits/${depositId}/recall`, rejection)).toMatchObject({ status: 409 })
  // The debit comes before the answer, and with a charge.
  const entryId = await debit(10_700n)
  const rejected = await command('deposits', 'reject-recall', recallId, ...reason)
  expect(rejected).toMatchObject({ code: 1, output: expect.stringContaining('may be the one that takes the money') })
  expect((await command('deposits', 'accept-recall', recallId, ...reason)).code).toBe(0)
  expect((await command('bank-files', 'reverse', entryId, '--deposit', depositId, ...reason)).code).toBe(0)
  await shown(depositId, { reversedAmount: '100.00', recall: { recallStatus: 'SETTLED' } })
})

test('money of an order from a wallet that was returned waits in the returned funds while the deposit that bought it is recalled', async () => {
  const [payer, other] = [await makePayer(api, 'SEPA'), await makePayer(api, 'SEPA')]
  const bought = await onRamp(api, payer, '100.00')
  const sent = { bankAccountId: 'eur-main', amount: '100.00', reference: transferReference(bought) ?? '' }
  const { referenceId } = (await api.post('/sandbox/bank/deposits', sent)).body
  const { depositId } = await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED' })
  await waitForTransaction(api, bought, { transactionStatus: 'COMPLETED' })
  const sold = await offRamp(api, payer)
  await waitForTransaction(api, sold, { transactionStatus: 'COMPLETED' })
  await api.post('/sandbox/bank/returns', { transactionId: sold.transactionId, code: 'AC04' })
  await waitForTransaction(api, sold, { failureReason: 'destination_returned_funds' })
  expect((await api.post('/sandbox/bank/recalls', { depositId, code: 'DUPL' })).status).toBe(200)
  await shown(depositId, { recall: { recallStatus: 'OPEN' } })
  const path = `/customers/${payer.customerId}` as const
  const [funds] = (await api.get(`${path}/returned-funds`)).body.returnedFunds
  const wish = { paymentAccountId: funds?.paymentAccountId, currency: 'EUR', destinationPaymentAccountId: payer.bank }
  const { disbursementId } = (await api.post(`${path}/disbursements`, { ...wish, reason: 'a test' })).body
  // The other customer orders later, and is paid.
  await waitForTransaction(api, await offRamp(api, other), { transactionStatus: 'COMPLETED' })
  const status = async () => (await api.get(`${path}/disbursements/${disbursementId}`)).body.disbursementStatus
  expect(await status()).toBe('PENDING')
  const rejection = { decision: 'REJECT', reason: 'a test' }
  expect((await api.post(`/deposits/${depositId}/recall`, rejection)).status).toBe(200)
  await advance(api, 'PT2M')
  await eventually(async () => expect(await status()).toBe('COMPLETED'))
})
