import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { createCustomer } from '../../support/customers/customers.ts'
import { expectAccessible, startForms } from '../../support/forms/form-visitor.ts'
import { readQrCode } from '../../support/forms/qr-code.ts'

const { api, open, visit } = await startForms()

/** A site of an integrator. `localhost` and 127.0.0.1 are two sites to a browser, so its frame is a foreign one. */
async function startSite(host = 'localhost') {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`<!doctype html><html lang="en"><title>Integrator</title><main><h1>Integrator</h1><div id="here"></div></main>
<script src="${api.baseUrl}/forms/embed/v1.js"></script>`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  afterAll(() => server.close())
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

type Told = { type: string; status?: string; height?: number }

/** Opens a page of a site, and the form in it with the script of the service. */
async function embed(site: string, link: string | undefined, lang = 'en') {
  const { page } = await visit(site)
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  const options = JSON.stringify({ link, lang })
  await page.evaluate(`window.told = []; window.raw = []; addEventListener('message', ({ origin }) => raw.push(origin));
    window.form = SvcForms.open({ ...${options}, container: document.querySelector('#here'), onMessage: (each) => told.push(each) })`)
  const told = (type: string) => page.evaluate<Told[]>(`told.filter((each) => each.type === '${type}')`)
  return { page, told, refused, frame: page.frameLocator('iframe') }
}

const title = (frame: FrameLocator, name: string) => frame.getByRole('heading', { level: 1, name }).waitFor()
const heightOf = (page: Page) => page.evaluate<number>(`document.querySelector('iframe').offsetHeight`)
const own = (await api.get('/organizations')).body.organizations.at(0)?.organizationId
const setOrigins = (allowedOrigins: string[], branding = {}) =>
  api.call('PATCH', `/organizations/${own}`, { body: { allowedOrigins, branding } })

const [allowed, foreign] = [await startSite(), await startSite()]

test('an allowed site shows the form in a frame, which tells it height and status', async () => {
  await setOrigins([allowed], { displayName: 'Example Pay', primaryColor: '#767676' })
  const customer = await createCustomer(api, { firstName: 'Ada' })
  const { page, told, frame } = await embed(allowed, customer.verificationLink)
  await title(frame, 'Where do you live?')
  await frame.getByText('Example Pay').waitFor()
  await expect.poll(() => told('status')).toEqual([expect.objectContaining({ status: 'CREATED' })])
  expect(await page.evaluate('[...new Set(raw)]')).toEqual([new URL(api.baseUrl).origin])
  // The frame is as high as the form, and follows it.
  await expect.poll(async () => (await told('height')).at(-1)?.height).toBeGreaterThan(300)
  await expect.poll(async () => heightOf(page)).toBe(Math.ceil((await told('height')).at(-1)?.height ?? 0))
  const first = await heightOf(page)
  await frame.getByLabel('Country where you live').selectOption('US')
  await frame.getByLabel('Nationality').selectOption('US')
  await frame.getByRole('button', { name: 'Continue' }).click()
  await title(frame, 'About you')
  await expect.poll(() => heightOf(page)).toBeGreaterThan(first)
  // The session lives in a cookie that the browser keeps for this pair of sites alone.
  const cookies = await page.context().cookies()
  expect(cookies.filter(({ name }) => name === 'svc_form_frame')).toMatchObject([
    { sameSite: 'None', secure: true, partitionKey: expect.stringContaining('localhost') },
  ])
  // A message of another window changes nothing.
  const before = (await told('status')).length
  await page.evaluate(`postMessage({ source: 'svc-form', type: 'status', status: 'ACTIVE' }, '*')`)
  await frame.getByRole('link', { name: 'العربية' }).click()
  await title(frame, 'بياناتكم الشخصية')
  expect((await told('status')).length).toBe(before)
  await expectAccessible(page)
})

test('a frame without a camera hands the form over to a phone, or to a window', async () => {
  await setOrigins([allowed])
  const customer = await createCustomer(api, {})
  const { page, frame } = await embed(allowed, customer.verificationLink)
  await title(frame, 'Where do you live?')
  const inside = page.frames().find((each) => each.url().startsWith(api.baseUrl))
  await inside?.evaluate(`location.hash = '#/document'`)
  await title(frame, 'Identity document')
  await frame.getByRole('button', { name: 'Take the photos with your phone instead' }).click()
  const code = await frame.getByRole('img', { name: 'QR code with the address of this form' }).getAttribute('src')
  expect(readQrCode(decodeURIComponent(code ?? ''))).toBe(customer.verificationLink)
  const link = frame.getByRole('link', { name: 'Open the form in a window of its own' })
  expect(await link.getAttribute('href')).toBe(customer.verificationLink)
  // Leaving is told to the page around.
  await frame.getByRole('button', { name: 'Leave this form' }).click()
  await title(frame, 'Open your link again')
  await expect.poll(() => page.evaluate<Told>('told.at(-1)')).toMatchObject({ source: 'svc-form' })
  expect(await page.evaluate(`told.some(({ type }) => type === 'ended')`)).toBe(true)
})

test('another site cannot show the form, also under the name of an allowed one', async () => {
  await setOrigins([allowed])
  const { verificationLink } = await createCustomer(api, {})
  const own = await embed(foreign, verificationLink)
  await expect.poll(() => own.refused.join()).toMatch(/frame-ancestors|X-Frame-Options/i)
  expect(await own.page.evaluate('[told, raw]')).toEqual([[], []])
  const borrowed = await visit(foreign)
  const refused: string[] = []
  borrowed.page.on('console', (message) => refused.push(message.text()))
  const source = `${verificationLink}?parent=${encodeURIComponent(allowed)}`
  await borrowed.page.evaluate(`window.raw = []; addEventListener('message', ({ origin }) => raw.push(origin));
    document.querySelector('#here').innerHTML = '<iframe src="${source}"></iframe>'`)
  await expect.poll(() => refused.join()).toMatch(/frame-ancestors/)
  expect(await borrowed.page.evaluate('raw')).toEqual([])
})

test('the policy of a page names its parent alone, and the script has a fixed address', async () => {
  await setOrigins([allowed, 'https://app.example.com'])
  const { verificationLink } = await createCustomer(api, {})
  const ask = (address: string, cookie = '') => fetch(address, { redirect: 'manual', headers: { cookie } })
  const exchanged = await ask(`${verificationLink}?parent=https://app.example.com`)
  expect(exchanged.headers.get('location')).toBe('/forms/verify?parent=https%3A%2F%2Fapp.example.com')
  const cookie = exchanged.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/; Path=\/forms; HttpOnly; SameSite=None; Partitioned; Max-Age=1800; Secure$/)
  const page = await ask(`${api.baseUrl}/forms/verify?parent=https://app.example.com`, cookie.split(';')[0])
  expect(page.headers.get('content-security-policy')).toContain('frame-ancestors https://app.example.com')
  expect(page.headers.get('x-frame-options')).toBeNull()
  const other = await ask(`${verificationLink}?parent=https://other.example.com`)
  expect([other.status, other.headers.get('x-frame-options')]).toEqual([403, 'DENY'])
  expect(other.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(other.headers.get('set-cookie')).toBeNull()
  const script = await ask(`${api.baseUrl}/forms/embed/v1.js`)
  expect(script.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect((await script.text()).length).toBeLessThanOrEqual(3_072)
})

test('a color is readable on every page, and one that cannot be read is refused with its field', async () => {
  await setOrigins([], { primaryColor: '#767676' })
  const { page } = await open()
  expect(await page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--accent')`)).toBe('#6f6f6f')
  await expectAccessible(page)
  const answer = await setOrigins([], { primaryColor: '#8db4ff' })
  expect(answer).toMatchObject({ status: 400, body: { error: 'BAD_REQUEST' } })
  expect(JSON.stringify(answer.body)).toContain('"field":"branding.primaryColor"')
})
