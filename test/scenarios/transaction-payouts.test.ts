import { afterAll, afterEach, expect, test } from 'vitest'
import { makeAccounts, makeActive, type QuoteWish } from '../support/quotes.ts'
import {
  availableIn,
  createTransaction,
  creditWallet,
  expectEvents,
  expectVerified,
  startWithWorkers,
  waitForTransaction,
} from '../support/transactions.ts'

const api = await startWithWorkers()
afterAll(api.stop)
afterEach(() => expectVerified(api))
const ada = await makeActive(api, 'US')
const { customerId, organizationId } = ada
const { bank, wallet } = await makeAccounts(api, ada)
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10_000_000_000n })

const offRamp = (amount: string): QuoteWish => ({
  customerId,
  from: [wallet, 'USDC', 'BASE', amount],
  to: [bank, 'USD', 'ACH'],
})

test('from a service wallet to a bank: CREATED, PROCESSING, COMPLETED, each told', async () => {
  const before = await availableIn(api, wallet)
  const created = await createTransaction(api, offRamp('100'))
  const done = await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  expect(done).toMatchObject({
    destination: { destinationAmount: '99.50', destinationReferenceId: expect.stringMatching(/^sandbox-/) },
    statusHistory: [{ status: 'CREATED' }, { status: 'PROCESSING' }, { status: 'COMPLETED' }],
    labels: [],
  })
  expect([before, await availableIn(api, wallet)]).toEqual(['10000.000000', '9900.000000'])
  await expectEvents(api, created, ['CREATED', 'PROCESSING', 'COMPLETED'])
})
