import { createHash } from 'node:crypto'
import type { ApiReferenceConfiguration } from '@scalar/fastify-api-reference'
import { type FastifyInstance, fastify } from 'fastify'
import { KeptAnswer } from '../bodies/kept-answer.ts'

type Reference = { page: string; policy: string; script: KeptAnswer }

/**
 * Serves the readable form of /openapi.json. The page loads everything from this server and makes no outside request.
 * Its first reader loads the package: that takes a fifth of a second and 50 MB, which most processes never need.
 */
export function addDocs(server: FastifyInstance, environment: 'sandbox' | 'production'): void {
  const shared = { config: { access: 'public' as const }, logLevel: 'silent' as const }
  let opening: Promise<Reference> | undefined
  const open = (): Promise<Reference> => {
    opening ??= openReference(environment).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  server.get('/docs', shared, (_request, reply) =>
    reply.header('content-security-policy', policyFor('')).redirect('/docs/', 301),
  )
  server.get('/docs/', shared, async (_request, reply) => {
    const { page, policy } = await open()
    reply.type('text/html; charset=utf-8').header('content-security-policy', policy)
    return page
  })
  server.get('/docs/js/scalar.js', shared, async (request, reply) => {
    // The script has 4 MB and changes only with a release.
    const { status, headers, bytes } = await (await open()).script.answerTo(request.headers)
    reply.code(status).headers({ ...headers, 'cache-control': 'public, max-age=86400' })
    reply.type('application/javascript; charset=utf-8').header('content-security-policy', policyFor(''))
    return bytes
  })
}

/** Reads the page and its script from the package, which offers them only as routes. */
async function openReference(environment: 'sandbox' | 'production'): Promise<Reference> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const routes = fastify()
  await routes.register(scalar, {
    routePrefix: '/docs',
    // The browser keeps the token that a developer has typed. A real one is not left behind in a browser.
    configuration: { ...configuration, persistAuth: environment === 'sandbox' },
  })
  const html = await routes.inject('/docs/')
  const script = await routes.inject('/docs/js/scalar.js')
  await routes.close()
  const page = patchPage(html.body)
  return { page, policy: policyFor(page), script: new KeptAnswer(script.rawPayload) }
}

const configuration: Partial<ApiReferenceConfiguration> = {
  url: '/openapi.json',
  pageTitle: 'Svc API',
  // Test requests go to the origin of the page: the policy allows no other.
  servers: [{ url: '/' }],
  authentication: { preferredSecurityScheme: 'bearer' },
  // These features would load files from the vendor of the page, or send it our document.
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

/** Declares the language for screen readers, and turns off code generation in a library, which the policy forbids. */
function patchPage(page: string): string {
  const withoutCodeGeneration = '<script>globalThis.__zod_globalConfig = { jitless: true }</script>'
  const withoutScripts =
    '<noscript>The reference needs scripts. The <a href="/docs/guides">guides</a> do not.</noscript>'
  return page.replace('<html>', '<html lang="en">').replace('<body>', `<body>${withoutScripts}${withoutCodeGeneration}`)
}

/** Allows the bundled script and the inline scripts that start it, and requests to this server only. */
function policyFor(page: string): string {
  const scripts = [...page.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, script = '']) => script)
  const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  return [
    "default-src 'none'",
    ["script-src 'self'", ...hashes].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}
