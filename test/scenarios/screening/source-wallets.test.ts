import { afterAll, expect, test } from 'vitest'
import { createCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { decideReview, isBlocked, readReview } from '../../support/customers/reviews.ts'
import { watchChain } from '../../support/deposits/sightings.ts'
import { createAccount, externalWalletOf, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  readTransaction,
  sendDeposit,
  startWithWorkers,
  timelineOf,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeEvmAddress, makeSolanaAddress } from '../../support/money/wallet-addresses.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

/** Wallets that send money are screened like wallets that receive it. */
const api = await startWithWorkers()
afterAll(api.stop)

const listed = makeEvmAddress()
const listedOnSolana = makeSolanaAddress()
const remarks = (...addresses: string[]) =>
  addresses.map((address) => `Digital Currency Address - ETH ${address}`).join('; ')
let version = 0

async function importList(...addresses: string[]) {
  const folder = await makeListFolder([sdnLine(101, 'QUILLFEATHER, Bertram', 'individual', remarks(...addresses))])
  await api.app.screening.importList(folder, { actor: 'test' })
  version += 1
  await eventually(async () => expect(await api.app.screening.currentVersion()).toBe(version))
}

async function payer() {
  const customer = await makeActive(api, 'US')
  return { customer, ...(await makeAccounts(api, customer)) }
}
type Payer = Awaited<ReturnType<typeof payer>>

const register = async ({ customer: { customerId } }: Pick<Payer, 'customer'>, chain: string, address: string) =>
  (await createAccount(api, externalWalletOf(customerId, { chain, currency: 'USDC', address }))).paymentAccountId

/** Sells tokens of a registered wallet to the customer's bank account. */
async function sell({ customer: { customerId }, bank }: Payer, source: string) {
  const created = await createTransaction(api, {
    customerId,
    from: [source, 'USDC', 'BASE', '10'],
    to: [bank, 'USD', 'ACH'],
  })
  const money = { amount: '10', currency: 'USDC', chain: 'BASE', reference: transferReference(created) }
  return { created, sent: await sendDeposit(api, source, money) }
}

const waitForMatch = ({ customer }: Pick<Payer, 'customer'>, field: string) =>
  eventually(async () => {
    const review = await readReview(api, customer)
    expect(review).toMatchObject({ reason: 'WATCH_LIST_HIT', reviewStatus: 'OPEN' })
    expect(review.findings).toMatchObject([{ code: 'AML_MATCH', field, watchList: { entryNumber: '101' } }])
  })

test('a listed wallet that a customer registers as its own is never paid out', async () => {
  await importList(listed.toLowerCase(), listedOnSolana)
  const ada = await payer()
  // On another network than the listed one, in another letter case: the same key.
  const source = await register(ada, 'BASE', listed)
  await waitForMatch(ada, `paymentAccounts[${source}]`)
  const { created, sent } = await sell(ada, source)
  await waitForDeposit(api, sent, { depositStatus: 'HELD' })
  await advance(api, 'PT2H')
  const waiting = await readTransaction(api, created)
  expect(waiting).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER', labels: [] })
  expect(waiting).not.toHaveProperty('failureReason')
  expect((await api.get(`/payment-accounts/${source}`)).body).toMatchObject({ paymentAccountStatus: 'ACTIVE' })
  await decideReview(api, ada.customer, { decision: 'APPROVE' })
  await waitForDeposit(api, sent, { depositStatus: 'APPLIED' })
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
})

test('a registered wallet that a newer list names holds the money of its customer', async () => {
  const ada = await payer()
  const address = makeEvmAddress()
  const source = await register(ada, 'BASE', address)
  const { customerId } = ada.customer
  const created = await createTransaction(api, {
    customerId,
    from: [source, 'USDC', 'BASE', '10'],
    to: [ada.bank, 'USD', 'ACH'],
  })
  await importList(listed, listedOnSolana, address)
  await waitForMatch(ada, `paymentAccounts[${source}]`)
  // Another wallet sends the tokens: the review of the customer holds them all the same.
  const senderAddress = makeEvmAddress()
  const money = { amount: '10', currency: 'USDC', chain: 'BASE', reference: transferReference(created), senderAddress }
  const sent = await sendDeposit(api, source, money)
  await waitForDeposit(api, sent, { depositStatus: 'HELD' })
  await decideReview(api, ada.customer, { decision: 'REJECT' })
  await waitForStatus(api, ada.customer, 'REJECTED')
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  expect((await timelineOf(api, created)).map(({ kind }) => kind)).not.toContain('EXECUTED')
})

test.each([
  ['a listed EVM address on any network', 'POLYGON', 'USDC/POLYGON', listed, 'EVM'],
  ['a listed Solana address', 'SOLANA', 'USDC/SOLANA', listedOnSolana, 'SOLANA'],
] as const)(
  'a deposit to a service wallet from %s is held, and no sign of it is shown',
  async (_, chain, asset, sender, kind) => {
    const ada = await payer()
    const { svcCryptoWallet } = await createAccount(api, serviceWalletOf(ada.customer.customerId, kind))
    const { report } = watchChain(api)
    const externalId = `transfer of ${asset}`
    const to = { method: chain, asset, address: svcCryptoWallet?.address.address ?? '' } as const
    await report({ ...to, externalId, fromAddress: sender })
    const held = await waitForDeposit(api, externalId, { depositStatus: 'HELD' })
    expect(held).toMatchObject({ labels: [] })
    expect(JSON.stringify(held)).not.toMatch(/blocked|listed|sender/i)
    expect(await isBlocked(api, ada.customer)).toBe(false)
    await report({
      ...to,
      externalId: `${externalId} of another`,
      fromAddress: chain === 'SOLANA' ? makeSolanaAddress() : makeEvmAddress(),
    })
    await waitForDeposit(api, `${externalId} of another`, { depositStatus: 'CREDITED' })
    const credited = await api.post(`/deposits/${held.depositId}/resolve`, { action: 'CREDIT', reason: 'Licensed' })
    expect(credited).toMatchObject({ status: 200, body: { depositStatus: 'CREDITED' } })
  },
)

test('a transfer of tokens without its sender is refused', async () => {
  const ada = await payer()
  const { svcCryptoWallet } = (await api.get(`/payment-accounts/${ada.wallet}`)).body
  const transfer = watchChain(api).report({ address: svcCryptoWallet?.address.address ?? '', fromAddress: null })
  await expect(transfer).rejects.toThrow(/fromAddress/)
})

test('a listed wallet of a customer who is not yet active leaves the submission to a reviewer', async () => {
  const customer = await createCustomer(api)
  const source = await register({ customer }, 'ARBITRUM', listed)
  await api.call('PATCH', `/customers/${customer.customerId}`, {
    body: { kycData: { legalFirstName: 'Ada', legalLastName: 'Example' } },
  })
  await eventually(async () => {
    const review = await readReview(api, customer)
    expect(review).toMatchObject({ reason: 'MANUAL_SUBMISSION', reviewStatus: 'OPEN' })
    expect(review.findings).toContainEqual(
      expect.objectContaining({ code: 'AML_MATCH', field: `paymentAccounts[${source}]` }),
    )
  })
})
