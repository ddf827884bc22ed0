import { afterAll, expect, test } from 'vitest'
import { platformOrganizationId } from '../../../src/lib/ids.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { decideReview, waitForReview } from '../../support/customers/reviews.ts'
import { fromWallet, makePayer, waitForFreeze } from '../../support/money/blocked-payers.ts'
import { makeAccounts } from '../../support/money/quotes.ts'
import { createTransaction, sendDeposit, startWithWorkers, waitForDeposit } from '../../support/money/transactions.ts'
import { actingWith, createKey, type TestApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'

/** Money that a match blocks is released by the persons who clear matches, and by no key that submits data. */
const api = await startWithWorkers({ SVC_REVIEW_FOUR_EYES: 'true' })
afterAll(api.stop)
const { credentials, organizations } = api.app
const { organizationId: own } = first((await api.get('/organizations')).body.organizations)
const marked = await credentials.createOperatorKey({ name: 'Reviewer', organizationId: own, isReviewer: true })
const reviewer = actingWith(api, marked.apiKey)
const platform = actingWith(api, (await credentials.createFullKey('Platform', platformOrganizationId)).apiKey)
const forbidden = { status: 403, body: { error: 'FORBIDDEN' } }
const resolve = (as: TestApi, depositId: string, action = 'CREDIT') =>
  as.post(`/deposits/${depositId}/resolve`, { action, reason: 'a test' })

const disburse = (as: TestApi, from: { customerId: string; wallet: string; external: string }) =>
  as.post(`/customers/${from.customerId}/disbursements`, {
    paymentAccountId: from.wallet,
    currency: 'USDC',
    chain: 'BASE',
    amount: '1',
    destinationPaymentAccountId: from.external,
    reason: 'a test',
  })

async function deposit(senderName: string, depositStatus: string): Promise<string> {
  const ada = await makePayer(api)
  const body = { amount: '10.00', currency: 'USD', rail: 'ACH', reference: 'rent', senderName }
  return (await waitForDeposit(api, await sendDeposit(api, ada.bank, body), { depositStatus })).depositId
}

test('the deposit of a listed sender is released by a reviewer’s key, not by the key that submits data', async () => {
  const depositId = await deposit('Ivan Blocked', 'UNMATCHED')
  expect(await resolve(api, depositId)).toMatchObject(forbidden)
  expect(await resolve(reviewer, depositId)).toMatchObject({ status: 200, body: { depositStatus: 'CREDITED' } })
})

test('where the platform decides, its key releases the deposit of a listed sender, and no other', async () => {
  const depositId = await deposit('Ivan Blocked', 'UNMATCHED')
  await organizations.setTerms(own, { decidesReviews: false })
  expect(await resolve(reviewer, depositId)).toMatchObject(forbidden)
  expect(await resolve(platform, depositId)).toMatchObject({ status: 200, body: { depositStatus: 'CREDITED' } })
  await organizations.setTerms(own, { decidesReviews: true })
})

test('a reviewer’s key and the platform find the money that they release, and none that needs no decision', async () => {
  const blocked = await deposit('Ivan Blocked', 'UNMATCHED')
  const credited = await deposit('Ivan Blocked', 'UNMATCHED')
  expect((await resolve(reviewer, credited)).status).toBe(200)
  const strangers = await organizations.create({ name: 'Other', tier: 'BUILDER', parentOrganizationId: null })
  const elsewhere = { organizationId: strangers.organizationId }
  const stranger = actingWith(
    api,
    (await credentials.createOperatorKey({ name: 'x', ...elsewhere, isReviewer: true })).apiKey,
  )
  const list = async (as: TestApi, query = '') =>
    (await as.get(`/deposits?${query}`)).body.deposits.map(({ depositId }) => depositId)
  for (const as of [reviewer, platform]) {
    expect(await list(as)).toContain(blocked)
    expect(await list(as, `organizationId=${own}&status=UNMATCHED`)).toContain(blocked)
    expect(await list(as)).not.toContain(credited)
    for (const query of ['status=CREDITED', `organizationId=${strangers.organizationId}`])
      expect(await list(as, query)).toEqual([])
    expect((await as.get(`/deposits/${blocked}`)).body).toMatchObject({ depositStatus: 'UNMATCHED' })
    expect((await as.get(`/deposits/${blocked}/sender`)).body.matches).not.toEqual([])
    expect((await as.get(`/deposits/${credited}`)).status).toBe(404)
    const [newest] = (await as.get('/deposits?pageSize=1')).body.deposits
    expect(newest?.depositId).toBe(blocked)
  }
  expect((await platform.get(`/deposits/${credited}/sender`)).status).toBe(404)
  expect(await list(stranger)).toEqual([])
  expect((await stranger.get(`/deposits/${blocked}`)).status).toBe(404)
  const { apiKey } = await createKey(api, { name: 'Reader of reviews', scopes: ['reviews:read', 'reviews:write'] })
  expect((await api.get('/deposits', { apiKey })).status).toBe(403)
  expect((await resolve(reviewer, blocked)).status).toBe(200)
})

test('neither a reviewer’s key nor one of the platform decides about money that no match blocks', async () => {
  const depositId = await deposit('Ada Example', 'UNMATCHED')
  for (const caller of [reviewer, platform]) {
    const refused = await resolve(caller, depositId)
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('transactions:write')])
  }
  expect((await resolve(api, depositId)).status).toBe(200)
})

test('money of a customer with a confirmed match is released by a reviewer’s key alone', async () => {
  const ada = await makePayer(api)
  const frozen = await createTransaction(api, fromWallet(ada, ada.listed))
  await waitForFreeze(api, frozen)
  expect((await decideReview(api, ada.customer, { decision: 'REJECT' })).status).toBe(200)
  expect(await disburse(api, ada)).toMatchObject(forbidden)
  expect((await disburse(reviewer, ada)).status).toBe(201)
  for (const as of [reviewer, platform]) {
    const { status } = await as.post(`/transactions/${frozen.transactionId}/resolve`, { action: 'CREDIT', reason: 'x' })
    expect(status).toBe(409)
  }
})

test.each([
  ['AML_MATCH', { decision: 'REJECT' }],
  ['AML_WARNING', { decision: 'REJECT' }],
  ['AML_MATCH', { decision: 'NEEDS_INFO', issues: ['ADDRESS_TOO_SHORT'] }],
])(
  'money of a customer whose submission has %s waits for the decision, and after %o for a reviewer’s key',
  async (code, decision) => {
    const names = { firstName: 'Ada', lastName: `Issue-${code}`, kycData: { legalFirstName: 'Ada' } }
    const customer = await waitForReview(api, await createCustomer(api, names))
    const { customerId } = customer
    const accounts = { customerId, ...(await makeAccounts(api, customer)) }
    const sent = await sendDeposit(api, accounts.wallet, { amount: '3', currency: 'USDC', chain: 'BASE' })
    const { depositId } = await waitForDeposit(api, sent, { depositStatus: 'HELD' })
    for (const action of ['CREDIT', 'RETURN']) expect((await resolve(api, depositId, action)).status).toBe(409)
    expect((await disburse(api, accounts)).status).toBe(409)
    expect((await decideReview(api, customer, decision)).status).toBe(200)
    for (const action of ['CREDIT', 'RETURN']) expect(await resolve(api, depositId, action)).toMatchObject(forbidden)
    expect((await resolve(reviewer, depositId)).status).toBe(200)
    expect(await disburse(api, accounts)).toMatchObject(forbidden)
    expect((await disburse(reviewer, accounts)).status).toBe(201)
  },
)

test('no operation shows a reviewer’s key a link to a form', async () => {
  const ada = await makePayer(api)
  await waitForFreeze(api, await createTransaction(api, fromWallet(ada, ada.listed)))
  expect(marked.scopes).toEqual(['reviews:read', 'reviews:write', 'reviews:documents'])
  const ids: Record<string, string> = { organizationId: own, customerId: ada.customerId, n: '1' }
  for (const { method, path } of api.routes.filter(({ access }) => access.includes(':')))
    if (method === 'GET') {
      const { body } = await reviewer.call(
        method,
        path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? own),
      )
      expect([path, JSON.stringify(body).includes('/forms/')]).toEqual([path, false])
    }
})
