import { expect, test } from 'vitest'
import { createCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { bankAccountOf, bankAccounts, createAccount, externalWalletOf } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  expectVerified,
  sendDeposit,
  startWithWorkers,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import type { BodyOf } from '../../support/runner/answers.ts'
import { actingWith, createKey, type TestApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'

const api = await startWithWorkers()
const { customerId, organizationId } = await makeActive(api, 'US')
const { bank, wallet } = await makeAccounts(api, { customerId })
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 1_000_000_000n })

const readFees = async (apiKey?: string) =>
  (await api.get('/developer-fees', apiKey ? { apiKey } : {})).body.developerFees.map(
    ({ currency: { label, chain }, balance, ...of }) => [of.organizationId, label, chain, balance],
  )

test('the fees of an organization are summed by currency, and a refused payout takes its fee back', async () => {
  expect(await readFees()).toEqual([])
  const out = { customerId, to: [bank, 'USD', 'ACH'], fee: ['SOURCE_CURRENCY', '1.5'] } as const
  const paid = await createTransaction(api, { ...out, from: [wallet, 'USDC', 'BASE', '100'] })
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  const usdc = [organizationId, 'USDC', 'BASE', '1.500000']
  expect(await readFees()).toEqual([usdc])

  const refused = await createTransaction(api, { ...out, from: [wallet, 'USDC', 'BASE', '100.66'] })
  await waitForTransaction(api, refused, { transactionStatus: 'FAILED' })
  expect(await readFees()).toEqual([usdc])

  const fee = ['USD', '2.00'] as const
  const from = [bank, 'USD', 'ACH', '200.00'] as const
  const bought = await createTransaction(api, { customerId, from, to: [wallet, 'USDC', 'BASE'], fee })
  await sendDeposit(api, bank, { amount: '200.00', currency: 'USD', rail: 'ACH', reference: transferReference(bought) })
  await waitForTransaction(api, bought, { transactionStatus: 'COMPLETED' })
  expect(await readFees()).toEqual([[organizationId, 'USD', undefined, '2.00'], usdc])
})

test('a parent sees the fees of its children, and no other organization does', async () => {
  const { organizations, credentials } = api.app
  const stranger = await organizations.create({ name: 'Stranger', tier: 'BUILDER', parentOrganizationId: null })
  const strange = await credentials.createFullKey('stranger', stranger.organizationId)
  expect(await readFees(strange.apiKey)).toEqual([])
  const child = await organizations.create({ name: 'Child', tier: 'BUILDER', parentOrganizationId: organizationId })
  const childs = await credentials.createFullKey('child', child.organizationId)
  expect(await readFees(childs.apiKey)).toEqual([])
  expect(await readFees()).toHaveLength(2)
})

/** The customer that stands for the organization, with a bank account of its own. */
async function makeReceiver() {
  const kybData = { businessInfo: { legalBusinessName: 'Approve', registrationCountry: 'US' } }
  const created = await createCustomer(api, { customerType: 'BUSINESS', businessName: 'Own', kybData })
  const own = await waitForStatus(api, created, 'ACTIVE')
  const accountWith = async (more: object = {}) =>
    (await createAccount(api, bankAccountOf(own.customerId, bankAccounts.ACH(more)))).paymentAccountId
  return { own, accountWith }
}
const nameReceiver = (named: string) => api.call('PUT', '/developer-fees/receiver', { body: { customerId: named } })
const payOut = (destinationPaymentAccountId: string, more: object = {}, as: TestApi = api) =>
  as.post('/developer-fees/payouts', { currency: 'USD', destinationPaymentAccountId, ...more })

/** Buys tokens with a fee, of two dollars by default; answers the reference of the deposit. */
async function earn(of = '2.00', amount = '200.00'): Promise<string> {
  const from = [bank, 'USD', 'ACH', amount] as const
  const fee = ['USD', of] as const
  const bought = await createTransaction(api, { customerId, from, to: [wallet, 'USDC', 'BASE'], fee })
  const sent = await sendDeposit(api, bank, {
    amount,
    currency: 'USD',
    rail: 'ACH',
    reference: transferReference(bought),
  })
  await waitForTransaction(api, bought, { transactionStatus: 'COMPLETED' })
  return sent
}
const dollars = async () => (await readFees()).find(([, label]) => label === 'USD')?.[3]

test('coordinates that a bank has corrected receive no fees until they are approved', async () => {
  const { own, accountWith } = await makeReceiver()
  const account = await accountWith()
  const setVersion = (version: number) =>
    openForTest({ connection: api.database.owner }).query({
      text: 'update svc.payment_accounts set details_version = $2 where payment_account_id = $1',
      values: [account, version],
    })
  const tooMuch = () => payOut(account, { amount: '1000.00' })
  await nameReceiver(own.customerId)
  expect(await tooMuch()).toMatchObject({ body: { error: 'INSUFFICIENT_BALANCE' } })
  await setVersion(2)
  expect(await tooMuch()).toMatchObject({ status: 409, body: { error: 'CONFLICT' } })
  await nameReceiver(own.customerId)
  expect(await tooMuch()).toMatchObject({ body: { error: 'INSUFFICIENT_BALANCE' } })
  await setVersion(1)
  expect(await tooMuch()).toMatchObject({ status: 409 })
})

test('the audit log has the former receiver and the new one', async () => {
  const [former, next] = [(await makeReceiver()).own.customerId, (await makeReceiver()).own.customerId]
  await nameReceiver(former)
  await nameReceiver(next)
  const [act] = (await api.get('/audit?act=developer_fees.receiver_set')).body.entries
  expect(act).toMatchObject({ subjectId: next, details: { changes: { customerId: { from: former, to: next } } } })
})

test('fees are paid to an account of the receiver alone, once, and come back when the payout does', async () => {
  await earn()
  const { own, accountWith } = await makeReceiver()
  const account = await accountWith()
  const before = await dollars()
  expect(await payOut(account)).toMatchObject({ status: 409, body: { error: 'CONFLICT' } })
  expect(await nameReceiver(customerId)).toMatchObject({ status: 409 })
  const receiver = { organizationId, customerId: own.customerId }
  expect(await nameReceiver(own.customerId)).toMatchObject({
    status: 200,
    body: receiver,
  })
  expect((await api.get('/developer-fees')).body.receivers).toEqual([receiver])
  expect(await payOut(bank)).toMatchObject({ status: 409 })
  const theirs = {
    ...bankAccountOf(own.customerId, bankAccounts.ACH({ accountNumber: '000123459911' })),
    isThirdParty: true,
  }
  expect(await payOut((await createAccount(api, theirs)).paymentAccountId)).toMatchObject({ status: 409 })
  expect(await payOut(account, { amount: '0.00' })).toMatchObject({ status: 400 })
  expect(await payOut(account, { amount: '1000.00' })).toMatchObject({ body: { error: 'INSUFFICIENT_BALANCE' } })
  expect(await payOut(account, { currency: 'EUR' })).toMatchObject({ body: { error: 'INSUFFICIENT_BALANCE' } })

  const { apiKey } = await createKey(api, { name: 'Desk', scopes: ['transactions:write'] })
  expect(await payOut(account, {}, actingWith(api, apiKey))).toMatchObject({ status: 403 })

  const answers = await Promise.all(Array.from({ length: 8 }, () => payOut(account)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422, 422, 422])
  const paid = answers.find(({ status }) => status === 201)?.body
  expect(paid).toMatchObject({ amount: before, customerId: own.customerId, destinationPaymentAccountId: account })
  expect(await dollars()).toBe('0.00')
  await waitForDisbursement(paid, 'COMPLETED')
  const token = { currency: 'USDC', chain: 'BASE' }
  const address = { ...token, address: makeEvmAddress() }
  const external = (await createAccount(api, externalWalletOf(own.customerId, address))).paymentAccountId
  expect(await payOut(external, token)).toMatchObject({ status: 409 })
  await nameReceiver(own.customerId)
  const tooLittle = await payOut(external, { ...token, amount: '0.000001' })
  expect(tooLittle).toMatchObject({ status: 422, body: { error: 'AMOUNT_BELOW_MINIMUM' } })
  await waitForDisbursement((await payOut(external, token)).body, 'COMPLETED')
  const kept = `/customers/${own.customerId}/returned-funds` as const
  expect((await api.get(kept)).body.returnedFunds).toEqual([])
  await expectVerified(api)

  await earn()
  const refusing = await accountWith({ accountNumber: '000999990066' })
  const returning = await accountWith({ accountNumber: '000123450077' })
  await nameReceiver(own.customerId)
  const refused = await payOut(refusing)
  await waitForDisbursement(refused.body, 'REFUSED')
  expect(await dollars()).toBe('2.00')
  const returned = await payOut(returning, { amount: '1.50' })
  await waitForDisbursement(returned.body, 'COMPLETED')
  expect(await dollars()).toBe('0.50')
  await advance(api, 'P1DT1S')
  await waitForDisbursement(returned.body, 'RETURNED')
  expect(await dollars()).toBe('2.00')
  expect((await api.get(kept)).body.returnedFunds).toEqual([])
  await api.stop()
  const waiting = await payOut(account)
  const path = `/customers/${own.customerId}/disbursements/${waiting.body.disbursementId}/cancel` as const
  expect(await api.post(path)).toMatchObject({ status: 200, body: { disbursementStatus: 'CANCELLED' } })
  api.stop = (await api.app.startWorker()).stop
  expect(await dollars()).toBe('2.00')
  await expectVerified(api)

  expect((await api.post(`/customers/${own.customerId}/deactivate`, { reason: 'a test' })).status).toBe(200)
  expect(await payOut(account)).toMatchObject({ status: 403, body: { error: 'CUSTOMER_NOT_ACTIVE' } })
})

test('the fees of a reversed deposit are not paid out until the deposit is recovered', async () => {
  const { own, accountWith } = await makeReceiver()
  const account = await accountWith({ accountNumber: '000123454321' })
  await nameReceiver(own.customerId)
  const available = async () =>
    (await api.get('/developer-fees')).body.developerFees.find(({ currency }) => currency.label === 'USD')
      ?.availableBalance ?? '0.00'
  const before = await available()
  const sent = await earn('980.00', '1000.00')
  const cents = (text: string) => BigInt(text.replace('.', ''))
  expect(cents(await available()) - cents(before)).toBe(98_000n)
  const { depositId } = await waitForDeposit(api, sent, { depositStatus: 'APPLIED' })
  // A third of a cent is withheld as a whole one.
  expect((await api.post(`/sandbox/deposits/${depositId}/reverse`, { amount: '250.01' })).status).toBe(200)
  expect(cents(await available()) - cents(before)).toBe(98_000n - 24_501n)
  expect((await api.post(`/sandbox/deposits/${depositId}/reverse`, {})).status).toBe(200)
  expect(await available()).toBe(before)
  const refused = { status: 422, body: { error: 'INSUFFICIENT_BALANCE', details: [{ field: 'amount' }] } }
  expect(await payOut(account, { amount: '980.00' })).toMatchObject(refused)
  const { depositReversals } = api.app
  for (const { reversalId } of (await depositReversals.list()).filter((each) => each.depositId === depositId))
    await depositReversals.recover({ reversalId, from: 'bank', reason: 'a test' })
  await waitForDisbursement((await payOut(account, { amount: '980.00' })).body, 'COMPLETED')
  await expectVerified(api)
})

test('fees that the ledger does not owe are not paid, and the checks find forged ones', async () => {
  await earn()
  const before = await dollars()
  const { own, accountWith } = await makeReceiver()
  const account = await accountWith({ accountNumber: '000123459922' })
  await nameReceiver(own.customerId)
  const owner = openForTest({ connection: api.database.owner })
  const failedChecks = async () => (await api.app.verify()).checks.flatMap(({ ok, name }) => (ok ? [] : name))
  const forgeFees = (amount: number) =>
    owner.query({
      text: `update svc.liquidity set developer_fees = developer_fees + $1, available = available - $1
              where asset = 'USD' and developer_fees > 0`,
      values: [amount],
    })
  await forgeFees(1)
  expect(await payOut(account)).toMatchObject({ status: 422, body: { error: 'INSUFFICIENT_BALANCE' } })
  expect(await dollars()).toBe(before)
  expect(await failedChecks()).toEqual(['the ledger owes the developer fees that our holdings count'])
  await forgeFees(-1)
  await api.stop()
  const { body } = await payOut(account)
  expect(await failedChecks()).toEqual([])
  const posted = `svc.postings set reference = reference || $2 where reference = format('disbursement:%s:fees', $1::text)`
  await owner.query({ text: `update ${posted}`, values: [body.disbursementId, '-gone'] })
  expect(await failedChecks()).toContain(
    'a payout of developer fees takes its amount from the fees, and a refused one gives it back',
  )
  await owner.query({
    text: 'delete from svc.disbursements where disbursement_id = $1',
    values: [body.disbursementId],
  })
  expect(await failedChecks()).toContain(
    'a disbursement is reserved until it is confirmed, and its parts are its amount',
  )
})

function waitForDisbursement(wanted: BodyOf<'POST /developer-fees/payouts'> | undefined, disbursementStatus: string) {
  const path = `/customers/${wanted?.customerId}/disbursements/${wanted?.disbursementId}` as const
  return eventually(async () => expect((await api.get(path)).body).toMatchObject({ disbursementStatus }))
}
