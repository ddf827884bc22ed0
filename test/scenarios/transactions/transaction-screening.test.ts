import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { Customer } from '../../support/customers/customers.ts'
import { decideReview, readReview } from '../../support/customers/reviews.ts'
import { listenToMoney } from '../../support/money/money-listener.ts'
import { bankAccountOf, bankAccounts, createAccount, externalWalletOf } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  readTransaction,
  sendDeposit,
  startWithWorkers,
  timelineOf,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { sdnLine } from '../../support/screening/watch-list-folder.ts'
import { startReceiver } from '../../support/webhooks/receiver.ts'

/** Payments are screened with the list in force, and the integrator sees no sign of a match. */
const api = await startWithWorkers({ SVC_WEBHOOK_ALLOW_LOOPBACK: 'true' })
const hears = await listenToMoney(api)
const receiver = await startReceiver()
const { folder, remove } = await makeFolder('svc money list ')
afterAll(async () => {
  await api.stop()
  receiver.close()
  hears.close()
  await remove()
})
afterEach(hears.expectAllTold)
const listedAddress = makeEvmAddress()
const remarks = `DOB 12 Mar 1961; Digital Currency Address - ETH ${listedAddress};`
await writeFile(
  path.join(folder, 'sdn.csv'),
  [
    `101,"QUILLFEATHER, Bertram","individual","SDGT",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"${remarks}"`,
    sdnLine(102, 'VOROSHKIN, Igor Ivanovich'),
    sdnLine(103, 'ORELLANO SALVATIERRA, Jose Ramon'),
    sdnLine(104, 'HIZBALNUR', ''),
    sdnLine(105, 'KIM, Yong Chol'),
  ].join('\r\n'),
)
await writeFile(path.join(folder, 'alt.csv'), '')
await api.app.screening.importList(folder, { actor: 'test' })
await eventually(async () => expect(await api.app.screening.currentVersion()).toBe(1))

async function payer() {
  const customer = await makeActive(api, 'US')
  const accounts = await makeAccounts(api, customer)
  const { organizationId } = customer
  await creditWallet(api, { organizationId, paymentAccountId: accounts.wallet, amount: 100_000_000n })
  return { customer, ...accounts }
}

type Payer = Awaited<ReturnType<typeof payer>>
const pay = ({ customer: { customerId }, wallet }: Payer, to: string) =>
  createTransaction(api, { customerId, from: [wallet, 'USDC', 'BASE', '10'], to: [to, 'USD', 'ACH'] })

type Owner = { type: 'INDIVIDUAL'; firstName: string; lastName: string } | { type: 'BUSINESS'; businessName: string }

const bankOf = (payer: Payer, firstName: string, lastName: string) =>
  bankOwnedBy(payer, { type: 'INDIVIDUAL', firstName, lastName })

async function bankOwnedBy({ customer: { customerId } }: Payer, bankAccountOwner: Owner) {
  const body = bankAccountOf(customerId, bankAccounts.ACH({ accountNumber: '000987654321', bankAccountOwner }))
  return (await createAccount(api, { ...body, isThirdParty: true })).paymentAccountId
}

const waitForHit = (customer: Customer) =>
  eventually(async () => {
    const review = await readReview(api, customer)
    expect(review).toMatchObject({ reason: 'WATCH_LIST_HIT', reviewStatus: 'OPEN' })
    return review
  })

// biome-ignore format: a table is read by column
test.each([
  ['without the patronymic',          '102', { type: 'INDIVIDUAL', firstName: 'Igor', lastName: 'Voroshkin' }],
  ['without the second surname',      '103', { type: 'INDIVIDUAL', firstName: 'José', lastName: 'Orellano' }],
  ['in another spelling of one word', '104', { type: 'BUSINESS', businessName: 'Hezbolnour' }],
  ['declared as a business',          '102', { type: 'BUSINESS', businessName: 'Igor Ivanovich Voroshkin' }],
  ['declared as an individual',       '104', { type: 'INDIVIDUAL', firstName: 'Hizbal', lastName: 'Nur' }],
  ['behind titles',                   '102', { type: 'INDIVIDUAL', firstName: 'Mr '.repeat(16).trim(), lastName: 'Igor Voroshkin' }],
  ['among other words',               '102', { type: 'BUSINESS', businessName: 'Igor Ivanovich Voroshkin Payment Services Consulting Account Invoice Transfer' }],
  ['in imitated letters',             '102', { type: 'INDIVIDUAL', firstName: 'Іgоr', lastName: 'Vоrоshkіn' }],
  ['in Hangul',                       '105', { type: 'INDIVIDUAL', firstName: '용철', lastName: '김' }],
] as const)('a payment to a listed owner written %s is frozen', async (_how, entryNumber, owner) => {
  const ada = await payer()
  await pay(ada, await bankOwnedBy(ada, owner))
  const { findings } = await waitForHit(ada.customer)
  const matched = expect.objectContaining({ watchList: expect.objectContaining({ entryNumber }) })
  expect(findings).toContainEqual(matched)
})

test('a payment to an owner whose name is too long to compare waits for a reviewer', async () => {
  const ada = await payer()
  await pay(ada, await bankOwnedBy(ada, { type: 'BUSINESS', businessName: 'Blue Kettle Tea Rooms '.repeat(5).trim() }))
  const { findings } = await waitForHit(ada.customer)
  expect(findings).toMatchObject([{ code: 'AML_WARNING' }])
})

test('a payment to a listed owner is frozen invisibly, and paid once a reviewer clears it', async () => {
  const ada = await payer()
  const listed = await bankOf(ada, 'Bertram', 'Quillfeather')
  const created = await pay(ada, listed)
  const { findings } = await waitForHit(ada.customer)
  expect(findings).toMatchObject([
    { code: 'AML_MATCH', field: `paymentAccounts[${listed}]`, watchList: { entryNumber: '101', listVersion: 1 } },
  ])
  const frozen = await waitForTransaction(api, created, { transactionStatus: 'PROCESSING', labels: [] })
  expect(frozen).not.toHaveProperty('failureReason')
  await advance(api, 'PT1H')
  const innocent = await pay(ada, ada.bank)
  await waitForTransaction(api, innocent, { transactionStatus: 'PROCESSING' })
  expect(await decideReview(api, ada.customer, { decision: 'APPROVE' })).toMatchObject({ status: 200 })
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await waitForTransaction(api, innocent, { transactionStatus: 'COMPLETED' })
  await waitForTransaction(api, await pay(ada, listed), { transactionStatus: 'COMPLETED' })
})

test('a payment to a listed address is frozen too', async () => {
  const ada = await payer()
  const { customerId } = ada.customer
  const wallet = externalWalletOf(customerId, { chain: 'BASE', currency: 'USDC', address: listedAddress })
  const { paymentAccountId } = await createAccount(api, wallet)
  const created = await createTransaction(api, {
    customerId,
    from: [ada.wallet, 'USDC', 'BASE', '10'],
    to: [paymentAccountId, 'USDC', 'BASE'],
  })
  const { findings } = await waitForHit(ada.customer)
  expect(findings).toMatchObject([{ code: 'AML_MATCH', watchList: { entryNumber: '101' } }])
  await waitForTransaction(api, created, { transactionStatus: 'PROCESSING' })
})

test('a watch-list match of the customer freezes payouts and holds deposits until it is cleared', async () => {
  const ada = await payer()
  const { customerId } = ada.customer
  await api.post(`/sandbox/customers/${customerId}/verification`, { outcome: 'REVIEW' })
  const created = await pay(ada, ada.bank)
  await waitForTransaction(api, created, { transactionStatus: 'PROCESSING' })
  const sent = await sendDeposit(api, ada.wallet, { amount: '1', currency: 'USDC', chain: 'BASE' })
  await waitForDeposit(api, sent, { depositStatus: 'HELD' })
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'PROCESSING' })
  await decideReview(api, ada.customer, { decision: 'APPROVE' })
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await hears.deposit(sent, ['HELD', 'CREDITED'])
})

test('frozen payments continue when the customer is ACTIVE again', async () => {
  const ada = await payer()
  const { customerId } = ada.customer
  await api.post(`/sandbox/customers/${customerId}/verification`, { outcome: 'REVIEW' })
  const created = await pay(ada, ada.bank)
  await expect.poll(async () => (await timelineOf(api, created)).map(({ kind }) => kind)).toContain('FROZEN')
  await api.post(`/customers/${customerId}/deactivate`, { reason: 'a test' })
  const sent = await sendDeposit(api, ada.wallet, { amount: '1', currency: 'USDC', chain: 'BASE' })
  await waitForDeposit(api, sent, { depositStatus: 'HELD' })
  // Cleared, so it is re-checked, and stays frozen for another hour.
  await decideReview(api, ada.customer, { decision: 'APPROVE' })
  await expect.poll(() => isLookedAtLater(created)).toBe(true)
  expect((await api.post(`/customers/${customerId}/reactivate`, { reason: 'a test' })).status).toBe(200)
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await hears.deposit(sent, ['HELD', 'CREDITED'])
})

async function isLookedAtLater({ transactionId }: { transactionId: string }): Promise<boolean> {
  const [row] = await api.app.database.query<{ isLater: boolean }>({
    text: 'select due_at > svc.now() as "isLater" from svc.transactions where transaction_id = $1',
    values: [transactionId],
  })
  return row?.isLater ?? false
}

test('a deposit from a listed sender is held', async () => {
  const { wallet } = await payer()
  const senderName = 'Bertram Quillfeather'
  const sent = await sendDeposit(api, wallet, { amount: '1', currency: 'USDC', chain: 'BASE', senderName })
  await waitForDeposit(api, sent, { depositStatus: 'HELD' })
})

test('the timeline shows every webhook delivery attempt', async () => {
  const events = ['transaction.created', 'transaction.updated']
  const { webhookId } = (await api.post('/webhooks', { url: receiver.url, events })).body
  const ada = await payer()
  const created = await pay(ada, ada.bank)
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await eventually(async () => {
    const entries = (await timelineOf(api, created)).map(({ details }) => details)
    const told = entries.filter((entry) => entry.webhookId === webhookId)
    const details = (eventType: string) => ({ webhookId, eventType, outcome: 'DELIVERED', statusCode: 204 })
    expect(told).toEqual([details('transaction.created'), ...[1, 2].map(() => details('transaction.updated'))])
  })
})
