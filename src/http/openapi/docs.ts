import { createHash } from 'node:crypto'
import type { ApiReferenceConfiguration } from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { KeptAnswer } from '../bodies/kept-answer.ts'

/**
 * Serves the readable form of /openapi.json. The page loads everything from this server and makes no outside request.
 */
export async function addDocs(server: FastifyInstance): Promise<void> {
  // Workers and commands do without it: loading takes a fifth of a second.
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  await server.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
      route.logLevel = 'silent'
    })
    const kept = new Map<string, KeptAnswer>()
    scope.addHook('onSend', async (request, reply, payload) => {
      const isPage = String(reply.getHeader('content-type')).startsWith('text/html')
      const page = isPage ? patchPage(String(payload)) : ''
      reply.header('content-security-policy', policyFor(page))
      if (isPage || reply.statusCode !== 200 || !isText(payload)) return isPage ? page : payload
      // The script has 4 MB and changes only with a release.
      const answer = kept.get(request.routeOptions.url ?? '') ?? new KeptAnswer(Buffer.from(payload))
      kept.set(request.routeOptions.url ?? '', answer)
      const { status, headers, bytes } = await answer.answerTo(request.headers)
      reply.removeHeader('content-length')
      reply.code(status).headers({ ...headers, 'cache-control': 'public, max-age=86400' })
      return bytes
    })
    await scope.register(scalar, { routePrefix: '/docs', configuration })
  })
}

function isText(payload: unknown): payload is string | Buffer {
  return typeof payload === 'string' || Buffer.isBuffer(payload)
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
  return page.replace('<html>', '<html lang="en">').replace('<body>', `<body>${withoutCodeGeneration}`)
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
