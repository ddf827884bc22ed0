import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { startBrowser } from '../support/browser/browser.ts'
import { startApi } from '../support/runner/api.ts'

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
  await page.getByRole('button', { name: 'Test Request (get /organizations)', exact: true }).click()
  await page.getByRole('button', { name: 'Send' }).first().click()
  await page.getByText('200 OK').first().waitFor()
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
  page.setDefaultTimeout(10_000)
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
