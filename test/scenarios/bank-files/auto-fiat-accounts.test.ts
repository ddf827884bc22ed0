import { expect, test } from 'vitest'
import { readCoordinates } from '../../../src/payment-accounts/bank-accounts/bank-coordinates.ts'
import {
  askVirtual,
  makePayer,
  type Payer,
  type Rail,
  railFacts,
  startBankWorld,
} from '../../support/bank-files/bank-world.ts'
import { bankAccountOf, bankAccounts, createAccount, postAccount } from '../../support/money/payment-accounts.ts'
import {
  advance,
  expectVerified,
  sendDeposit,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** A virtual account at the sandbox's bank: the bank names its number in a file, and the money goes on by itself. */
const { api, folder } = await startBankWorld()
const seen = new Set<string>()

const open = async (payer: Payer) => {
  const { status, body } = await askVirtual(api, payer)
  expect([status, body]).toEqual([201, expect.anything()])
  return body
}

const send = (paymentAccountId: string, rail: Rail, amount: string) =>
  sendDeposit(api, paymentAccountId, { amount, currency: railFacts[rail].currency, rail })

const eventTypes = async (resourceId: string) =>
  (await api.get(`/events?resourceId=${resourceId}&pageSize=100`)).body.events.map(({ type }: { type: string }) => type)

test.each(['ACH', 'WIRE', 'SEPA', 'CA_INTERAC', 'IN_NEFT_RTGS_IMPS'] as const)(
  '%s: money to the coordinates that GET shows is quoted at its arrival, converted and paid',
  async (rail) => {
    const payer = await makePayer(api, rail)
    for (const { paymentAccountId } of [await open(payer), await open(payer)]) {
      const { svcAutoFiatAccount } = (await api.get(`/payment-accounts/${paymentAccountId}`)).body
      expect(readCoordinates(rail, { ...svcAutoFiatAccount }).problems).toEqual([])
      const { iban, accountNumber } = svcAutoFiatAccount as { iban?: string; accountNumber?: string }
      expect(seen.has(`${iban ?? accountNumber}`)).toBe(false)
      seen.add(`${iban ?? accountNumber}`)

      const referenceId = await send(paymentAccountId, rail, '1000.00')
      const deposit = await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED', appliedAmount: '1000.00' })
      const transactionId = deposit.transactionId ?? ''
      const done = await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
      expect(done.source).toMatchObject({ sourcePaymentAccountId: paymentAccountId, sourceAmount: '1000.00' })
      expect(done.destination.destinationPaymentAccountId).toBe(payer.wallet)
      const quote = (await api.get(`/quotes/${done.quoteId}`)).body
      expect(quote.destinationAmount).toBe(done.destination.destinationAmount)
      await eventually(async () => {
        expect(await eventTypes(deposit.depositId)).toContain('deposit.created')
        expect(await eventTypes(transactionId)).toEqual(
          expect.arrayContaining(['transaction.created', 'transaction.updated']),
        )
      })
    }
  },
)

test.each(['ACH', 'WIRE', 'SEPA', 'CA_INTERAC', 'IN_NEFT_RTGS_IMPS'] as const)(
  '%s: the coordinates of a virtual account are refused for a bank account outside',
  async (rail) => {
    const payer = await makePayer(api, rail)
    const shown = Object.entries((await open(payer)).svcAutoFiatAccount ?? {})
    const issued = Object.fromEntries(shown.filter(([name]) => name !== 'bankName' && name in bankAccounts[rail]()))
    const { customerId } = await makePayer(api, rail)
    const field = `externalBankAccount.${rail === 'SEPA' ? 'iban' : 'accountNumber'}`
    const refused = { status: 400, body: { error: 'BAD_REQUEST', details: [{ field }] } }
    expect(await postAccount(api, bankAccountOf(customerId, bankAccounts[rail](issued)))).toMatchObject(refused)
    const pending = await createAccount(api, { customerId, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT' })
    const externalBankAccount = bankAccounts[rail](issued)
    const complete = `/sandbox/payment-accounts/${pending.pendingPaymentAccountId}/complete`
    expect(await api.post(complete, { externalBankAccount })).toMatchObject(refused)
    if (rail === 'SEPA') return
    // An account at another bank may have the same number.
    const elsewhere = bankAccounts[rail]({ accountNumber: issued.accountNumber })
    expect((await postAccount(api, bankAccountOf(customerId, elsewhere))).status).toBe(201)
  },
)

test('money below the minimum waits for an operator, who credits it', async () => {
  const { paymentAccountId } = await open(await makePayer(api, 'ACH'))
  const small = await waitForDeposit(api, await send(paymentAccountId, 'ACH', '0.02'), { depositStatus: 'UNMATCHED' })
  const decision = { action: 'CREDIT', reason: 'Too small to convert' }
  const answer = await api.post(`/deposits/${small.depositId}/resolve`, decision)
  expect(answer).toMatchObject({ status: 200, body: { depositStatus: 'CREDITED' } })
})

test('money of a customer who is not ACTIVE is held, and goes on once the customer is ACTIVE', async () => {
  const payer = await makePayer(api, 'SEPA')
  const { paymentAccountId } = await open(payer)
  const setActive = (verb: 'deactivate' | 'reactivate') =>
    api.post(`/customers/${payer.customerId}/${verb}`, { reason: 'a test' })
  expect((await setActive('deactivate')).status).toBe(200)
  const referenceId = await send(paymentAccountId, 'SEPA', '500.00')
  await waitForDeposit(api, referenceId, { depositStatus: 'HELD' })
  expect((await api.get(`/transactions?paymentAccountId=${paymentAccountId}`)).body.transactions).toEqual([])
  expect((await setActive('reactivate')).status).toBe(200)
  const { transactionId = '' } = await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED' })
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
})

test('the statement of the day tells the same money, and nothing is booked twice', async () => {
  const before = (await api.get('/transactions?pageSize=100')).body.transactions.length
  await advance(api, 'P1D')
  await eventually(async () => expect((await folder.having('archive', 'camt.053.001')).length).toBeGreaterThan(3))
  await folder.settled()
  expect((await api.get('/transactions?pageSize=100')).body.transactions).toHaveLength(before)
  expect(await folder.list('quarantine')).toEqual([])
  await expectVerified(api)
})
