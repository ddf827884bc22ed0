import { expect, test } from 'vitest'
import { referenceOf } from '../../../src/ledger/posting.ts'
import { depositToWallet, walletOf } from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { bankAccountOf, bankAccounts, createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi()
await fillAddressPool(api.database)
const makeCustomer = () => createCustomer(api, { firstName: 'Ada', lastName: 'Example' })
const remove = (id: string) => api.delete(`/payment-accounts/${id}`)

test('service accounts show a balance in each currency that they can hold, including zeros', async () => {
  const { customerId } = await makeCustomer()
  const { paymentAccountId: id } = await createAccount(api, serviceWalletOf(customerId))
  const { balances } = (await api.get(`/payment-accounts/${id}/balances`)).body
  expect(balances.map(({ currency, balance }) => `${currency.label} ${currency.chain} ${balance}`)).toEqual([
    ...[
      'USDC ARBITRUM',
      'USDC BASE',
      'USDC ETHEREUM',
      'USDC OPTIMISM',
      'USDC POLYGON',
      'EURC BASE',
      'EURC ETHEREUM',
    ].map((name) => `${name} 0.000000`),
  ])
  expect((await api.get(`/payment-accounts/${id}/balance?chain=BASE&currency=EURC`)).body).toMatchObject({
    paymentAccountId: id,
    currency: { label: 'EURC', chain: 'BASE' },
    balance: '0.000000',
    availableBalance: '0.000000',
  })
  const solana = (await createAccount(api, serviceWalletOf(customerId, 'SOLANA'))).paymentAccountId
  expect((await api.get(`/payment-accounts/${solana}/balance?currency=USDC`)).body).toMatchObject({
    currency: { label: 'USDC', chain: 'SOLANA' },
  })
  const external = (await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH()))).paymentAccountId
  for (const path of ['balance', 'balances']) {
    const refused = await api.get(`/payment-accounts/${external}/${path}`)
    expect([refused.status, refused.body.error]).toEqual([409, 'CONFLICT'])
  }
  for (const [query, field] of [
    ['', 'currency'],
    ['?currency=USDC', 'chain'],
    ['?currency=EURC&chain=POLYGON', 'chain'],
    ['?currency=USDC&chain=SOLANA', 'chain'],
    ['?currency=USDC&chain=BITCOIN', 'chain'],
  ]) {
    expect((await api.get(`/payment-accounts/${id}/balance${query}`)).body).toMatchObject({ details: [{ field }] })
  }
})

test('money in a wallet shows in its balance and its statement, and keeps it from being deleted', async () => {
  const { customerId, organizationId } = await makeCustomer()
  const { paymentAccountId: id } = await createAccount(api, serviceWalletOf(customerId))
  const post = (asset: string, amount: bigint) =>
    api.app.database.inTx((tx) =>
      api.app.ledger.post(tx, [
        {
          organizationId,
          reference: referenceOf({ type: 'deposit', id: newId() }, 'test'),
          ...depositToWallet({ paymentAccountId: id, asset, amount }),
        },
      ]),
    )
  await post('USDC/BASE', 125_500_000n)
  await post('EURC/ETHEREUM', 7n)
  await post('USDC/BASE', 1n)
  await api.app.database.inTx((tx) =>
    api.app.ledger.reserve(tx, [
      { organizationId, reference: newId(), account: walletOf(id, 'USDC/BASE'), amount: 25_000_000n },
    ]),
  )
  const { body } = await api.get(`/payment-accounts/${id}/balance?chain=BASE&currency=USDC`)
  expect(body).toMatchObject({ balance: '125.500001', availableBalance: '100.500001' })
  expect(body).not.toHaveProperty('usdValue') // no worker has fetched a rate yet
  await api.app.rates.refresh()
  await api.app.rates.load()
  const worth = async (query: string) => (await api.get(`/payment-accounts/${id}/balance?${query}`)).body.usdValue
  expect(await worth('chain=BASE&currency=USDC')).toBe('125.50')
  expect(await worth('chain=ETHEREUM&currency=EURC')).toBe('0.00')
  expect((await api.get(`/payment-accounts/${id}/balances`)).body).toMatchObject({
    balances: expect.arrayContaining([expect.objectContaining({ balance: '125.500001', usdValue: '125.50' })]),
  })
  const refused = await remove(id)
  expect([refused.status, refused.body.error]).toEqual([409, 'PAYMENT_ACCOUNT_IN_USE'])

  const entries = async (query: string) => (await api.get(`/payment-accounts/${id}/entries?${query}`)).body
  const lines = (page: Awaited<ReturnType<typeof entries>>) =>
    page.entries.map((each) => `${each.direction} ${each.amount} ${each.currency.label} ${each.balance}`)
  const first = await entries('pageSize=2')
  expect(lines(first)).toEqual(['CREDIT 0.000001 USDC 125.500001', 'CREDIT 0.000007 EURC 0.000007'])
  const rest = await entries(`pageSize=2&pageToken=${first.nextPageToken}`)
  expect([lines(rest), rest.nextPageToken]).toEqual([['CREDIT 125.500000 USDC 125.500000'], ''])
  expect(lines(await entries('currency=EURC&chain=ETHEREUM'))).toEqual(['CREDIT 0.000007 EURC 0.000007'])
  expect((await api.get(`/payment-accounts/${id}/entries?currency=EURC`)).body).toMatchObject({
    details: [{ field: 'chain' }],
  })
})
