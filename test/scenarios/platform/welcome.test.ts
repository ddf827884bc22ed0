import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, onTestFinished, test } from 'vitest'
import { guides } from '../../../src/http/openapi/introduction.ts'
import { refusals } from '../../../src/lib/refusal.ts'
import { eventPayloads } from '../../../src/wiring/event-payloads.ts'
import { startBrowser } from '../../support/browser/browser.ts'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi()
api.app.processState.localKey = api.apiKey
const { port, host } = new URL(api.baseUrl)

/** Sends a request with exactly these headers, as no browser or fetch would. */
function get(path: string, headers: Record<string, string> = {}, to = api.baseUrl) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const sent = request(`${to}${path}`, { headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
    })
    sent.on('error', reject).end()
  })
}

test('the welcome page of a sandbox links everything and shows the key to this machine', async () => {
  const page = await get('/')
  expect(page.status).toBe(200)
  expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' })
  expect(page.text).toContain(api.apiKey)
  for (const [, target = ''] of page.text.matchAll(/href="(\/[^"#]*)/g)) expect((await get(target)).status).toBe(200)
  const named = await get('/', { host: `localhost:${port}`, 'sec-fetch-site': 'none' })
  expect(named.text).toContain(api.apiKey)
})

test.each([
  ['a proxy that names the client', { 'x-forwarded-for': '203.0.113.9' }],
  ['a proxy that names a client of this machine', { 'x-forwarded-for': '127.0.0.1' }],
  ['a proxy by the standard header', { forwarded: 'for=203.0.113.9' }],
  ['a proxy that names itself', { via: '1.1 proxy' }],
  ['a proxy that names the address', { 'x-real-ip': '203.0.113.9' }],
  ['a foreign name that leads here (DNS rebinding)', { host: `rebound.example.com:${port}` }],
  ['a foreign name with the port of another service', { host: 'localhost:1' }],
  ['a host without a port', { host: 'localhost' }],
  ['a name that begins like ours', { host: `localhost.example.com:${port}` }],
  ['a link on a foreign page', { 'sec-fetch-site': 'cross-site' }],
  ['a proxy that closes each connection', { host: `127.0.0.1:${port}`, connection: 'close' }],
  ['a page on another port of this machine', { 'sec-fetch-site': 'same-site' }],
])('the key is not shown to %s', async (_name, headers) => {
  const page = await get('/', headers)
  expect(page.status).toBe(200)
  expect(page.text).toContain('Welcome')
  expect(page.text).not.toContain('svc_test_')
})

test('the key is not shown to a proxy of HTTP 1.0', async () => {
  const socket = connect(Number(port), '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  socket.end(`GET / HTTP/1.0\r\nhost: ${host}\r\nconnection: keep-alive\r\n\r\n`)
  await once(socket, 'close')
  expect(text).toContain('Welcome')
  expect(text).not.toContain('svc_test_')
})

test('behind configured proxies, under a public address and without a local key, no key is shown', async () => {
  for (const settings of [{ SVC_TRUSTED_PROXIES: '10.0.0.0/8' }, { SVC_PUBLIC_URL: 'http://pay.example.com' }]) {
    const other = await startApi(settings)
    other.app.processState.localKey = other.apiKey
    expect((await get('/', {}, other.baseUrl)).text).not.toContain('svc_test_')
  }
  api.app.processState.localKey = undefined as never
  expect((await get('/')).text).not.toContain('svc_test_')
  api.app.processState.localKey = api.apiKey
})

test('every guide is readable without scripts, and its links lead somewhere', async () => {
  for (const { name, title } of guides) {
    const page = await get(`/docs/guides/${name}`)
    expect([name, page.status]).toEqual([name, 200])
    expect(page.text).toMatch(/<h1 /)
    expect(page.text).toContain(title)
    expect(page.text).not.toMatch(/<script|```|\]\(/)
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
    const ids = new Set([...page.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    for (const [, target = ''] of page.text.matchAll(/href="#([^"]+)"/g)) expect([...ids]).toContain(target)
  }
  for (const path of ['/docs/guides/none', '/docs/guides/']) {
    const none = await get(path)
    expect([none.status, JSON.parse(none.text).message]).toEqual([404, expect.stringMatching('names no operation')])
  }
})

test('the event catalog has every event type with a payload, and the errors every code', async () => {
  const events = (await get('/docs/guides/events')).text
  for (const type of Object.keys(eventPayloads)) expect(events).toContain(`<details id="${type}">`)
  expect(events).toContain('&#34;organizationId&#34;')
  const errors = (await get('/docs/guides/errors')).text
  for (const [code, status] of Object.entries(refusals))
    expect(errors).toContain(`<td>${status}</td><td><code>${code}</code></td>`)
})

test('the pages pass the checks of accessibility and break no policy of their own', async () => {
  const browser = await startBrowser()
  for (const path of ['/', '/docs/guides', '/docs/guides/quickstart', '/docs/guides/events', '/docs/guides/errors']) {
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
    page.on('request', (asked) => void (new URL(asked.url()).host !== host && problems.push(asked.url())))
    await page.goto(`${api.baseUrl}${path}`)
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => `${path} ${id} ${nodes[0]?.html}`)).toEqual([])
    expect(problems).toEqual([])
  }
})

test('the button copies the key', async () => {
  const browser = await startBrowser()
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${api.baseUrl}/`)
  await page.getByRole('button', { name: 'Copy the key' }).click()
  await page.getByText('Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(api.apiKey)
})
