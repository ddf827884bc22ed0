import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { decideReview, readReview } from '../../support/customers/reviews.ts'
import { conflict, kindsOf, makePayer, resolve } from '../../support/money/blocked-payers.ts'
import { createDisbursementStories } from '../../support/money/disbursement-stories.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import {
  bankAccountOf,
  bankAccounts,
  createAccount,
  externalWalletOf,
  serviceWalletOf,
} from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  advance,
  availableIn,
  createTransaction,
  creditWallet,
  expectVerified,
  readTransaction,
  sendDeposit,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'

/** Money that Svc keeps for a customer is listed, and an operator pays it out. */
const { api } = await startHeard()
const scopes = ['transactions:write', 'transactions:read']
const desk = actingWith(api, (await createKey(api, { name: 'Desk', scopes })).apiKey)
const { kept, shown, bodyOf, order, disburse, waitForDisbursement, ...stories } = createDisbursementStories(api, desk)
const { creditedRefund, creditedDeposit, returnedPayout } = stories

test('a credited refund is listed with its transaction, and paid out once', async () => {
  const ada = await makePayer(api)
  expect(await shown(ada)).toEqual([])
  const { transactionId } = await creditedRefund(ada)
  expect(await kept(ada)).toEqual([
    { paymentAccountId: expect.any(String), currency: { label: 'USD' }, balance: '12.66', transactionId },
  ])
  const body = { paymentAccountId: first(await kept(ada)).paymentAccountId, currency: 'USD' }
  const wanted = { ...body, destinationPaymentAccountId: ada.bank }
  const key = { headers: { 'x-idempotency-key': newId() } }
  const [created, replayed] = [await order(ada, wanted, desk, key), await order(ada, wanted, desk, key)]
  expect(created).toMatchObject({ status: 201, body: { disbursementStatus: 'PENDING', amount: '12.66' } })
  expect(replayed.body).toEqual(created.body)
  expect(JSON.stringify(created.body)).not.toContain('Example')
  expect(await shown(ada)).toEqual([])
  expect(await order(ada, wanted)).toMatchObject({ status: 422, body: { error: 'INSUFFICIENT_BALANCE' } })
  const paid = await waitForDisbursement(ada, created.body, 'COMPLETED')
  expect(paid).toMatchObject({ referenceId: expect.stringMatching(/^sandbox-/), destinationPaymentAccountId: ada.bank })
  expect((await desk.get(`/customers/${ada.customerId}/disbursements`)).body).toEqual({
    disbursements: [paid],
    nextPageToken: '',
  })
  expect((await readReview(api, ada.customer).catch(() => undefined))?.notes ?? []).toEqual([])
  const kinds = ['OPERATOR disbursement.created', 'DISBURSEMENT_OWED', 'DISBURSEMENT_CONFIRMED', 'RAIL']
  expect(await kindsOf(api, { transactionId })).toEqual(expect.arrayContaining(kinds))
  await expectVerified(api)
})

test('a returned RETURN and a credited deposit without a transaction are listed and paid out together', async () => {
  const ada = await makePayer(api)
  const { customerId, wallet, bankWith } = ada
  const returning = await bankWith({ accountNumber: '000123450077' })
  const wish = { customerId, from: [returning, 'USD', 'ACH', '10.00'], to: [wallet, 'USDC', 'BASE'] } as const
  const created = await createTransaction(api, wish)
  const reference = transferReference(created)
  await sendDeposit(api, returning, { amount: '15.00', currency: 'USD', rail: 'ACH', reference })
  await waitForTransaction(api, created, { refund: { refundStatus: 'COMPLETED', refundAmount: '5.00' } })
  await advance(api, 'P1DT1S')
  const { transactionId } = await waitForTransaction(api, created, { refund: { refundStatus: 'RETURNED' } })
  await creditedDeposit(ada, '3.00')
  expect(await shown(ada)).toEqual([
    ['USD', '5.00', transactionId],
    ['USD', '3.00', ''],
  ])
  const answer = await disburse(ada, { amount: '6.50', destinationPaymentAccountId: ada.bank })
  expect(answer).toMatchObject({ status: 201, body: { amount: '6.50' } })
  expect(await shown(ada)).toEqual([['USD', '1.50', '']])
  await waitForDisbursement(ada, answer.body, 'COMPLETED')
  expect(await shown(ada)).toEqual([['USD', '1.50', '']])
  await expectVerified(api)
})

test('a disbursement takes returned funds before a repayment can, and a repayment pays what is left', async () => {
  const ada = await makePayer(api)
  const failed = await returnedPayout(ada)
  const first = await disburse(ada, { amount: '4.00', destinationPaymentAccountId: ada.bank })
  expect(first.status).toBe(201)
  const left = { repaymentStatus: 'WAITING_FOR_OPERATOR', repaymentAmount: '5.95' }
  expect((await readTransaction(api, failed)).repayment).toMatchObject(left)
  const again = await resolve(desk, failed, { action: 'PAY_AGAIN' })
  expect(again).toMatchObject({ status: 200, body: { repayment: { repaymentAmount: '5.95' } } })
  await waitForTransaction(api, failed, { repayment: { repaymentStatus: 'COMPLETED', repaymentAmount: '5.95' } })
  await waitForDisbursement(ada, first.body, 'COMPLETED')
  expect(await shown(ada)).toEqual([])
  const other = await returnedPayout(ada)
  const whole = await disburse(ada, { destinationPaymentAccountId: ada.bank })
  expect(whole).toMatchObject({ status: 201, body: { amount: '9.95' } })
  expect(await resolve(desk, other, { action: 'PAY_AGAIN' })).toMatchObject(conflict)
  await waitForDisbursement(ada, whole.body, 'COMPLETED')
  await waitForTransaction(api, other, { repayment: { repaymentStatus: 'COMPLETED', repaymentAmount: '9.95' } })
  expect(await resolve(desk, other, { action: 'PAY_AGAIN' })).toMatchObject(conflict)
  await expectVerified(api)
})

test('a refused, a cancelled and a returned disbursement leave the money with the customer', async () => {
  const ada = await makePayer(api)
  const { transactionId } = await creditedRefund(ada)
  const before = await shown(ada)
  const refusing = await ada.bankWith({ accountNumber: '000999990066' })
  const refused = await disburse(ada, { destinationPaymentAccountId: refusing })
  await waitForDisbursement(ada, refused.body, 'REFUSED')
  expect(await shown(ada)).toEqual(before)
  const halt = { text: `insert into svc.payout_halts (halt_id, violated) values ($1, '{a test}')`, values: [newId()] }
  await api.app.database.query(halt)
  const waiting = await disburse(ada, { destinationPaymentAccountId: ada.bank })
  const path = `/customers/${ada.customerId}/disbursements/${waiting.body.disbursementId}/cancel` as const
  expect(await desk.post(path)).toMatchObject({ status: 200, body: { disbursementStatus: 'CANCELLED' } })
  expect(await desk.post(path)).toMatchObject(conflict)
  await waitForDisbursement(ada, waiting.body, 'CANCELLED')
  expect(await shown(ada)).toEqual(before)
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
  const returning = await ada.bankWith({ accountNumber: '000123450077' })
  const returned = await disburse(ada, { destinationPaymentAccountId: returning })
  await waitForDisbursement(ada, returned.body, 'COMPLETED')
  expect(await desk.post(path.replace(waiting.body.disbursementId, returned.body.disbursementId))).toMatchObject(
    conflict,
  )
  await advance(api, 'P1DT1S')
  await waitForDisbursement(ada, returned.body, 'RETURNED')
  expect(await shown(ada)).toEqual([['USD', '12.66', transactionId]])
  const again = await disburse(ada, { destinationPaymentAccountId: ada.bank })
  await waitForDisbursement(ada, again.body, 'COMPLETED')
  expect(await shown(ada)).toEqual([])
  await expectVerified(api)
})

test('the wallet of a rejected customer is paid out on a reviewer’s order, of an ACTIVE one never', async () => {
  const ada = await makePayer(api)
  const body = {
    paymentAccountId: ada.wallet,
    currency: 'USDC',
    chain: 'BASE',
    destinationPaymentAccountId: ada.external,
  }
  expect(await order(ada, body, api)).toMatchObject(conflict)
  await api.post(`/sandbox/customers/${ada.customerId}/verification`, { outcome: 'REVIEW' })
  expect(await order(ada, body, api)).toMatchObject({
    status: 409,
    body: { message: 'A review of this customer is open: decide it first' },
  })
  await decideReview(api, ada.customer, { decision: 'REJECT' })
  expect(await order(ada, body)).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } })
  expect((await order(ada, { ...body, amount: '100.000001' }, api)).status).toBe(422)
  const part = await order(ada, { ...body, amount: '60' }, api)
  expect(part).toMatchObject({ status: 201, body: { amount: '60.000000' } })
  const rest = await order(ada, body, api)
  expect(rest).toMatchObject({ status: 201, body: { amount: '40.000000' } })
  await waitForDisbursement(ada, part.body, 'COMPLETED')
  await waitForDisbursement(ada, rest.body, 'COMPLETED')
  expect(await availableIn(api, ada.wallet)).toBe('0.000000')
  const { notes } = await readReview(api, ada.customer)
  expect(notes).toEqual(
    expect.arrayContaining([expect.objectContaining({ act: 'disbursement.created', text: 'Ada Example has called' })]),
  )
  await expectVerified(api)
})

test('returned funds of a DEACTIVATED customer are paid out on a reviewer’s order', async () => {
  const ada = await makePayer(api)
  await creditedRefund(ada)
  await api.post(`/customers/${ada.customerId}/deactivate`, { reason: 'a test' })
  expect((await disburse(ada, { destinationPaymentAccountId: ada.bank })).status).toBe(403)
  const answer = await disburse(ada, { destinationPaymentAccountId: ada.bank }, api)
  expect(answer.status).toBe(201)
  await waitForDisbursement(ada, answer.body, 'COMPLETED')
})

test('a reviewer registers an account for a DEACTIVATED customer who has none, and the money leaves', async () => {
  const ada = await makePayer(api)
  const { customerId, wallet } = ada
  await creditedRefund(ada)
  const accountsOnly = actingWith(
    api,
    (await createKey(api, { name: 'Desk', scopes: ['payment_accounts:write'] })).apiKey,
  )
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'a test' })
  const address = makeEvmAddress()
  const external = externalWalletOf(customerId, { chain: 'OPTIMISM', currency: 'USDC', address })
  await creditWallet(api, { ...ada, paymentAccountId: wallet, asset: 'USDC/OPTIMISM', amount: 7_000_000n })
  expect(await accountsOnly.post('/payment-accounts', external)).toMatchObject(conflict)
  expect(await api.post('/payment-accounts', serviceWalletOf(customerId, 'EVM'))).toMatchObject(conflict)
  // The form of a PENDING account would be closed to this customer.
  const pending = { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT' }
  expect(await api.post('/payment-accounts', pending)).toMatchObject(conflict)
  const { paymentAccountId: destinationPaymentAccountId } = await createAccount(api, external)
  const body = { paymentAccountId: wallet, currency: 'USDC', chain: 'OPTIMISM', destinationPaymentAccountId }
  const answer = await order(ada, body, api)
  expect(answer).toMatchObject({ status: 201, body: { amount: '7.000000' } })
  await waitForDisbursement(ada, answer.body, 'COMPLETED')
})

test('credited tokens leave from the address that received them', async () => {
  const ada = await makePayer(api)
  const { customerId, external, listed } = ada
  const created = await createTransaction(api, {
    customerId,
    from: [external, 'USDC', 'BASE', '25'],
    to: [listed, 'USD', 'ACH'],
  })
  const reference = transferReference(created)
  await sendDeposit(api, external, { amount: '25', currency: 'USDC', chain: 'BASE', reference })
  await expect.poll(() => kindsOf(api, created)).toContain('FROZEN')
  await decideReview(api, ada.customer, { decision: 'REJECT' })
  await waitForTransaction(api, created, { transactionStatus: 'FAILED', refund: { refundStatus: 'PENDING' } })
  expect((await resolve(api, created, { action: 'CREDIT' })).status).toBe(200)
  expect(await shown(ada)).toEqual([['USDC', '25.000000', created.transactionId]])
  const answer = await disburse(ada, { destinationPaymentAccountId: external }, api)
  expect(answer).toMatchObject({ status: 201, body: { amount: '25.000000', currency: { chain: 'BASE' } } })
  await waitForDisbursement(ada, answer.body, 'COMPLETED')
  const [payout] = await api.app.database.query({
    text: 'select from_wallet_id as "fromWalletId" from svc.payouts where payout_id = $1',
    values: [answer.body.disbursementId],
  })
  expect(payout).toEqual({ fromWalletId: created.transactionId })
  await expectVerified(api)
})

test('a disbursement goes only to a fitting registered account of the same customer', async () => {
  const ada = await makePayer(api)
  const { bank: foreign } = await makeAccounts(api, await makeActive(api, 'US'))
  await creditedRefund(ada)
  const to = (destinationPaymentAccountId: string, more = {}) => disburse(ada, { destinationPaymentAccountId, ...more })
  for (const unknown of [newId(), foreign]) expect((await to(unknown)).status).toBe(404)
  for (const unfit of [ada.wallet, ada.external]) expect(await to(unfit)).toMatchObject(conflict)
  for (const paymentAccountId of [newId(), foreign, ada.bank]) {
    expect((await to(ada.bank, { paymentAccountId })).status).toBe(404)
  }
  for (const amount of ['0', '-1', '1.001', 'all']) expect((await to(ada.bank, { amount })).status).toBe(400)
  expect((await to(ada.bank, { currency: 'EUR' })).status).toBe(400)
  expect((await to(ada.bank, { reason: '' })).status).toBe(400)
  expect((await to(ada.bank, { amount: '12.67' })).status).toBe(422)
  const byWire = bankAccountOf(ada.customerId, bankAccounts.WIRE({ accountNumber: '000123451234' }))
  const { paymentAccountId: wire } = await createAccount(api, byWire)
  const wired = await to(wire, { amount: '2.66' })
  expect(wired.status).toBe(201)
  await waitForDisbursement(ada, wired.body, 'COMPLETED')
  expect(await to(ada.listed)).toMatchObject(conflict)
  expect(await readReview(api, ada.customer)).toMatchObject({ reason: 'WATCH_LIST_HIT', reviewStatus: 'OPEN' })
  expect(await order(ada, { ...(await bodyOf(ada)), destinationPaymentAccountId: ada.bank }, api)).toMatchObject(
    conflict,
  )
  await decideReview(api, ada.customer, { decision: 'APPROVE' })
})
