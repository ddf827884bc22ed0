import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noSuchPath } from '../../lib/refusal.ts'
import { KeptAnswer } from '../bodies/kept-answer.ts'
import { type Guide, guides } from '../openapi/introduction.ts'
import type { Webhook } from '../openapi/webhooks.ts'
import { renderEvents } from './events.ts'
import { policyOf, renderFrame } from './frame.ts'
import { escapeHtml, type Heading, renderMarkdown } from './markdown.ts'

const docsFolder = path.join(import.meta.dirname, '..', '..', '..', 'docs')

/** Serves the guides under /docs/guides. They need no script and make no request to another host. */
export function addGuides(server: FastifyInstance, events: readonly Webhook[]): void {
  const kept = new Map<string, Promise<KeptAnswer>>()
  const keep = (name: string, build: () => Promise<string>) => {
    const answer = kept.get(name) ?? build().then((html) => new KeptAnswer(Buffer.from(html)))
    kept.set(name, answer)
    answer.catch(() => kept.delete(name))
    return answer
  }
  const options = { config: { access: 'public' as const }, logLevel: 'silent' as const }
  server.get('/docs/guides', options, async (request, reply) =>
    send(request, reply, await keep('', async () => renderIndex())),
  )
  server.get<{ Params: { name: string } }>('/docs/guides/:name', options, async (request, reply) => {
    const guide = guides.find(({ name }) => name === request.params.name)
    if (!guide) throw noSuchPath()
    return send(request, reply, await keep(guide.name, () => renderGuide(guide, events)))
  })
}

async function send(request: FastifyRequest, reply: FastifyReply, answer: KeptAnswer): Promise<FastifyReply> {
  const { status, headers, bytes } = await answer.answerTo(request.headers)
  return reply
    .code(status)
    .headers({ ...headers, 'cache-control': 'no-cache', 'content-security-policy': policyOf({}) })
    .type('text/html; charset=utf-8')
    .send(bytes)
}

async function renderGuide(guide: Guide, events: readonly Webhook[]): Promise<string> {
  const source = await readFile(path.join(docsFolder, guide.file), 'utf8')
  const { html, headings } = renderMarkdown(source, findTarget)
  const extra = guide.name === 'events' ? renderEvents(events) : ''
  const [title = ''] = html.split('\n', 1)
  const [introduction = ''] = html.split('<h2 ', 1)
  const hasOwnContents = introduction.includes('href="#')
  const contents = hasOwnContents ? '' : renderContents(headings, extra !== '')
  const main = title + contents + html.slice(title.length) + extra
  return renderFrame({ title: `${guide.title} · Svc`, navigation: renderNavigation(guide.name), main })
}

function renderContents(headings: readonly Heading[], hasCatalog: boolean): string {
  const sections = headings.filter(({ level }) => level === 2)
  const links = [...sections, ...(hasCatalog ? [{ id: 'event-catalog', text: 'Event catalog' }] : [])]
  if (links.length < 3) return ''
  const items = links.map(({ id, text }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`)
  return `<ul class="contents" aria-label="On this page">${items.join('')}</ul>`
}

/** Leads to the guide of a page. Other pages of docs/ are part of the checkout alone, so they become plain text. */
function findTarget(target: string): string | undefined {
  if (/^(https?:|#)/.test(target)) return target
  const [file = '', section] = target.split('#')
  if (file === 'openapi.json') return '/openapi.json'
  const guide = guides.find((each) => each.file === file)
  return guide && `/docs/guides/${guide.name}${section ? `#${section}` : ''}`
}

export function renderNavigation(current = ''): string {
  const links = guides.map(({ name, title }) => {
    const mark = name === current ? ' aria-current="page"' : ''
    return `<li><a href="/docs/guides/${name}"${mark}>${escapeHtml(title)}</a></li>`
  })
  return `<ul>${links.join('')}<li><a href="/docs/">API reference</a></li></ul>`
}

/** A list of the guides with a sentence about each. */
export function renderGuideList(): string {
  const items = guides.map(
    ({ name, title, about }) =>
      `<li><a href="/docs/guides/${name}">${escapeHtml(title)}</a>: ${escapeHtml(about)}</li>`,
  )
  return `<ul>${items.join('')}</ul>`
}

function renderIndex(): string {
  const main = `<h1>Guides</h1>${renderGuideList()}
<p>The <a href="/docs/">API reference</a> shows every operation and can call it. <a href="/openapi.json">openapi.json</a>
is the same for programs.</p>`
  return renderFrame({ title: 'Guides · Svc', navigation: renderNavigation(), main })
}
