import { expect, test } from 'vitest'
import { createCustomer } from '../../support/customers/customers.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { actOn, type Rule, ruleBody } from '../../support/rules/rules.ts'
import { actingWith, startApi, type TestApi } from '../../support/runner/api.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'

const database = await makeDatabase()
await fillAddressPool(database, 50)
// Reached in the middle of a round of ten requests.
const most = 125
const settings = { SVC_RATE_LIMIT_SANDBOX: '0', SVC_RULES_PER_ORGANIZATION: String(most) }
const api = await startApi(settings, { database })
const other = await startApi(settings, { database })

/** An organization with wallets, and a way to create rules that take from each. */
async function createOwner(name: string) {
  const { organizationId } = await api.app.organizations.create({ name, tier: 'BUILDER', parentOrganizationId: null })
  const { apiKey } = await api.app.credentials.createFullKey(name, organizationId)
  const own = actingWith(api, apiKey)
  const { customerId } = await createCustomer(own)
  const wallets: string[] = []
  for (let at = 0; at < 20; at++) wallets.push((await createAccount(own, serviceWalletOf(customerId))).paymentAccountId)
  const create = (at: number, through: TestApi = api) =>
    through.post(
      '/automation-rules',
      ruleBody({
        customerId,
        // Each request locks other accounts than those beside it.
        from: [wallets[at] ?? '', 'USDC', 'BASE'],
        to: [wallets[10 + at] ?? '', 'USDC', 'BASE'],
        amount: ['FLAT', '1'],
        cron: '0 0 29 2 *',
      }),
      { apiKey },
    )
  return { own, apiKey, organizationId, create }
}

test('concurrent requests to two processes create as many rules as an organization may have, and all are listed', async () => {
  const { own, apiKey, organizationId, create } = await createOwner('Many rules')
  const neighbour = await createOwner('Neighbour')
  const statuses: number[] = []
  for (let round = 0; round < 14; round++) {
    const through = Array.from({ length: 10 }, (_, at) => create(at, at % 2 ? api : other))
    statuses.push(...(await Promise.all(through)).map(({ status }) => status))
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(most)
  expect(statuses.filter((status) => status === 409)).toHaveLength(15)
  const refused = await create(0)
  expect(refused.body).toMatchObject({
    error: 'CONFLICT',
    message: `An organization can have at most ${most} automation rules: delete one first`,
  })
  // A refused request does not wait for one that creates.
  await openForTest({ connection: database.owner }).inTx(async (tx) => {
    const lock = `select pg_advisory_xact_lock(hashtextextended($1, 0))`
    await tx.query({ text: lock, values: [`automation rules of ${organizationId}`] })
    expect((await create(0)).status).toBe(409)
  })
  expect((await neighbour.create(0)).status).toBe(200)

  const all = await own.get('/automation-rules')
  // The list is longer than one batch, so it is sent while it is read: its length is not known before.
  expect(all.headers.get('content-length')).toBe(null)
  expect(all.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(Object.keys(all.body)).toEqual(['automationRules', 'nextPageToken'])
  expect(all.body.nextPageToken).toBe('')
  const paged = await readPages(own)
  expect(paged).toHaveLength(most)
  expect(all.body.automationRules).toEqual(paged)
  const head = await fetch(`${api.baseUrl}/automation-rules`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${apiKey}` },
  })
  expect([head.status, await head.text()]).toEqual([200, ''])

  const quota = async () => first((await own.get('/organizations')).body.organizations).quotas.automationRules
  expect(await quota()).toEqual({ used: most, allowed: most })
  await actOn(own, first(paged), 'delete')
  expect(await quota()).toEqual({ used: most - 1, allowed: most })
  expect((await create(0)).status).toBe(200)
  expect((await create(0)).status).toBe(409)
})

async function readPages(own: TestApi): Promise<Rule[]> {
  const rules: Rule[] = []
  let pageToken = ''
  do {
    const page = await own.get(`/automation-rules?pageSize=50&pageToken=${encodeURIComponent(pageToken)}`)
    rules.push(...page.body.automationRules)
    pageToken = page.body.nextPageToken
  } while (pageToken !== '')
  return rules
}
