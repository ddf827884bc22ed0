import { expect, test } from 'vitest'
import { depositToWallet } from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { listenToMoney } from '../../support/money/money-listener.ts'
import { createQuote, makeAccounts, makeActive, type QuoteWish, waitForRates } from '../../support/money/quotes.ts'
import { expectVerified } from '../../support/money/transactions.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi(
  { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0' },
  { database: await makeDatabaseWithAddresses() },
)
const worker = await api.app.startWorker()
await waitForRates(api)
const ada = await makeActive(api, 'US')
const { customerId } = ada
const { bank, wallet, external } = await makeAccounts(api, ada)
// From here on no worker advances transactions: these tests cover only the API.
await worker.stop()

const send = (quoteId: string, key = newId(), more: object = {}) =>
  api.post('/transactions', { quoteId, ...more }, { headers: { 'x-idempotency-key': key } })
const onRamp = (amount: string): QuoteWish => ({
  customerId,
  from: [bank, 'USD', 'ACH', amount],
  to: [wallet, 'USDC', 'BASE'],
})
const offRamp = (amount: string): QuoteWish => ({
  customerId,
  from: [wallet, 'USDC', 'BASE', amount],
  to: [bank, 'USD', 'ACH'],
})

async function credit(amount: bigint) {
  const posting = { ...depositToWallet({ paymentAccountId: wallet, asset: 'USDC/BASE', amount }) }
  await api.app.database.inTx((tx) =>
    api.app.ledger.post(tx, [{ organizationId: ada.organizationId, reference: `test:${newId()}`, ...posting }]),
  )
}
const available = async () =>
  (await api.get(`/payment-accounts/${wallet}/balance?currency=USDC&chain=BASE`)).body.availableBalance

test('a transfer from the customer: instructions with a unique message and an expiry', async () => {
  const quote = await createQuote(api, onRamp('100.00'))
  const { status, body } = await send(quote.quoteId, newId(), { correlationId: 'order "1"' })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    transactionStatus: 'AWAITING_TRANSFER',
    quoteId: quote.quoteId,
    correlationId: 'order "1"',
    source: { sourceAmount: '100.00', sourceReferenceId: '' },
    destination: { destinationAmount: quote.destinationAmount, exchangeRate: '1', destinationReferenceId: '' },
    fees: quote.fees,
    transferInstructions: {
      type: 'fiat',
      transferPaymentMethod: 'ACH',
      transferMessage: expect.stringMatching(/^SVC/),
    },
    labels: [],
  })
  const { transactionId, createdAt, expiresAt } = body
  expect(Date.parse(expiresAt ?? '') - Date.parse(createdAt ?? '')).toBe(7 * 86_400_000)
  expect((await api.get(`/transactions/${transactionId}`)).body).toEqual(body)
})

test('funds in a service wallet are reserved at once, and released by a cancellation', async () => {
  await credit(500_000_000n)
  const quote = await createQuote(api, offRamp('100'))
  const { body } = await send(quote.quoteId)
  expect(body).toMatchObject({ transactionStatus: 'CREATED' })
  expect(body).not.toHaveProperty('transferInstructions')
  expect(await available()).toBe('400.000000')
  const { transactionId } = body
  const cancelled = await api.post(`/transactions/${transactionId}/cancel`)
  expect(cancelled.body).toMatchObject({ transactionStatus: 'CANCELLED', statusHistory: { length: 2 } })
  expect(await available()).toBe('500.000000')
  expect(await api.post(`/transactions/${transactionId}/cancel`)).toMatchObject({
    status: 409,
    body: { error: 'TRANSACTION_NOT_CANCELLABLE' },
  })
})

test('tokens from the customer: a unique address, and a link that a wallet opens', async () => {
  const wish: QuoteWish = { customerId, from: [external, 'USDC', 'BASE', '25'], to: [bank, 'USD', 'ACH'] }
  const { body } = await send((await createQuote(api, wish)).quoteId)
  const { transferInstructions: sent } = body
  if (sent?.type !== 'crypto') throw new Error('no address is told')
  const { transferWalletAddress, transferUri } = sent
  expect(transferWalletAddress).toMatch(/^0x[0-9a-fA-F]{40}$/)
  expect(transferUri).toBe(
    `ethereum:0x036CbD53842c5426634e7929541eC2318f3dCF7e@84532/transfer?address=${transferWalletAddress}&uint256=25000000`,
  )
})

test('the same key gives the same answer, byte for byte, and another body is refused', async () => {
  const quote = await createQuote(api, onRamp('10.00'))
  const key = newId()
  const first = await send(quote.quoteId, key)
  const again = await send(quote.quoteId, key)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
  const other = await createQuote(api, onRamp('10.00'))
  expect(await send(other.quoteId, key)).toMatchObject({ status: 422, body: { error: 'IDEMPOTENCY_KEY_REUSED' } })
})

test('refused: no key; an unknown, used or expired quote; an insufficient balance', async () => {
  const quote = await createQuote(api, onRamp('10.00'))
  expect(await api.post('/transactions', { quoteId: quote.quoteId })).toMatchObject({
    status: 400,
    body: { message: 'x-idempotency-key is required' },
  })
  expect(await send(newId())).toMatchObject({ status: 404 })
  await send(quote.quoteId)
  expect(await send(quote.quoteId)).toMatchObject({ status: 409, body: { error: 'QUOTE_ALREADY_USED' } })
  const late = await createQuote(api, onRamp('10.00'))
  await api.post('/sandbox/clock', { advance: 'PT5M' })
  expect(await send(late.quoteId)).toMatchObject({ status: 409, body: { error: 'QUOTE_EXPIRED' } })
  const much = await createQuote(api, offRamp('1000'))
  expect(await send(much.quoteId)).toMatchObject({ status: 422, body: { error: 'INSUFFICIENT_BALANCE' } })
})

test('a cancellation creates an event, in every state that allows it', async () => {
  const hears = await listenToMoney(api)
  await credit(10_000_000n)
  const cancelled = async (wish: QuoteWish) => {
    const { transactionId } = (await send((await createQuote(api, wish)).quoteId)).body
    expect((await api.post(`/transactions/${transactionId}/cancel`)).status).toBe(200)
    return { transactionId }
  }
  const reserved = await cancelled(offRamp('10'))
  const awaited = await cancelled(onRamp('10.00'))
  const told = await api.app.startWorker()
  await hears.transaction(reserved, ['CREATED', 'CANCELLED'])
  await hears.transaction(awaited, ['AWAITING_TRANSFER', 'CANCELLED'])
  await told.stop()
  hears.close()
  await expectVerified(api)
})

test('lists are newest first, and filtered by customer, account on either side, and organization', async () => {
  const ids = async (query: string) =>
    (await api.get(`/transactions?pageSize=100&${query}`)).body.transactions.map(({ transactionId }) => transactionId)
  const all = await ids('')
  expect(all).toEqual([...all].sort().reverse())
  expect(await ids(`customerId=${customerId}`)).toEqual(all)
  expect(await ids(`paymentAccountId=${bank}`)).toEqual(all)
  expect((await ids(`paymentAccountId=${external}`)).length).toBe(1)
  expect(await ids(`customerId=${newId()}`)).toEqual([])
  expect(await ids(`organizationId=${newId()}`)).toEqual([])
})
