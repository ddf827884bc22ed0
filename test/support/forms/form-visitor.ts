import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContextOptions, Page, Request } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { deriveKey } from '../../../src/encryption/deployment-secrets.ts'
import { readSession, sealSession } from '../../../src/forms/session.ts'
import { startBrowser, type TestBrowser } from '../browser/browser.ts'
import { type Customer, createCustomer } from '../customers/customers.ts'
import { makeJpeg } from '../customers/document-files.ts'
import { startApi, type TestApi } from '../runner/api.ts'
import { patience } from '../runner/patience.ts'

export type Visitor = { page: Page; problems: string[] }

/** The service and a browser of one test file. A verification stays under review until a test decides it. */
export async function startForms(settings: Record<string, string> = {}) {
  const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '3600', ...settings })
  const browser = await startBrowser()
  const visit = (link: string | undefined, options: BrowserContextOptions = {}) =>
    openForm(browser, link ?? '', options)
  return {
    api,
    visit,
    /** Creates a customer and opens the form. */
    open: async (body: object = {}, options: BrowserContextOptions = {}): Promise<Visitor & { customer: Customer }> => {
      const customer = await createCustomer(api, body)
      return { customer, ...(await visit(customer.verificationLink, options)) }
    },
  }
}

/** Opens a link as a customer does. Collects everything that a page must not do: errors, and requests to others. */
export async function openForm(browser: TestBrowser, link: string, options: BrowserContextOptions): Promise<Visitor> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  onTestFinished(() => context.close())
  context.setDefaultTimeout(patience.timeout)
  return openIn(await context.newPage(), link)
}

/** The requests of each page that are on their way. */
const onTheirWay = new WeakMap<Page, Set<Request>>()

function followRequests(page: Page): void {
  const requests = new Set<Request>()
  onTheirWay.set(page, requests)
  page.on('request', (request) => requests.add(request))
  page.on('requestfinished', (request) => requests.delete(request))
  page.on('requestfailed', (request) => requests.delete(request))
}

async function openIn(page: Page, link: string): Promise<Visitor> {
  const problems: string[] = []
  followRequests(page)
  const { origin } = new URL(link)
  page.on('request', (request) => {
    const asked = new URL(request.url())
    if (asked.origin !== origin && !['data:', 'blob:'].includes(asked.protocol)) problems.push(`asked ${asked.href}`)
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await page.goto(link)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return { page, problems }
}

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()
export const next = (page: Page) => press(page, 'Continue')

/** Opens a page of the form by its address. */
export const goToStep = (page: Page, id: string) => page.goto(`${page.url().split('#')[0]}#/${id}`)

export type DateParts = readonly [year: string, month: string, day: string]

export async function fillDate(page: Page, name: string, [year, month, day]: DateParts): Promise<void> {
  const group = page.getByRole('group', { name })
  await group.getByLabel('Day').fill(day)
  await group.getByLabel('Month').selectOption({ label: month })
  await group.getByLabel('Year').fill(year)
}

/** Lets a page ask for news now, as when its window comes to the front, and not at its next turn. */
export const askForNews = (page: Page) => page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)

/**
 * Lets the session of a browser be as old as given, once no answer is on its way that would renew it. `form`: the purpose
 * of the key of its sessions.
 */
export async function ageSession(
  { secret }: TestApi,
  page: Page,
  startedMinutesAgo: number,
  minutesLeft: number,
  form = 'form sessions',
): Promise<void> {
  await expect.poll(() => onTheirWay.get(page)?.size ?? 0).toBe(0)
  const key = deriveKey(secret, form)
  const [cookie] = await page.context().cookies()
  const session = readSession(key, cookie?.value ?? '', Date.now())
  if (!cookie || !session) return expect.fail('the browser has no session')
  const startedAtMs = Date.now() - startedMinutesAgo * 60_000
  const expiresAtMs = Date.now() + minutesLeft * 60_000
  await page.context().addCookies([{ ...cookie, value: sealSession(key, { ...session, startedAtMs, expiresAtMs }) }])
}

let picture: Promise<Buffer> | undefined

export type ChosenFile = { name: string; mimeType: string; buffer: Buffer }

/** Chooses a photo for a file field, and waits for the look at it. */
export async function choosePhoto(page: Page, label: string, file?: ChosenFile): Promise<void> {
  picture ??= makeJpeg()
  const group = page.getByRole('group', { name: label }).first()
  const chosen = file ?? { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: await picture }
  await group.locator('input[type=file]').first().setInputFiles(chosen)
  await group.getByRole('button', { name: 'Use this picture' }).waitFor()
}

/** Chooses a photo for a file field, looks at it and sends it. */
export async function addPhoto(page: Page, label: string, file?: ChosenFile): Promise<void> {
  await choosePhoto(page, label, file)
  const group = page.getByRole('group', { name: label }).first()
  await group.getByRole('button', { name: 'Use this picture' }).click()
  await group.getByText(/Uploaded$/).waitFor()
}

/** Holds the uploads of a page until they are released. */
export async function holdUploads(page: Page): Promise<() => void> {
  const held = Promise.withResolvers<void>()
  await page.route('**/api/files*', async (route) => {
    await held.promise
    await route.continue().catch(() => undefined)
  })
  return held.resolve
}

/** Fills in the page of an identity document, as of a passport. */
export async function fillPassport(page: Page): Promise<void> {
  await page.getByLabel('Kind of document').selectOption('PASSPORT')
  await page.getByLabel('Country that issued it').selectOption('US')
  await page.getByLabel('Document number').fill('X1234567')
  await fillDate(page, 'Date of issue', ['2024', 'May', '1'])
  await fillDate(page, 'Date of expiry', ['2034', 'April', '30'])
  await addPhoto(page, 'Front of the document')
}

export async function fillAddress(page: Page): Promise<void> {
  await page.getByLabel('Street and house number').fill('548 Market Street')
  await page.getByLabel('City or town').fill('San Francisco')
  await page.getByLabel('State').selectOption('CA')
  await page.getByLabel('ZIP code').fill('94104')
}

/**
 * Expects that axe finds nothing to complain about with all of its rules, in light and in dark colours, and that the page
 * is whole on a phone of 320 pixels, and at 200 % zoom in a window of 1280, which then has 640 pixels of layout.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const title = await page.title()
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // The dark page is the same one in other colours: the other rules have nothing new to find.
    const violations = await runAxe(page, colorScheme === 'dark' ? ['color-contrast', 'link-in-text-block'] : undefined)
    expect([title, colorScheme, violations]).toEqual([title, colorScheme, []])
  }
  const size = page.viewportSize() ?? { width: 1280, height: 720 }
  for (const width of [320, 640]) {
    await page.setViewportSize({ width, height: width === 320 ? 640 : 360 })
    expect([title, width, await page.evaluate(findCut)]).toEqual([title, width, []])
  }
  await page.setViewportSize(size)
}

/** Runs axe with some of its rules, or with all. The browser gets its script once per document: that is half of its cost. */
async function runAxe(page: Page, rules: readonly string[] | undefined): Promise<string[]> {
  const isThere = await page.evaluate<boolean>('window.axe !== undefined')
  if (!isThere) await new AxeBuilder({ page }).setLegacyMode(true).withRules(['html-has-lang']).analyze()
  // The size of targets is a rule of WCAG 2.2, which axe leaves out by default.
  const all = { rules: { 'target-size': { enabled: true } } }
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : all) }
  const said = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`
  return page.evaluate<string[]>(said)
}

/** Lists what a customer would have to scroll sideways for. */
const findCut = `[document.documentElement, ...document.querySelectorAll('input:not(.sr), select, textarea, button, a, h1')]
  .filter((each) => {
    const { left, right, width } = each.getBoundingClientRect()
    return each.scrollWidth > innerWidth || (width > 0 && (left < 0 || right > innerWidth))
  }).map((each) => each.cloneNode().outerHTML)`

/** The labels of all fields that a page shows, in order. */
export function labelsOn(page: Page): Promise<string[]> {
  const read = `[...document.querySelectorAll('.field > label, .field > legend')]
    .map((each) => each.textContent.replace('(optional)', '').trim())`
  return page.evaluate(read)
}
