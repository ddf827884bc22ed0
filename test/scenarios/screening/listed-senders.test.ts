import { afterAll, expect, test } from 'vitest'
import type { Screener } from '../../../src/transactions/screening/screening.ts'
import { decideReview, isBlocked, readReview } from '../../support/customers/reviews.ts'
import { watchChain } from '../../support/deposits/sightings.ts'
import { startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { createAccount, externalWalletOf, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import {
  createTransaction,
  expectVerified,
  readTransaction,
  timelineOf,
  transferReference,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'
import { makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

/** Each guard alone: no worker re-screens the customers, so that only the movement of money meets the list. */
const money = await startMoney()
const { api, rows } = money
const { customerId } = money.onRamp
const { screening: list, verification, isCounterpartyBlocked } = api.app
const screening: Partial<Screener<never>> = {
  isBlocked: verification.isBlocked,
  findBlocked: verification.findBlocked,
  listVersion: list.currentVersion,
  screenSender: async ({ method: chain, address }) =>
    address !== undefined && (await list.screenAddresses([{ chain, address }])).length > 0
      ? [{ matchedBy: 'ADDRESS', watchList: { entryNumber: '7' } }]
      : [],
  isCounterpartyBlocked,
}
const workers = takeOver(money, { screening })
const { report } = watchChain(api)
const customer = { customerId, organizationId: money.organizationId } as Parameters<typeof isBlocked>[1]
afterAll(() => expectVerified(api))

const listedAddresses: string[] = []

async function listAddress(address: string) {
  listedAddresses.push(address)
  const remarks = listedAddresses.map((each) => `Digital Currency Address - ETH ${each}`).join('; ')
  const folder = await makeListFolder([sdnLine(7, 'EXAMPLE MIXER', '', remarks)])
  await list.importList(folder, { actor: 'test' })
  await eventually(async () => expect(await list.currentVersion()).toBe(listedAddresses.length))
}

async function makeSource() {
  const address = makeEvmAddress()
  const wallet = externalWalletOf(customerId, { chain: 'BASE', currency: 'USDC', address })
  return { address, source: (await createAccount(api, wallet)).paymentAccountId }
}

/** A transaction that awaits 10 USDC of a registered wallet. */
async function sell(source: string) {
  await api.app.rates.refresh()
  const made = await createTransaction(api, {
    customerId,
    from: [source, 'USDC', 'BASE', '10'],
    to: [money.bank, 'USD', 'ACH'],
  })
  return { made, address: transferReference(made) ?? '' }
}

const work = async (...steps: (() => Promise<number>)[]) => {
  for (const step of steps) await untilIdle(step)
}
const depositOf = async (externalId: string) =>
  first(
    await rows<{ id: string; status: string; blocked: boolean }>(
      `select deposit_id as id, status, is_sender_blocked as blocked from svc.deposits where external_id = '${externalId}'`,
    ),
  )
const kindsOf = async (made: Parameters<typeof timelineOf>[1]) => (await timelineOf(api, made)).map(({ kind }) => kind)
const clear = () => decideReview(api, customer, { decision: 'APPROVE' })

test('a transaction is frozen when its source wallet is listed, whichever wallet sent the tokens', async () => {
  const { source, address } = await makeSource()
  const { made, address: to } = await sell(source)
  await listAddress(address)
  await report({ address: to, amount: '10000000', fromAddress: makeEvmAddress() })
  await work(workers.receive, workers.advanceAll, workers.payOut)
  expect(await kindsOf(made)).toContain('FROZEN')
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'PROCESSING', labels: [] })
  const { findings, reason } = await readReview(api, customer)
  expect(reason).toBe('WATCH_LIST_HIT')
  expect(findings).toMatchObject([{ code: 'AML_MATCH', field: `paymentAccounts[${source}]` }])
  await clear()
  await work(workers.advanceAll, workers.payOut, workers.payOut)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

test('a payout that waits does not leave once a newer list names its source wallet', async () => {
  const { source, address } = await makeSource()
  const { made, address: to } = await sell(source)
  await report({ address: to, amount: '10000000', fromAddress: address })
  await work(workers.receive, workers.advanceAll)
  expect(await kindsOf(made)).toContain('EXECUTED')
  await listAddress(address)
  await work(workers.payOut, workers.payOut)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'PROCESSING' })
  expect(await isBlocked(api, customer)).toBe(true)
  await clear()
  await work(workers.payOut, workers.payOut)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

test('tokens of a registered wallet that is listed are held by a review of the customer, which releases them', async () => {
  const { source, address } = await makeSource()
  const { made, address: to } = await sell(source)
  await listAddress(address)
  const externalId = 'of a registered wallet'
  await report({ externalId, address: to, amount: '10000000', fromAddress: address.toLowerCase() })
  await work(workers.receive)
  expect(await depositOf(externalId)).toMatchObject({ status: 'HELD', blocked: false })
  expect(await isBlocked(api, customer)).toBe(true)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  await clear()
  await work(workers.release)
  expect(await depositOf(externalId)).toMatchObject({ status: 'APPLIED' })
})

test('a deposit that is held for another reason waits for a reviewer once its sender is listed', async () => {
  const stranger = makeEvmAddress()
  const { svcCryptoWallet } = await createAccount(api, serviceWalletOf(customerId))
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'a test' })
  const externalId = 'of a stranger'
  await report({ externalId, address: svcCryptoWallet?.address.address ?? '', fromAddress: stranger })
  await work(workers.receive)
  expect(await depositOf(externalId)).toMatchObject({ status: 'HELD', blocked: false })
  await listAddress(stranger)
  await api.post(`/customers/${customerId}/reactivate`, { reason: 'a test' })
  await work(workers.release)
  const held = await depositOf(externalId)
  expect(held).toMatchObject({ status: 'HELD', blocked: true })
  const resolved = await api.post(`/deposits/${held.id}/resolve`, { action: 'CREDIT', reason: 'Licensed' })
  expect(resolved).toMatchObject({ status: 200, body: { depositStatus: 'CREDITED' } })
})

test('an unmatched deposit needs a reviewer once a newer list names its sender', async () => {
  const stranger = makeEvmAddress()
  const { address: to } = await sell((await makeSource()).source)
  const externalId = 'unmatched, of a stranger'
  await report({ externalId, address: to, asset: 'EURC/BASE', amount: '10000000', fromAddress: stranger })
  await work(workers.receive)
  const unmatched = await depositOf(externalId)
  expect(unmatched).toMatchObject({ status: 'UNMATCHED', blocked: false })
  await listAddress(stranger)
  const { apiKey } = await createKey(api, { name: 'Desk', scopes: ['transactions:write'] })
  const resolution = { action: 'CREDIT', reason: 'Known' } as const
  expect((await actingWith(api, apiKey).post(`/deposits/${unmatched.id}/resolve`, resolution)).status).toBe(403)
  expect((await api.post(`/deposits/${unmatched.id}/resolve`, resolution)).status).toBe(200)
})

test('the registration of a listed wallet looks like any other, and blocks what the customer pays', async () => {
  const address = makeEvmAddress()
  await listAddress(address)
  const wallet = externalWalletOf(customerId, { chain: 'POLYGON', currency: 'USDC', address })
  expect(await createAccount(api, wallet)).toMatchObject({ paymentAccountStatus: 'ACTIVE' })
  expect(await isBlocked(api, customer)).toBe(true)
  await clear()
})
