import sharp from 'sharp'
import { expect, test } from 'vitest'
import { startApi } from '../../support/runner/api.ts'
import { makeDatabase } from '../../support/runner/database.ts'
import { readMetric } from '../../support/runner/metrics.ts'

const api = await startApi({}, { database: await makeDatabase({ areChecksDue: true }) })
const open = { apiKey: null }

test.each(['/livez', '/readyz', '/version', '/changelog', '/openapi.json', '/metrics', '/docs/'])(
  '%s is public',
  async (path) => {
    expect((await api.get(path, open)).status).toBe(200)
  },
)

test('the icon is public, 32 by 32 pixels, and cacheable', async () => {
  const answer = await fetch(`${api.baseUrl}/favicon.ico`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/x-icon'])
  expect(answer.headers.get('cache-control')).toBe('public, max-age=86400')
  const file = Buffer.from(await answer.arrayBuffer())
  const [start, length] = [file.readUInt32LE(18), file.readUInt32LE(14)]
  expect([...file.subarray(0, 8), start + length]).toEqual([0, 0, 1, 0, 1, 0, 32, 32, file.length])
  const image = await sharp(file.subarray(start)).raw().toBuffer({ resolveWithObject: true })
  expect(image.info).toMatchObject({ width: 32, height: 32, channels: 4 })
  expect([...image.data.subarray(0, 4)]).toEqual([0, 0, 0, 0])
})

test.each(['/favicon.ico/', '/favicon.icon', '/favicon.png'])('%s is an ordinary path', async (path) => {
  expect((await api.get(path, open)).status).toBe(401)
})

test('the version shows program, environment and contract', async () => {
  expect((await api.get('/version', open)).body).toMatchObject({
    name: 'svc',
    environment: 'sandbox',
    apiVersion: '2025-11-21',
  })
})

test('the changelog is the contract’s dated log, newest first, labeled v1.0.0', async () => {
  const { entries } = (await api.get('/changelog', open)).body
  expect(entries.map((entry) => entry.date)).toEqual(['2025-11-21', '2025-11-19', '2025-11-07'])
  expect(entries.every((entry) => entry.label === 'v1.0.0')).toBe(true)
})

test('each request leaves one log line, with its route and never its address', async () => {
  const before = api.logs.length
  await api.get('/organizations?pageSize=7', { headers: { 'x-request-id': 'watched' } })
  const lines = api.logs.slice(before).map((line) => JSON.parse(line))
  expect(lines.filter((line) => line.requestId === 'watched')).toEqual([
    expect.objectContaining({
      level: 'info',
      method: 'GET',
      route: '/organizations',
      status: 200,
      organizationId: expect.any(String),
    }),
  ])
  expect(api.logs.join('')).not.toContain('pageSize')
})

test('metrics count requests by route pattern', async () => {
  await api.get('/organizations/0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11')
  const text = (await api.get('/metrics', open)).body
  expect(text).toContain(
    'svc_http_request_seconds_count{method="GET",route="/organizations/:organizationId",status="404"} 1',
  )
  expect(text).toMatch(/process_resident_memory_bytes \d/)
})

test('browsers may not cache, frame or sniff answers', async () => {
  const { headers } = await api.get('/organizations')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
})

test('metrics show how many invariants the last check found violated', async () => {
  const violated = () => readMetric(api, 'svc_invariants_violated')
  expect(await violated()).toMatch(/^nan$/i)
  const worker = await api.app.startWorker()
  await expect.poll(violated).toBe('0')
  await worker.stop()
})

test('metrics show how many keys wait for the current master key', async () => {
  expect(await readMetric(api, 'svc_keys_to_rewrap')).toBe('0')
})
