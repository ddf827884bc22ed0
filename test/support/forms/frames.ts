import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Frame, FrameLocator, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import type { TestApi } from '../runner/api.ts'
import type { Visitor } from './form-visitor.ts'

type Site = { host?: string; headers?: Record<string, string> }

/** A site of an integrator. `localhost` and 127.0.0.1 are two sites to a browser, so its frame is a foreign one. */
export async function startSite(api: TestApi, { host = 'localhost', headers = {} }: Site = {}): Promise<string> {
  const server = createServer((_request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`<!doctype html><html lang="en"><title>Integrator</title><main><h1>Integrator</h1><div id="here"></div></main>
<script src="${api.baseUrl}/forms/embed/v1.js"></script>`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  afterAll(() => server.close())
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

export type Told = { type: string; status?: string; height?: number }

/** A page of a site with a form in a frame: what the form told it, and what the browser refused. */
export type Embedded = {
  page: Page
  frame: FrameLocator
  refused: string[]
  told(type: string): Promise<Told[]>
  /** The origins of all messages that the page got. */
  origins(): Promise<string[]>
}

/** Opens the form of a link in a page of a site, with the script of the service. */
export async function embed({ page }: Visitor, link: string | undefined, lang = 'en'): Promise<Embedded> {
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  const options = JSON.stringify({ link, lang })
  await page.evaluate(`window.told = []; window.raw = []; addEventListener('message', ({ origin }) => raw.push(origin));
    window.form = SvcForms.open({ ...${options}, container: document.querySelector('#here'), onMessage: (each) => told.push(each) })`)
  return {
    page,
    refused,
    told: (type) => page.evaluate<Told[]>(`told.filter((each) => each.type === '${type}')`),
    origins: () => page.evaluate<string[]>('[...new Set(raw)]'),
    frame: page.frameLocator('iframe'),
  }
}

export const titleOf = (frame: FrameLocator, name: string | RegExp) =>
  frame.getByRole('heading', { level: 1, name }).waitFor()

/** Lets pages of these origins show the forms of the organization of a world. */
export async function setOrigins(api: TestApi, allowedOrigins: string[], branding = {}) {
  const own = (await api.get('/organizations')).body.organizations.at(0)?.organizationId
  return api.call('PATCH', `/organizations/${own}`, { body: { allowedOrigins, branding } })
}

/** The document inside of the frame. */
export function innerOf(page: Page): Frame {
  return page.frames().find((each) => each !== page.mainFrame()) ?? expect.fail('the page has no frame')
}

/** The script of axe, as the package that runs it has it. */
const { source: axeSource } = createRequire(import.meta.resolve('@axe-core/playwright'))('axe-core') as {
  source: string
}

/** Expects that axe finds nothing in one document, also when another site shows it. */
export async function expectFrameAccessible(frame: Frame): Promise<void> {
  await frame.evaluate(axeSource)
  const found = await frame.evaluate<string[]>(`axe.run(document, {
    resultTypes: ['violations'], iframes: false, rules: { 'target-size': { enabled: true } } }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`)
  expect([frame.url(), found]).toEqual([frame.url(), []])
}

/** Expects that the browser shows nothing of a form here, and that the page around heard nothing. */
export async function expectRefused({ refused, page, origins }: Embedded): Promise<void> {
  await expect.poll(() => refused.join()).toMatch(/frame-ancestors|X-Frame-Options/i)
  expect([await page.evaluate('told'), await origins()]).toEqual([[], []])
}
