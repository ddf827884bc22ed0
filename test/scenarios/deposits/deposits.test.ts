import { expect, test } from 'vitest'
import { startHeard } from '../../support/money/money-listener.ts'
import { makeAccounts, makeActive, type QuoteWish } from '../../support/money/quotes.ts'
import {
  availableIn,
  createTransaction,
  type Deposit,
  sendDeposit,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { actingWith, createKey, type TestApi } from '../../support/runner/api.ts'

/** Reading deposits, and deciding those that wait for an operator or reviewer. */
const { api } = await startHeard()
const ada = await makeActive(api, 'US')
const { customerId, organizationId } = ada
const { bank, wallet } = await makeAccounts(api, ada)

const onRamp: QuoteWish = { customerId, from: [bank, 'USD', 'ACH', '10.00'], to: [wallet, 'USDC', 'BASE'] }
const list = async (query: string) => (await api.get(`/deposits?${query}`)).body
const idsIn = ({ deposits }: { deposits: Deposit[] }) => deposits.map(({ depositId }) => depositId)

async function unmatched(more: object = {}): Promise<Deposit> {
  const sent = await sendDeposit(api, bank, { amount: '10.00', currency: 'USD', rail: 'ACH', ...more })
  return waitForDeposit(api, sent, { depositStatus: 'UNMATCHED' })
}

const resolve = ({ depositId }: Deposit, body: object, caller: TestApi = api) =>
  caller.post(`/deposits/${depositId}/resolve`, { reason: 'Ada Example has called', ...body })

test('a deposit reads like its event, and every filter finds it', async () => {
  const created = await createTransaction(api, onRamp)
  const reference = transferReference(created)
  const sent = await sendDeposit(api, bank, { amount: '4.00', currency: 'USD', rail: 'ACH', reference })
  const deposit = await waitForDeposit(api, sent, { depositStatus: 'APPLIED' })
  const other = await unmatched()
  expect((await api.get(`/deposits/${deposit.depositId}`)).body).toEqual(deposit)
  expect(idsIn(await list('pageSize=2'))).toEqual([other.depositId, deposit.depositId])
  for (const filter of [
    `transactionId=${created.transactionId}`,
    'status=APPLIED',
    `status=APPLIED&customerId=${customerId}`,
    `paymentAccountId=${bank}&transactionId=${created.transactionId}&organizationId=${organizationId}`,
  ]) {
    expect([filter, idsIn(await list(filter))]).toEqual([filter, [deposit.depositId]])
  }
  expect(idsIn(await list(`paymentAccountId=${wallet}`))).toEqual([])
  expect((await api.get('/deposits?status=LOST')).status).toBe(400)
})

test('concurrent decisions have one effect, and the reason is stored sealed', async () => {
  const deposit = await unmatched()
  const answers = await Promise.all(Array.from({ length: 16 }, () => resolve(deposit, { action: 'CREDIT' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 15 }, () => 409)])
  expect(await resolve(deposit, { action: 'RETURN' })).toMatchObject({ status: 409, body: { error: 'CONFLICT' } })
  const acts = await api.app.database.query<{ details: object }>({
    text: `select details from svc.audit where organization_id = $1 and subject_id = $2 and action = 'deposit.resolved'`,
    values: [organizationId, deposit.depositId],
  })
  expect(acts).toEqual([{ details: { action: 'CREDIT' } }])
  expect((await api.app.customers.readNotes(await api.app.customers.openFor(callerOf(), customerId)))[0]).toMatchObject(
    {
      act: 'deposit.resolved',
      text: 'Ada Example has called',
    },
  )
})

test('a decision repeated with its key has one effect and the same answer', async () => {
  const { depositId } = await unmatched()
  const key = { headers: { 'x-idempotency-key': depositId } }
  const ask = () => api.post(`/deposits/${depositId}/resolve`, { action: 'RETURN', reason: 'Sent by mistake' }, key)
  const [first, second] = [await ask(), await ask()]
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
})

test.each([
  ['no transaction to apply it to', { action: 'APPLY' }, 400],
  ['a transaction for RETURN', { action: 'RETURN', transactionId: customerId }, 400],
  ['no reason', { action: 'RETURN', reason: '' }, 400],
  ['an unknown transaction', { action: 'APPLY', transactionId: customerId }, 404],
])('a decision with %s changes nothing', async (_what, body, status) => {
  const deposit = await unmatched()
  expect((await resolve(deposit, body)).status).toBe(status)
  expect((await api.get(`/deposits/${deposit.depositId}`)).body).toEqual(deposit)
})

test('a deposit from a listed sender is held until a reviewer decides', async () => {
  const created = await createTransaction(api, onRamp)
  const { transactionId } = created
  const sent = await sendDeposit(api, bank, {
    amount: '10.00',
    currency: 'USD',
    rail: 'ACH',
    senderName: 'Ivan Blocked',
    reference: transferReference(created),
  })
  const held = await waitForDeposit(api, sent, { depositStatus: 'HELD', transactionId })
  const { apiKey } = await createKey(api, { name: 'Desk', scopes: ['transactions:write'] })
  expect(await resolve(held, { action: 'APPLY', transactionId }, actingWith(api, apiKey))).toMatchObject({
    status: 403,
    body: { error: 'FORBIDDEN' },
  })
  expect(await resolve(held, { action: 'APPLY', transactionId })).toMatchObject({
    status: 200,
    body: { depositStatus: 'APPLIED' },
  })
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  const { entries } = (await api.get(`/transactions/${transactionId}/timeline`)).body
  expect(entries).toContainEqual(
    expect.objectContaining({
      kind: 'OPERATOR',
      details: { action: 'deposit.resolved', actor: expect.stringMatching(/^api_key:/) },
    }),
  )
})

test('a reviewer can credit tokens of a listed sender to the wallet, but not return them to an address', async () => {
  const before = await availableIn(api, wallet, 'USDC', 'OPTIMISM')
  const sent = await sendDeposit(api, wallet, {
    amount: '3',
    currency: 'USDC',
    chain: 'OPTIMISM',
    senderName: 'Ivan Blocked',
  })
  const held = await waitForDeposit(api, sent, { depositStatus: 'HELD' })
  expect(await resolve(held, { action: 'RETURN' })).toMatchObject({ status: 409 })
  expect(await resolve(held, { action: 'CREDIT' })).toMatchObject({ status: 200, body: { depositStatus: 'CREDITED' } })
  expect([before, await availableIn(api, wallet, 'USDC', 'OPTIMISM')]).toEqual(['0.000000', '3.000000'])
})

function callerOf() {
  return { organizationId, organizationIds: [organizationId], apiKeyId: 'test' } as never
}
