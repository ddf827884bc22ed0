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
