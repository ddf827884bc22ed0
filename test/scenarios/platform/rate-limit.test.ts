import { expect, test } from 'vitest'
import { takeTokens } from '../../../src/db/rate-buckets.ts'
import { startApi } from '../../support/runner/api.ts'
import { makeDatabase } from '../../support/runner/database.ts'

const database = await makeDatabase()
// One guess a minute: no test takes long enough to get another one.
const settings = {
  SVC_RATE_LIMIT_SANDBOX: '60',
  SVC_RATE_LIMIT_FAILED_AUTHENTICATION: '1',
  SVC_TRUSTED_PROXIES: '127.0.0.1',
}
const first = await startApi(settings, { database })
const second = await startApi(settings, { database })

test('every answer shows the policy and the remaining requests', async () => {
  const { headers } = await first.get('/organizations')
  expect(headers.get('ratelimit-policy')).toBe('"organization";q=60;w=60')
  expect(headers.get('ratelimit')).toMatch(/^"organization";r=\d+;t=\d+$/)
})

test('each organization has one limit across all processes', async () => {
  const before = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, at) => (at % 2 ? first : second).get('/organizations', { apiKey: first.apiKey })),
  )
  const passed = answers.filter((answer) => answer.status === 200).length
  const refused = answers.filter((answer) => answer.status === 429)
  expect(passed + refused.length).toBe(120)
  const trickled = (performance.now() - before) / 1_000
  expect(passed).toBeGreaterThan(40)
  expect(passed).toBeLessThan(75 + trickled)
  expect(refused[0]?.body).toMatchObject({ error: 'RATE_LIMITED' })
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused[0]?.headers.get('ratelimit')).toMatch(/r=0/)

  const { organizationId } = await first.app.organizations.create({
    name: 'Other',
    tier: 'BUILDER',
    parentOrganizationId: null,
  })
  const { apiKey } = await first.app.credentials.createFullKey('Other', organizationId)
  expect((await second.get('/organizations', { apiKey })).status).toBe(200)
})

test('an address that guesses credentials is refused, a valid caller at the same address is not', async () => {
  const { organizationId } = await first.app.organizations.create({
    name: 'Neighbour',
    tier: 'BUILDER',
    parentOrganizationId: null,
  })
  const { apiKey } = await first.app.credentials.createFullKey('Neighbour', organizationId)
  const headers = { 'x-forwarded-for': '203.0.113.50' }
  expect((await first.get('/organizations', { apiKey, headers })).status).toBe(200)
  const guesses = []
  for (let at = 0; at < 3; at++)
    guesses.push((await first.get('/organizations', { apiKey: `guess-${at}`, headers })).status)
  expect(guesses).toEqual([401, 429, 429])
  expect((await first.get('/organizations', { apiKey, headers })).status).toBe(200)
  expect(
    (await first.get('/organizations', { apiKey: 'guess', headers: { 'x-forwarded-for': '203.0.113.51' } })).status,
  ).toBe(401)
})

/** How many guesses an address has after this time: one, and one more each minute. */
const guessesWithin = (ms: number) => 1 + Math.ceil(ms / 60_000)

async function createNeighbour(name: string): Promise<string> {
  const wanted = { name, tier: 'BUILDER' as const, parentOrganizationId: null }
  const { organizationId } = await first.app.organizations.create(wanted)
  return (await first.app.credentials.createFullKey(name, organizationId)).apiKey
}

test('good calls between guesses make no room for further guesses', async () => {
  const apiKey = await createNeighbour('Alternating')
  const headers = { 'x-forwarded-for': '203.0.113.60' }
  const before = performance.now()
  const guesses = []
  for (let at = 0; at < 30; at++) {
    expect((await first.get('/organizations', { apiKey, headers })).status).toBe(200)
    guesses.push((await first.get('/organizations', { apiKey: `guess-${at}`, headers })).status)
  }
  const failed = guesses.filter((status) => status === 401).length
  expect(failed).toBeGreaterThanOrEqual(1)
  expect(failed).toBeLessThanOrEqual(guessesWithin(performance.now() - before))
})

test('a neighbour’s guesses lock out no key, used or not, and no token, at a process that meets them first', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.70' }
  const apiKey = await createNeighbour('Used elsewhere')
  const unused = await createNeighbour('Never used')
  const token = (await first.post('/auth/token', undefined, { apiKey, headers })).body.access_token
  await first.app.credentials.recordUses()
  await second.get('/organizations', { apiKey: 'first guess', headers })
  expect((await second.get('/organizations', { apiKey: 'guess', headers })).status).toBe(429)
  expect((await second.get('/organizations', { apiKey: unused, headers })).status).toBe(200)
  expect((await second.get('/organizations', { apiKey: token, headers })).status).toBe(200)
  expect((await second.get('/organizations', { apiKey, headers })).status).toBe(200)
})

test('guesses are counted per IPv6 network', async () => {
  const status = async (address: string) =>
    (await first.get('/version-x', { apiKey: 'guess', headers: { 'x-forwarded-for': address } })).status
  const statuses = []
  for (const address of ['2001:db8::1', '2001:db8:0:0:5::2', '2001:db8::ffff:4']) {
    statuses.push(await status(address))
  }
  expect(statuses).toEqual([401, 429, 429])
  expect(await status('2001:db8:0:1::1')).toBe(401)
})

const id = '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a16'
const refusedOf = (answers: { status: number; body: { message?: string } }[]) =>
  answers.filter(({ status }) => status === 429).map(({ body }) => body.message ?? '')

test.each([
  ['long pages', 'counts as 4', (apiKey: string) => first.get('/transactions?pageSize=100', { apiKey })],
  ['a list of all', 'counts as 10', (apiKey: string) => first.get('/automation-rules', { apiKey })],
  ['searches', 'counts as 5', (apiKey: string) => first.get('/audit?act=webhook.changed', { apiKey })],
  ['filters', 'counts as 5', (apiKey: string) => first.get('/quotes?createdFrom=2026-01-01T00:00:00Z', { apiKey })],
  [
    'two ids',
    'counts as 5',
    (apiKey: string) => first.get(`/deposits?customerId=${id}&transactionId=${id}`, { apiKey }),
  ],
  [
    'searches of all',
    'counts as 14',
    (apiKey: string) => first.get(`/automation-rules?customerId=${id}&status=ACTIVE`, { apiKey }),
  ],
  ['inclusions', 'counts as 5', (apiKey: string) => first.get('/transactions?expand=customer', { apiKey })],
  [
    'large bodies',
    'counts as 4',
    (apiKey: string) => first.post('/api-keys', { name: 'a'.repeat(3 * 1024 ** 2) }, { apiKey }),
  ],
])('%s use up the limit of their organization sooner, and no other’s', async (_what, counts, send) => {
  const [apiKey, neighbour] = [await createNeighbour('Heavy'), await createNeighbour('Light')]
  // Fewer than the limit of 60 small requests.
  const refused = refusedOf(await Promise.all(Array.from({ length: 40 }, () => send(apiKey))))
  expect(refused.length).toBeGreaterThan(0)
  for (const message of refused) expect(message).toContain(counts)
  const small = await Promise.all(Array.from({ length: 40 }, () => first.get('/organizations', { apiKey: neighbour })))
  expect(refusedOf(small)).toEqual([])
})

test('a body of unknown length counts when it has arrived, before it has an effect', async () => {
  const apiKey = await createNeighbour('Chunked')
  const piece = Buffer.alloc(1024 ** 2, 'a')
  const send = () => {
    const pieces = [Buffer.from('{"name":"'), ...new Array<Buffer>(10).fill(piece), Buffer.from('"}')]
    const rawBody = new ReadableStream({
      pull: (controller) => {
        const next = pieces.shift()
        if (next) controller.enqueue(next)
        else controller.close()
      },
    })
    return first.call('POST', '/api-keys', { apiKey, rawBody, headers: { 'content-type': 'application/json' } })
  }
  const answers = await Promise.all(Array.from({ length: 10 }, send))
  expect(refusedOf(answers).length).toBeGreaterThan(0)
})

test('a request that does not fit takes nothing of what is left', async () => {
  const { organizationId } = await first.app.organizations.create({
    name: 'Partly used',
    tier: 'BUILDER',
    parentOrganizationId: null,
  })
  const take = (least: number) => takeTokens(first.app.database, organizationId, { wanted: least, least }, 3)
  expect(await take(4)).toEqual({ granted: 0, remaining: 3 })
  expect(await take(4)).toEqual({ granted: 0, remaining: 3 })
  expect(await take(3)).toMatchObject({ granted: 3 })
})
