import { expect, test } from 'vitest'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi()
const read = (path: string, headers: Record<string, string> = {}, from = api) =>
  fetch(`${from.baseUrl}${path}`, { headers: { 'accept-encoding': 'identity', ...headers } })

test.each(['/openapi.json', '/docs/js/scalar.js'])('%s is sent compressed, and once', async (path) => {
  const plain = await read(path)
  const bytes = Buffer.from(await plain.arrayBuffer())
  expect(plain.headers.get('content-encoding')).toBe(null)
  expect(plain.headers.get('vary')).toBe('accept-encoding')
  for (const encoding of ['gzip', 'br']) {
    // The client unpacks the answer. The header tells its size on the way.
    const packed = await read(path, { 'accept-encoding': encoding })
    expect(packed.headers.get('content-encoding')).toBe(encoding)
    expect(Number(packed.headers.get('content-length'))).toBeLessThan(bytes.length / 3)
    expect(Buffer.from(await packed.arrayBuffer()).equals(bytes)).toBe(true)
    const again = await read(path, {
      'accept-encoding': encoding,
      'if-none-match': packed.headers.get('etag') ?? '',
    })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  }
  const other = await read(path, { 'if-none-match': '"another"' })
  expect(other.status).toBe(200)
  expect((await read(path, { 'accept-encoding': 'gzip;q=0' })).headers.get('content-encoding')).toBe(null)
})

test('the document is built once, and browsers keep the script of /docs for a day', async () => {
  const etag = (await read('/openapi.json')).headers.get('etag') ?? ''
  const before = process.cpuUsage()
  for (let at = 0; at < 30; at++) expect((await read('/openapi.json', { 'if-none-match': etag })).status).toBe(304)
  const { user, system } = process.cpuUsage(before)
  // A new document takes 50 ms.
  expect((user + system) / 1_000 / 30).toBeLessThan(20)
  expect((await read('/docs/js/scalar.js')).headers.get('cache-control')).toBe('public, max-age=86400')
})

test('an address that reads public routes without end is refused, its neighbour and its own calls are not', async () => {
  const limited = await startApi({ SVC_RATE_LIMIT_PUBLIC: '1', SVC_TRUSTED_PROXIES: '127.0.0.1' })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const statuses: number[] = []
  for (const path of ['/version', '/openapi.json', '/docs', '/changelog', '/favicon.ico'])
    statuses.push((await read(path, from('203.0.113.7'), limited)).status)
  expect(statuses).toEqual([200, 429, 429, 429, 429])
  const refused = await read('/version', from('203.0.113.7'), limited)
  expect(await refused.json()).toMatchObject({ error: 'RATE_LIMITED' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await read('/version', from('203.0.113.8'), limited)).status).toBe(200)
  expect((await limited.get('/organizations', { headers: from('203.0.113.7') })).status).toBe(200)
  // A callback needs no credential: its signature is checked once its body is there.
  const callback = {
    method: 'POST',
    body: '{}',
    headers: { ...from('203.0.113.7'), 'content-type': 'application/json' },
  }
  expect((await fetch(`${limited.baseUrl}/verification/callbacks`, callback)).status).toBe(429)
  for (let probe = 0; probe < 5; probe += 1)
    expect((await read('/livez', from('203.0.113.7'), limited)).status).toBe(200)
})
