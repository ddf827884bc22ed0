import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createQuote, makeAccounts, makeActive, quoteBody, waitForRates } from '../../support/money/quotes.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'

const api = await startApi(
  { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0' },
  { database: await makeDatabaseWithAddresses() },
)
const worker = await api.app.startWorker()
await waitForRates(api)
const ada = await makeActive(api, 'US')
const { bank, wallet } = await makeAccounts(api, ada)
await worker.stop()

const wish = {
  customerId: ada.customerId,
  from: [bank, 'USD', 'ACH', '100.00'],
  to: [wallet, 'USDC', 'BASE'],
} as const
const { organizationId } = ada

/** Holds the lock of a key, as another process does while it answers a replay. */
async function whileHeld<Result>(path: string, key: string, act: () => Promise<Result>): Promise<Result> {
  return openForTest(api.database.app).inTx(async (tx) => {
    await tx.query({
      text: `select pg_advisory_xact_lock(hashtextextended(
                      concat_ws(e'\\x1f', 'idempotency key', $1::uuid, $2::text, $3::text), 0))`,
      values: [organizationId, `POST ${path}`, key],
    })
    return act()
  })
}

test.each([
  ['/transactions', async () => ({ quoteId: (await createQuote(api, wish)).quoteId }), { externalId: 'other' }],
  ['/quotes', async () => quoteBody(wish), { externalId: 'other' }],
  ['/api-keys', async () => ({ name: 'Replayed', scopes: ['quotes:read'] }), { name: 'Other' }],
])('a stored answer of POST %s is repeated while another process holds its key', async (path, makeBody, change) => {
  const [key, unused, body] = [newId(), newId(), await makeBody()]
  const send = (idempotencyKey: string, more = {}) =>
    api.post(path, { ...body, ...more }, { headers: { 'x-idempotency-key': idempotencyKey } })
  const first = await send(key)
  expect(first.status).toBe(201)
  const again = await whileHeld(path, key, () => send(key))
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  const { apiKey: _, ...shown } = first.body
  expect(again.body).toEqual(shown)
  const other = await whileHeld(path, key, () => send(key, change))
  expect([other.status, other.body.error]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  // Nothing is stored for this key, so its holder may still act.
  const running = await whileHeld(path, unused, () => send(unused))
  expect([running.status, running.body.error]).toEqual([409, 'IDEMPOTENCY_REQUEST_IN_PROGRESS'])
})

const sendQuote = (key: string, body: object) => api.post('/quotes', body, { headers: { 'x-idempotency-key': key } })

test('a key that is stored while a quote is being inserted is answered with the first quote', async () => {
  const body = quoteBody(wish)
  const [first, raced, fresh] = [newId(), newId(), newId()]
  const made = await sendQuote(first, body)
  const owner = openForTest({ connection: api.database.owner })
  const countQuotes = async () => {
    const [row] = await owner.query<{ count: number }>({ text: 'select count(*)::int as count from svc.quotes' })
    return row?.count ?? Number.NaN
  }
  const before = await countQuotes()
  let answers: ReturnType<typeof api.post>[] = []
  await openForTest(api.database.app).inTx(async (tx) => {
    // Stored by another process while the statement runs, which waits for it in the unique index.
    await tx.query({
      text: `insert into svc.idempotency_keys (organization_id, route, idempotency_key, fingerprint, status, quote_id,
                    resource_organization_id)
             select organization_id, route, $3, fingerprint, status, quote_id, resource_organization_id
               from svc.idempotency_keys
              where organization_id = $1 and route = 'POST /quotes' and idempotency_key = $2`,
      values: [organizationId, first, raced],
    })
    answers = [sendQuote(raced, body), sendQuote(fresh, body)]
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await owner.query({ text: waiting })).length).toBeGreaterThan(0)
  })
  const [repeated, other] = await Promise.all(answers)
  expect([repeated?.status, repeated?.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(repeated?.body).toEqual(made.body)
  expect([other?.status, other?.headers.get('idempotent-replayed')]).toEqual([201, null])
  expect(await countQuotes()).toBe(before + 1)
})
