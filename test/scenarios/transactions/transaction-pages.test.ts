import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { listTransactions } from '../../../src/transactions/store.ts'
import { createQuote, makeAccounts, makeActive, type QuoteWish } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  readTransaction,
  sendDeposit,
  startWithWorkers,
  type Transaction,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { actingWith } from '../../support/runner/api.ts'

const api = await startWithWorkers()
afterAll(api.stop)
const ada = await makeActive(api, 'US')
const { customerId, organizationId } = ada
const { bank, wallet, external } = await makeAccounts(api, ada)
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10_000_000_000n })

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
const pay = (transaction: Transaction, amount: string) =>
  sendDeposit(api, bank, {
    amount,
    currency: 'USD',
    rail: 'ACH',
    reference: transferReference(transaction),
  })

const readPage = async (query: string, caller: Pick<typeof api, 'get'> = api) =>
  (await caller.get(`/transactions?${query}`)).body
const idsOf = ({ transactions }: { transactions: Transaction[] }) =>
  transactions.map(({ transactionId }) => transactionId)

/** Reads a list page by page, as a client does. */
async function readAll(query: string, pageSize: number): Promise<Transaction[]> {
  const read: Transaction[] = []
  for (let pageToken = ''; ; ) {
    const page = await readPage(`${query}&pageSize=${pageSize}&pageToken=${pageToken}`)
    read.push(...page.transactions)
    pageToken = page.nextPageToken
    if (pageToken === '') return read
  }
}

/** One transaction in each state, with every field that an answer can have. */
async function makeOneOfEach(): Promise<Transaction[]> {
  const expired = await createTransaction(api, onRamp('11.00'))
  const short = await createTransaction(api, onRamp('12.00'))
  const referenceId = await pay(short, '5.00')
  const cancelled = await createTransaction(api, onRamp('13.00'))
  await api.post(`/transactions/${cancelled.transactionId}/cancel`)
  await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED' })
  await advance(api, 'P8D')
  await waitForTransaction(api, expired, { transactionStatus: 'EXPIRED' })
  await pay(expired, '11.00')
  await waitForTransaction(api, expired, { refund: { refundStatus: 'COMPLETED' } })
  await waitForTransaction(api, short, { transactionStatus: 'FAILED', refund: { refundStatus: 'COMPLETED' } })
  const completed = await createTransaction(api, offRamp('14'))
  await waitForTransaction(api, completed, { transactionStatus: 'COMPLETED' })
  const processing = await createTransaction(api, offRamp('15.99'))
  await waitForTransaction(api, processing, { transactionStatus: 'PROCESSING' })
  const { quoteId } = await createQuote(api, {
    customerId,
    from: [external, 'USDC', 'BASE', '17'],
    to: [bank, 'USD', 'ACH'],
  })
  const correlationId = `a "quoted" \\ name, $& and $1, \u2028 é`
  const { body } = await api.post(
    '/transactions',
    { quoteId, correlationId },
    { headers: { 'x-idempotency-key': newId() } },
  )
  return [expired, short, cancelled, completed, processing, body]
}

const made = await makeOneOfEach()
const newestFirst = made.map(({ transactionId }) => transactionId).sort((a, b) => (a < b ? 1 : -1))

test('a list shows each transaction as a single read does, in every state', async () => {
  const { transactions } = await readPage('pageSize=100')
  expect(transactions.map(({ transactionId }) => transactionId)).toEqual(newestFirst)
  for (const listed of transactions) expect(listed).toEqual(await readTransaction(api, listed))
  expect(new Set(transactions.map(({ transactionStatus }) => transactionStatus))).toEqual(
    new Set(['EXPIRED', 'FAILED', 'CANCELLED', 'COMPLETED', 'PROCESSING', 'AWAITING_TRANSFER']),
  )
})

test('a list and a single read send the same bytes', async () => {
  const readText = async (path: string) =>
    (await fetch(api.baseUrl + path, { headers: { authorization: `Bearer ${api.apiKey}` } })).text()
  const page = await readText('/transactions?pageSize=100')
  for (const id of newestFirst) expect(page).toContain(await readText(`/transactions/${id}`))
})

test('the event of a transaction’s version shows what its columns show', async () => {
  const different = await api.app.database.query({
    text: `select transaction.transaction_id from svc.transactions as transaction
             left join svc.events as event on event.organization_id = transaction.organization_id
              and event.resource_id = transaction.transaction_id::text and event.resource_version = transaction.version
            where transaction.organization_id = $1
              and event.data::jsonb is distinct from svc.show_transaction(transaction)::jsonb`,
    values: [organizationId],
  })
  expect(different).toEqual([])
})

test('paging with any filter neither skips nor repeats a transaction', async () => {
  const withWallet = newestFirst.filter((id) => id !== made.at(-1)?.transactionId)
  // biome-ignore format: a table is read by column
  const lists: [query: string, expected: string[]][] = [
    ['',                                                     newestFirst],
    [`customerId=${customerId}`,                             newestFirst],
    [`paymentAccountId=${wallet}`,                           withWallet],
    [`customerId=${customerId}&paymentAccountId=${wallet}`,  withWallet],
    [`paymentAccountId=${external}`,                         made.slice(-1).map((each) => each.transactionId)],
    [`customerId=${newId()}&paymentAccountId=${wallet}`,     []],
    [`organizationId=${newId()}`,                            []],
  ]
  for (const [query, expected] of lists) {
    for (const pageSize of [1, 2, 3, 100]) {
      const read = await readAll(query, pageSize)
      expect([query, pageSize, read.map(({ transactionId }) => transactionId)]).toEqual([query, pageSize, expected])
    }
  }
})

test('a parent pages through its own and its children’s transactions, or those of one child', async () => {
  const parent = await api.app.organizations.create({ name: 'Parent', tier: 'STARTUP', parentOrganizationId: null })
  const empty = await api.app.organizations.create({
    name: 'Empty',
    tier: 'STARTUP',
    parentOrganizationId: parent.organizationId,
  })
  const { database } = api.app
  const several = [parent.organizationId, empty.organizationId, organizationId]
  const both = { customerId, paymentAccountId: wallet }
  for (const filter of [{}, { customerId }, { paymentAccountId: wallet }, both]) {
    const [alone, together] = await Promise.all(
      [[organizationId], several].map((ids) => listTransactions(database, ids, filter, { after: undefined, limit: 4 })),
    )
    expect(together).toEqual(alone)
    const after = alone?.at(-1)?.transactionId
    expect(await listTransactions(database, several, filter, { after, limit: 4 })).toEqual(
      await listTransactions(database, [organizationId], filter, { after, limit: 4 }),
    )
  }
  const { apiKey } = await api.app.credentials.createFullKey('Parent', parent.organizationId)
  const acting = actingWith(api, apiKey)
  expect(idsOf(await readPage('pageSize=100', acting))).toEqual([])
  expect(idsOf(await readPage(`organizationId=${organizationId}`, acting))).toEqual([])
})
