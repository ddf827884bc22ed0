import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { makeAccounts, makeActive, quoteBody, waitForRates } from '../../support/money/quotes.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { type Answer, startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'

const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0' })
await fillAddressPool(api.database)
const worker = await api.app.startWorker()
afterAll(() => worker.stop())
await waitForRates(api)
const ada = await makeActive(api, 'US')
const { customerId } = ada
const { bank, wallet } = await makeAccounts(api, ada)

const wish = (amount: string, customer = customerId) =>
  quoteBody({ customerId: customer, from: [bank, 'USD', 'ACH', amount], to: [wallet, 'USDC', 'BASE'] })
const send = (key: string, body: object) => api.post('/quotes', body, { headers: { 'x-idempotency-key': key } })
const count = async (): Promise<number> => {
  const text = 'select count(*)::int as count from svc.quotes where customer_id = $1'
  const [row] = await openForTest(api.database.app).query<{ count: number }>({ text, values: [customerId] })
  return row?.count ?? -1
}
const codeOf = ({ status, body }: Answer) => (status === 201 ? 201 : body.error)

test('requests with keys at once: each has the outcome that it would have alone', async () => {
  const before = await count()
  const good = Array.from({ length: 40 }, (_, number) => ({ key: `good-${number}`, body: wish(`${number + 10}.00`) }))
  const bad = Array.from({ length: 12 }, (_, number) => [
    { key: `unknown-${number}`, body: wish('10.00', newId()), code: 'NOT_FOUND' },
    { key: `small-${number}`, body: wish('0.01'), code: 'AMOUNT_BELOW_MINIMUM' },
  ]).flat()
  const [first, second] = await Promise.all([
    Promise.all(good.map(({ key, body }) => send(key, body))),
    Promise.all(bad.map(({ key, body }) => send(key, body))),
  ])
  expect(first.map(codeOf)).toEqual(good.map(() => 201))
  expect(second.map(codeOf)).toEqual(bad.map(({ code }) => code))
  expect(await count()).toBe(before + good.length)
  const again = await Promise.all(good.map(({ key, body }) => send(key, body)))
  expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body))
  expect(again.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(good.map(() => 'true'))
  expect(await count()).toBe(before + good.length)
  // Nothing was stored for a refused request: its key is free.
  expect((await send('small-0', wish('10.00'))).status).toBe(201)
})

test('a key that several requests at once carry has one effect', async () => {
  const before = await count()
  const keys = Array.from({ length: 8 }, () => newId())
  const answers = await Promise.all(
    keys.flatMap((key) => [
      ...Array.from({ length: 6 }, () => send(key, wish('20.00'))),
      ...Array.from({ length: 2 }, () => send(key, wish('21.00'))),
    ]),
  )
  expect(await count()).toBe(before + keys.length)
  const allowed = [201, 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_REQUEST_IN_PROGRESS']
  expect(answers.map(codeOf).filter((code) => !allowed.includes(code ?? ''))).toEqual([])
  for (const place of keys.keys()) {
    const made = answers.slice(place * 8, place * 8 + 8).filter(({ status }) => status === 201)
    expect(new Set(made.map(({ body }) => body.quoteId)).size).toBe(1)
  }
})

test('a repeated request gets the bytes of the first answer, with and without a guarantee', async () => {
  const bodies = [
    wish('30.00'),
    { ...wish('31.00'), guaranteeQuote: true },
    { ...wish('32.00'), externalId: `"\\ $1 é` },
    { ...wish('33.00'), metadata: { note: 'a "b" c', order: '7' }, externalId: 'thirty-three' },
    {
      ...quoteBody({ customerId, from: [wallet, 'USDC', 'BASE', '34.5'], to: [bank, 'USD', 'ACH'] }),
      developerFee: { developerFeeType: 'SOURCE_CURRENCY', developerFeeAmount: '1.25' },
    },
  ]
  for (const body of bodies) {
    const headers = { authorization: `Bearer ${api.apiKey}`, 'content-type': 'application/json' }
    const ask = (key: string) =>
      fetch(`${api.baseUrl}/quotes`, {
        method: 'POST',
        headers: { ...headers, 'x-idempotency-key': key },
        body: JSON.stringify(body),
      })
    const key = newId()
    const first = await ask(key)
    expect(first.status).toBe(201)
    const again = await ask(key)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await again.text()).toBe(await first.text())
  }
})

test('the first answer comes before what is wrong with the request today', async () => {
  const body = { ...wish('40.00'), externalId: 'forty' }
  const first = await send('before-1', body)
  expect(first.status).toBe(201)
  // Its external id is taken, by itself; its account is unknown; its amount has no price.
  const unknown = quoteBody({ customerId, from: [newId(), 'USD', 'ACH', '40.00'], to: [wallet, 'USDC', 'BASE'] })
  const again = await Promise.all([send('before-1', body), send('before-1', unknown), send('before-1', wish('0.01'))])
  expect(again.map(codeOf)).toEqual([201, 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_REUSED'])
  expect(again[0]?.body).toEqual(first.body)
})

test('repeated requests among new ones: neighbours get their quotes, and no request has two', async () => {
  const old = Array.from({ length: 12 }, (_, number) => ({ key: `mixed-${number}`, body: wish(`${number + 50}.00`) }))
  const first = await Promise.all(old.map(({ key, body }) => send(key, body)))
  const before = await count()
  for (const round of [1, 2, 3]) {
    const fresh = old.map(({ body }, number) => ({ key: `mixed-${round}-${number}`, body }))
    const mixed = old.flatMap((each, number) => [each, fresh[number] ?? each])
    const answers = await Promise.all(mixed.map(({ key, body }) => send(key, body)))
    const [repeated, made] = [answers.filter((_, at) => at % 2 === 0), answers.filter((_, at) => at % 2 === 1)]
    expect(repeated.map(({ body }) => body)).toEqual(first.map(({ body }) => body))
    expect(made.map(codeOf)).toEqual(fresh.map(() => 201))
    expect(made.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(fresh.map(() => null))
    expect(await count()).toBe(before + round * fresh.length)
  }
})

test('the first answer of a customer who was stopped since is repeated', async () => {
  const bob = await makeActive(api, 'US')
  const own = await makeAccounts(api, bob)
  const ends = { from: [own.bank, 'USD', 'ACH', '10.00'], to: [own.wallet, 'USDC', 'BASE'] } as const
  const body = quoteBody({ customerId: bob.customerId, ...ends })
  const first = await send('stopped-1', body)
  expect(first.status).toBe(201)
  expect((await api.post(`/customers/${bob.customerId}/deactivate`, { reason: 'a test' })).status).toBe(200)
  expect((await send('stopped-2', body)).body.error).toBe('CUSTOMER_NOT_ACTIVE')
  const again = await send('stopped-1', body)
  expect([again.status, again.body]).toEqual([201, first.body])
})
