import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { brandOf } from '../../../src/forms/embedding/brand.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { createPending, fillAch, saveAccount } from '../../support/forms/bank-form.ts'
import { expectAccessible, heading, press, startForms } from '../../support/forms/form-visitor.ts'
import {
  embed,
  expectFrameAccessible,
  expectRefused,
  innerOf,
  setOrigins,
  startSite,
  type Told,
  titleOf,
} from '../../support/forms/frames.ts'
import { readQrCode } from '../../support/forms/qr-code.ts'

const { api, open, visit } = await startForms()

const heightOf = (page: Page) => page.evaluate<number>(`document.querySelector('iframe').offsetHeight`)

const [allowed, foreign] = [await startSite(api), await startSite(api)]
const show = async (site: string, link: string | undefined) => embed(await visit(site), link)

test('an allowed site shows the form in a frame, which tells it height and status', async () => {
  await setOrigins(api, [allowed], { displayName: 'Example Pay', primaryColor: '#767676' })
  const customer = await createCustomer(api, { firstName: 'Ada' })
  const { page, told, origins, frame } = await show(allowed, customer.verificationLink)
  await titleOf(frame, 'Where do you live?')
  await frame.getByText('Example Pay').waitFor()
  await expect.poll(() => told('status')).toEqual([expect.objectContaining({ status: 'CREATED' })])
  expect(await origins()).toEqual([new URL(api.baseUrl).origin])
  // The frame is as high as the form, and follows it.
  await expect.poll(async () => (await told('height')).at(-1)?.height).toBeGreaterThan(300)
  await expect.poll(async () => heightOf(page)).toBe(Math.ceil((await told('height')).at(-1)?.height ?? 0))
  const first = await heightOf(page)
  await frame.getByLabel('Country where you live').selectOption('US')
  await frame.getByLabel('Nationality').selectOption('US')
  await frame.getByRole('button', { name: 'Continue' }).click()
  await titleOf(frame, 'About you')
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
  await titleOf(frame, 'بياناتكم الشخصية')
  expect((await told('status')).length).toBe(before)
  await expectAccessible(page)
})

test('a frame without a camera hands the form over to a phone, or to a window', async () => {
  await setOrigins(api, [allowed])
  const customer = await createCustomer(api, {})
  const { page, frame } = await show(allowed, customer.verificationLink)
  await titleOf(frame, 'Where do you live?')
  const inside = page.frames().find((each) => each.url().startsWith(api.baseUrl))
  await inside?.evaluate(`location.hash = '#/document'`)
  await titleOf(frame, 'Identity document')
  await frame.getByRole('button', { name: 'Take the photos with your phone instead' }).click()
  const code = await frame.getByRole('img', { name: 'QR code with the address of this form' }).getAttribute('src')
  expect(readQrCode(decodeURIComponent(code ?? ''))).toBe(customer.verificationLink)
  const link = frame.getByRole('link', { name: 'Open the form in a window of its own' })
  expect(await link.getAttribute('href')).toBe(customer.verificationLink)
  // Leaving is told to the page around.
  await frame.getByRole('button', { name: 'Leave this form' }).click()
  await titleOf(frame, 'Open your link again')
  await expect.poll(() => page.evaluate<Told>('told.at(-1)')).toMatchObject({ source: 'svc-form' })
  expect(await page.evaluate(`told.some(({ type }) => type === 'ended')`)).toBe(true)
})

test('a page around that keeps the camera away gets a code for the phone at once', async () => {
  const blocking = await startSite(api, { headers: { 'permissions-policy': 'camera=()' } })
  await setOrigins(api, [blocking])
  const customer = await createCustomer(api, {})
  const phone = await visit(blocking, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 800 } })
  const { page, frame } = await embed(phone, customer.verificationLink)
  await titleOf(frame, 'Where do you live?')
  const inside = innerOf(page)
  expect(await inside.evaluate(`document.featurePolicy.allowsFeature('camera')`)).toBe(false)
  await inside.evaluate(`location.hash = '#/document'`)
  await titleOf(frame, 'Identity document')
  const code = frame.getByRole('img', { name: 'QR code with the address of this form' })
  expect(readQrCode(decodeURIComponent((await code.getAttribute('src')) ?? ''))).toBe(customer.verificationLink)
  await frame.getByRole('link', { name: 'Open the form in a window of its own' }).waitFor()
  // It takes the focus from nothing, and can be put away.
  expect(await inside.evaluate('document.activeElement?.closest(".qr")')).toBeNull()
  await expectFrameAccessible(inside)
  await frame.getByRole('button', { name: 'Close', exact: true }).click()
  await frame.getByRole('button', { name: 'Take the photos with your phone instead' }).waitFor()
})

test('another site cannot show the form, also under the name of an allowed one', async () => {
  await setOrigins(api, [allowed])
  const { verificationLink } = await createCustomer(api, {})
  await expectRefused(await show(foreign, verificationLink))
  const borrowed = await visit(foreign)
  const refused: string[] = []
  borrowed.page.on('console', (message) => refused.push(message.text()))
  const source = `${verificationLink}?parent=${encodeURIComponent(allowed)}`
  await borrowed.page.evaluate(`window.raw = []; addEventListener('message', ({ origin }) => raw.push(origin));
    document.querySelector('#here').innerHTML = '<iframe src="${source}"></iframe>'`)
  await expect.poll(() => refused.join()).toMatch(/frame-ancestors/)
  expect(await borrowed.page.evaluate('raw')).toEqual([])
})

test('the form of a bank account works in a frame, and an end of it does not end the one in a window', async () => {
  // Two ports of one host are one site to a browser: nothing keeps the frame and the window apart but their session.
  const near = await startSite(api, { host: '127.0.0.1' })
  await setOrigins(api, [near])
  const { link, id } = await createPending(api)
  const { page, told, frame } = await show(near, link)
  await titleOf(frame, 'Bank account')
  await expectFrameAccessible(innerOf(page))
  const alone = await page.context().newPage()
  await alone.goto(link)
  await fillAch(alone)
  await frame.getByRole('button', { name: 'Leave this form' }).click()
  await expect.poll(() => told('ended')).toHaveLength(1)
  expect(await told('status')).toMatchObject([{ status: 'OPEN' }])
  await saveAccount(alone)
  await heading(alone, 'The bank account is saved')
  expect((await api.get(`/payment-accounts/${id}`)).body).toMatchObject({ paymentAccountStatus: 'ACTIVE' })
  // The frame shows the saved account, and tells it.
  const saved = await show(near, link)
  await expect.poll(() => saved.told('status')).toMatchObject([{ status: 'SAVED' }])
  await expectFrameAccessible(innerOf(saved.page))
  await setOrigins(api, [allowed])
  await expectRefused(await show(near, link))
})

test('a language that is chosen while the customer leaves does not open the session again', async () => {
  const { link } = await createPending(api)
  const { page } = await visit(link)
  const [held, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/bank-account?lang=de', async (route) => {
    asked.resolve()
    await held.promise
    await route.continue().catch(() => undefined)
  })
  const left = page.waitForResponse(/api\/bank-account\/leave$/)
  await page.getByRole('link', { name: 'Deutsch' }).click()
  await asked.promise
  await press(page, 'Leave this form')
  await left
  held.resolve()
  await page.reload()
  await heading(page, 'Open your link again')
  expect((await page.context().cookies()).filter(({ name }) => name === 'svc_bank_form')).toEqual([])
})

test('the policy of a page names its parent alone, and the script has a fixed address', async () => {
  await setOrigins(api, [allowed, 'https://app.example.com'])
  const { verificationLink } = await createCustomer(api, {})
  const ask = (address: string, cookie = '') => fetch(address, { redirect: 'manual', headers: { cookie } })
  const exchanged = await ask(`${verificationLink}?parent=https://app.example.com`)
  const framed = '?parent=https%3A%2F%2Fapp.example.com'
  expect(exchanged.headers.get('location')).toBe(`${new URL(verificationLink ?? '').pathname}${framed}&again=`)
  const cookie = exchanged.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/; Path=\/forms; HttpOnly; SameSite=None; Partitioned; Max-Age=1800; Secure$/)
  // The page opens when the browser has brought the cookie back.
  const again = await ask(`${verificationLink}${framed}&again=`, cookie.split(';')[0])
  expect([again.status, again.headers.get('location')]).toEqual([303, `/forms/verify${framed}`])
  // Without it the customer gets a way out, also as a text for browsers that open no window.
  const lost = await ask(`${verificationLink}${framed}&lang=de&again=`)
  expect([lost.status, (await lost.text()).split(`>${verificationLink}?lang=de<`).length]).toEqual([401, 2])
  // A page that names no parent by mistake opens as in a window.
  const unnamed = await ask(`${verificationLink}?parent=`)
  expect(unnamed.headers.get('set-cookie')).toMatch(/^svc_form=/)
  const opened = await ask(`${api.baseUrl}/forms/verify?parent=`, unnamed.headers.get('set-cookie')?.split(';')[0])
  expect(opened.status).toBe(200)
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
  await setOrigins(api, [], { primaryColor: '#767676' })
  const { page } = await open()
  expect(await page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--accent')`)).toBe('#6f6f6f')
  await expectAccessible(page)
  const answer = await setOrigins(api, [], { primaryColor: '#8db4ff' })
  expect(answer).toMatchObject({ status: 400, body: { error: 'BAD_REQUEST' } })
  expect(JSON.stringify(answer.body)).toContain('"field":"branding.primaryColor"')
  // An address that is no part of a policy would close every form of the organization.
  for (const host of ['cdn.example.com:99999', 'a%20b.com', 'a;sandbox', 'a,b']) {
    const refused = await setOrigins(api, [], { logoUrl: `https://${host}/logo.png` })
    expect([host, refused.status, JSON.stringify(refused.body)]).toEqual([
      host,
      400,
      expect.stringContaining('"field":"branding.logoUrl"'),
    ])
    expect(brandOf({ logoUrl: `https://${host}/logo.png` })).toMatchObject({ logo: '' })
  }
})
