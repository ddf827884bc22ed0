import { expect, test } from 'vitest'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  createTransaction,
  creditWallet,
  sendDeposit,
  startWithWorkers,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'

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
