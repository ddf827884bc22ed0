import { expect, test } from 'vitest'
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
