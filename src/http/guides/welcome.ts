import type { FastifyInstance, FastifyRequest } from 'fastify'
import { policyOf, renderFrame } from './frame.ts'
import { renderGuideList, renderNavigation } from './guides.ts'
import { escapeHtml } from './markdown.ts'

export type WelcomeOptions = {
  version: string
  /** True when proxies may forward requests, or another address leads here: then no request counts as local. */
  isForwarded: boolean
  /** The key of dev.env, in the process that `svc dev` runs. */
  localKey(): string | undefined
}

/** Serves the first page of a sandbox. Production has none. */
export function addWelcome(server: FastifyInstance, options: WelcomeOptions): void {
  server.get('/', { config: { access: 'public' }, logLevel: 'silent' }, async (request, reply) => {
    const key = !options.isForwarded && isLocal(request) ? options.localKey() : undefined
    const script = key === undefined ? undefined : copyScript
    return reply
      .headers({
        'cache-control': 'no-store',
        'content-security-policy': policyOf({ ...(script && { script }) }),
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        vary: 'host, sec-fetch-site',
      })
      .type('text/html; charset=utf-8')
      .send(renderWelcome(options.version, key, addressOf(request), script))
  })
}

const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/**
 * True for a request that a browser or program of this machine sent for itself. A proxy on this machine also connects
 * from here, but adds a header, passes another host on or closes each connection. One that does neither is not told
 * apart. A foreign site that names this address (DNS rebinding) sends
 * its own host. A foreign page that loads or links this one says so in `sec-fetch-site`.
 */
function isLocal(request: FastifyRequest): boolean {
  const { socket, headers } = request.raw
  if (!isLoopback(socket.remoteAddress) || !isLoopback(socket.localAddress)) return false
  if (forwardingHeaders.some((name) => headers[name] !== undefined)) return false
  // nginx in its default sends these, and nothing else that tells it from a browser.
  if (request.raw.httpVersion !== '1.1' || /\bclose\b/i.test(headers.connection ?? '')) return false
  const host = headers.host ?? ''
  if (!['127.0.0.1', 'localhost', '[::1]'].some((name) => host === `${name}:${socket.localPort}`)) return false
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'none' || site === 'same-origin'
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address)
}

function addressOf(request: FastifyRequest): string {
  return `${request.protocol}://${request.raw.headers.host ?? ''}`
}

function renderWelcome(version: string, key: string | undefined, address: string, script: string | undefined): string {
  const main = `<h1>Welcome to your Svc sandbox</h1>
<p>Svc moves value between bank rails and crypto networks. This sandbox has its own bank, chains and clock: nothing here
is real money.</p>
${key === undefined ? describeKeyPlace() : describeKey(key, address)}
<h2>Learn</h2>
${renderGuideList()}
<h2>Look up</h2>
<ul>
<li><a href="/docs/">API reference</a>: every operation, with a form to call it</li>
<li><a href="/openapi.json">openapi.json</a>: the same for code generators</li>
<li><a href="/docs/guides/events#event-catalog">Event catalog</a>: each event type with its payload</li>
<li><a href="/changelog">Changelog</a>, <a href="/version">version</a> and <a href="/readyz">health</a></li>
</ul>
<p class="quiet">Svc ${escapeHtml(version)}, sandbox. "svc reset" starts a fresh one.</p>`
  return renderFrame({ title: 'Svc sandbox', navigation: renderNavigation(), main, ...(script && { script }) })
}

function describeKey(key: string, address: string): string {
  const call = `curl -H 'Authorization: Bearer ${key}' \\\n  ${address}/organizations`
  return `<section class="card" aria-labelledby="key-title"><h2 id="key-title">Your API key</h2>
<p><code class="key" id="key">${escapeHtml(key)}</code></p>
<p><button type="button" id="copy" hidden>Copy the key</button> <span id="copied" role="status"></span></p>
<p>Try it:</p><pre tabindex="0"><code>${escapeHtml(call)}</code></pre>
<p class="quiet">Only this machine sees the key here, and everyone to whom a program on it forwards this port. Scripts find
the key in <code>dev.env</code> in the data folder.</p></section>`
}

function describeKeyPlace(): string {
  return `<section class="card" aria-labelledby="key-title"><h2 id="key-title">Your API key</h2>
<p>The terminal that runs <code>npm start</code> has printed it, and <code>dev.env</code> in the data folder holds it.
On that machine, this page shows it at <code>http://localhost</code> with the port of the API.</p></section>`
}

const copyScript = `
const button = document.getElementById('copy');
if (navigator.clipboard) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById('key').textContent);
    document.getElementById('copied').textContent = 'Copied';
  });
}
`
