import { expect, test } from 'vitest'
import { startHeard } from '../../support/money/money-listener.ts'
import { bankAccountOf, bankAccounts, createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { keepRates, makeActive, type QuoteWish, setUsdRate } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  sendDeposit,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'

const { api, hears } = await startHeard()
await keepRates(api)
const { customerId } = await makeActive(api, 'DE')
const bank = (await createAccount(api, bankAccountOf(customerId, bankAccounts.SEPA()))).paymentAccountId
const wallet = (await createAccount(api, serviceWalletOf(customerId))).paymentAccountId

const setEuro = (usd: string) => setUsdRate(api, 'EUR', usd)

async function fund(after: string, euro: string, more: object = {}) {
  await setEuro('1.08')
  const wish: QuoteWish = { customerId, from: [bank, 'EUR', 'SEPA', '100.00'], to: [wallet, 'USDC', 'BASE'], more }
  const created = await createTransaction(api, wish)
  await setEuro(euro)
  await advance(api, after)
  const reference = transferReference(created)
  await sendDeposit(api, bank, { amount: '100.00', currency: 'EUR', rail: 'SEPA', reference })
  return created
}

// 100 EUR less 0.50: 99.5 × 1.08 less 20 basis points
const quoted = { exchangeRate: '1.07784', destinationAmount: '107.245080' }

test.each([
  // received after, euro then, request,                      amount received
  ['PT4M', '1.10', {}, quoted],
  ['PT5M', '1.10', {}, { exchangeRate: '1.0978', destinationAmount: '109.231100' }],
  ['PT5M', '1.0746', {}, { exchangeRate: '1.0724508', destinationAmount: '106.708854' }],
  ['PT5M', '1.05', { guaranteeQuote: true }, quoted],
] as const)('a deposit after %s, with the euro at %s and %o in the request', async (after, euro, more, gets) => {
  const created = await fund(after, euro, more)
  const done = await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  expect(done.destination).toMatchObject(gets)
})

test('when the price moves by more than one percent, the transaction is FAILED and refunded', async () => {
  const created = await fund('PT5M', '1.06')
  await waitForTransaction(api, created, {
    transactionStatus: 'FAILED',
    failureReason: 'price_moved',
    destination: quoted,
    refund: { refundStatus: 'COMPLETED', refundAmount: '100.00' },
  })
  await hears.transaction(created, ['AWAITING_TRANSFER', 'PROCESSING', 'FAILED', 'FAILED', 'FAILED'])
})
