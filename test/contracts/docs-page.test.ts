import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { guides } from '../../src/http/openapi/introduction.ts'
import { startBrowser } from '../support/browser/browser.ts'
import { startApi } from '../support/runner/api.ts'
import { patience } from '../support/runner/patience.ts'

const api = await startApi()
const browser = await startBrowser()

test('the docs show the operations and call no host but the service', async () => {
  const { page, problems } = await openDocs(api.baseUrl)
  await page.getByRole('heading', { name: 'Svc' }).waitFor()
  await page.getByRole('button', { name: 'Open Group - API keys' }).click()
  await page.getByRole('link', { name: 'Create an API key' }).click()
  await page.getByRole('heading', { name: 'Create an API key' }).waitFor()
  await page.getByText('Needs the scope api_keys:write.').first().waitFor()
  // By then the page has requested every font.
  await page.evaluate('document.fonts.ready.then(() => true)')
  expect(problems).toEqual([])
})

test('the sidebar shows each guide before a click, and the page leads to it', async () => {
  const { page, problems } = await openDocs(api.baseUrl)
  const entries = guides.map(({ title }) =>
    page.locator(`a[href="#tag/guide-${title.toLowerCase().replaceAll(' ', '-')}"]`).first(),
  )
  for (const entry of entries) await entry.waitFor()
  for (const [place, { name }] of guides.entries()) {
    await entries[place]?.click()
    const guide = page.locator(`a[href="/docs/guides/${name}"]`).first()
    await guide.waitFor()
    expect((await fetch(new URL(`/docs/guides/${name}`, api.baseUrl))).status).toBe(200)
  }
  expect(problems).toEqual([])
})

test('a first reader finds quickstart, guides and event catalog on the first page, also on a phone', async () => {
  const { page, problems } = await openDocs(api.baseUrl)
  await page.setViewportSize({ width: 390, height: 800 })
  for (const address of ['/docs/guides/quickstart', '/docs/guides', '/docs/guides/events#event-catalog']) {
    const link = page.locator(`a[href="${address}"]`).first()
    await link.waitFor()
    expect((await link.boundingBox())?.y).toBeLessThan(800)
  }
  expect(problems).toEqual([])
})

test('the browser can show the icon of the service', async () => {
  const { page } = await openDocs(api.baseUrl)
  const load = `new Promise((resolve) => {
    const image = new Image()
    image.onload = () => resolve(image.naturalWidth)
    image.onerror = () => resolve('broken')
    image.src = '/favicon.ico'
  })`
  expect(await page.evaluate(load)).toBe(32)
})

test('the page can call an operation under any host name of the service', async () => {
  const { page, problems } = await openDocs(api.baseUrl.replace('127.0.0.1', 'localhost'))
  await page.getByPlaceholder('Token').first().fill(api.apiKey)
  await page.getByRole('button', { name: 'Open Group - Organizations' }).click()
  await page.getByRole('link', { name: 'List the organizations you act for' }).click()
  await page.getByRole('button', { name: 'Test Request (get /organizations)', exact: true }).click()
  await page.getByRole('button', { name: 'Send' }).first().click()
  await page.getByText('200 OK').first().waitFor()
  expect(problems).toEqual([])
})

test('the page of a sandbox keeps the token for its next visit', async () => {
  const { page, problems } = await openDocs(api.baseUrl)
  await page.getByPlaceholder('Token').first().fill(api.apiKey)
  await expect.poll(() => page.evaluate('JSON.stringify(localStorage)')).toContain(api.apiKey)
  await page.reload()
  await expect.poll(() => page.getByPlaceholder('Token').first().inputValue()).toBe(api.apiKey)
  expect(problems).toEqual([])
})

test('the page cannot reach another host, and the test detects an attempt', async () => {
  const { page, problems } = await openDocs(api.baseUrl)
  await page.evaluate(`fetch('https://example.com/').catch(() => 'blocked')`)
  expect(problems.join('\n')).toContain('connect-src')
})

async function openDocs(address: string): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  page.setDefaultTimeout(patience.timeout)
  const problems: string[] = []
  page.on('request', (request) => {
    const asked = new URL(request.url())
    if (asked.origin !== address && asked.protocol !== 'data:') problems.push(`asked ${asked.href}`)
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  const report = `event => console.error('blocked by', event.violatedDirective, event.blockedURI)`
  await page.addInitScript({ content: `document.addEventListener('securitypolicyviolation', ${report})` })
  const answer = await page.goto(`${address}/docs`)
  expect(answer?.status()).toBe(200)
  return { page, problems }
}
