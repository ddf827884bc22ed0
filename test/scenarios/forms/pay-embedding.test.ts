import { expect, test } from 'vitest'
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
import { startPayWorld } from '../../support/forms/pay-world.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Pay pages in frames of an integrator, in a real browser. */
const { api, until, buy, transfer, open } = await startPayWorld()
const [allowed, foreign] = [await startSite(api), await startSite(api)]
const show = async (site: string, link: string | undefined, lang?: string) => embed(await open(site), link, lang)

test('an allowed site shows the pay page in a frame, and hears its height and the status of the payment', async () => {
  await setOrigins(api, [allowed], { displayName: 'Example Pay', supportEmail: 'help@example.com' })
  const awaiting = await buy()
  const { page, told, origins, frame } = await show(allowed, awaiting.transferLink)
  await titleOf(frame, 'Pay €100.00 by SEPA transfer')
  await frame.getByText('Example Pay').waitFor()
  await frame.getByRole('link', { name: 'help@example.com' }).waitFor()
  await frame.getByText('This page follows your payment by itself.').waitFor()
  const heights = async () => (await told('height')).map(({ height = 0 }) => height)
  const heightOf = () => page.evaluate<number>(`document.querySelector('iframe').offsetHeight`)
  await eventually(async () => expect(await heightOf()).toBe(Math.ceil((await heights()).at(-1) ?? 0)))
  const first = await heightOf()
  expect(first).toBeGreaterThan(300)
  await expectFrameAccessible(innerOf(page))
  expect(innerOf(page).url()).toMatch(/\/forms\/pay\/view\/[\w-]{22}\?parent=/)
  const cookies = (await page.context().cookies()).filter(({ name }) => name.startsWith('svc_pay_'))
  expect(cookies).toMatchObject([
    {
      name: expect.stringMatching(/^svc_pay_frame_/),
      sameSite: 'None',
      secure: true,
      partitionKey: expect.stringContaining('localhost'),
    },
  ])

  // The frame follows the payment to its end, and becomes as low as what is left to show.
  await transfer(awaiting, '100.00')
  const statuses = async () => (await told('status')).map(({ status }) => status)
  await until(async () => expect(await statuses()).toContain('COMPLETED'))
  expect((await statuses()).at(0)).toBe('AWAITING_TRANSFER')
  await titleOf(frame, 'The payment is complete')
  await eventually(async () => expect(await heightOf()).toBeLessThan(first))
  expect(await told('ready')).toHaveLength(1)
  // Every message came from the service, and says what version 1 promises.
  expect(await origins()).toEqual([new URL(api.baseUrl).origin])
  const keys = await page.evaluate('[...new Set(told.flatMap(Object.keys))].sort()')
  expect(keys).toEqual(['height', 'source', 'status', 'type', 'version'])
  await expectFrameAccessible(innerOf(page))
})

test('a foreign site cannot show a pay page, also under the name of an allowed one', async () => {
  await setOrigins(api, [allowed])
  const { transferLink } = await buy()
  await expectRefused(await show(foreign, transferLink))
  const { page } = await open(foreign)
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  await page.evaluate(`window.raw = []; addEventListener('message', ({ origin }) => raw.push(origin));
    document.querySelector('#here').innerHTML = '<iframe src="${transferLink}?parent=${encodeURIComponent(allowed)}"></iframe>'`)
  await expect.poll(() => refused.join()).toMatch(/frame-ancestors/)
  expect(await page.evaluate('raw')).toEqual([])
})

test('a page around a frame learns that its session has ended', async () => {
  await setOrigins(api, [allowed])
  const awaiting = await buy()
  const { page, told, frame } = await show(allowed, awaiting.transferLink)
  await frame.getByText('This page follows your payment by itself.').waitFor()
  await page.context().clearCookies()
  api.app.pay.streams.stop()
  await expect.poll(() => told('ended')).toHaveLength(1)
  expect(await frame.locator('.lines').isVisible()).toBe(false)
  expect(await page.evaluate<Told>('told.at(-1)')).toMatchObject({ source: 'svc-form', version: 1 })
})

test('a browser that keeps no cookie in a frame gets a way out of it', async () => {
  await setOrigins(api, [allowed])
  const awaiting = await buy()
  // Browsers keep no secure cookie of a site without https, and none in a frame without Secure.
  const insecure = (awaiting.transferLink ?? '').replace('127.0.0.1', 'insecure.test')
  const { page, told, frame } = await show(allowed, insecure, 'de')
  await titleOf(frame, 'Öffnen Sie diese Seite in einem eigenen Fenster')
  expect((await page.context().cookies()).filter(({ name }) => name.startsWith('svc_pay'))).toEqual([])
  await expectFrameAccessible(innerOf(page))
  // The page around hears it, too, and is not asked to open the link again.
  await expect.poll(() => told('notice')).toHaveLength(1)
  expect(await told('ended')).toEqual([])
  const opening = page.context().waitForEvent('page')
  await frame.getByRole('link', { name: 'In neuem Fenster öffnen' }).click()
  const other = await opening
  await other.getByRole('heading', { level: 1, name: /100/ }).waitFor()
  expect(await other.locator('.lines').isVisible()).toBe(true)
})
