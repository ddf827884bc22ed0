import { createHash } from 'node:crypto'
import scalar, { type ApiReferenceConfiguration } from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'

/** The readable form of /openapi.json. Everything it needs comes from this server: no outside request is made. */
export async function addDocs(server: FastifyInstance): Promise<void> {
  await server.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
      route.logLevel = 'silent'
    })
    scope.addHook('onSend', async (_request, reply, payload) => {
      const isPage = String(reply.getHeader('content-type')).startsWith('text/html')
      const page = isPage ? mendPage(String(payload)) : ''
      reply.header('content-security-policy', policyFor(page))
      // The script has 4 MB and changes with a release only.
      if (!isPage && reply.statusCode === 200) reply.header('cache-control', 'public, max-age=3600')
      return isPage ? page : payload
    })
    await scope.register(scalar, { routePrefix: '/docs', configuration })
  })
}

const configuration: Partial<ApiReferenceConfiguration> = {
  url: '/openapi.json',
  pageTitle: 'Svc API',
  // Tries go where the page came from, by whatever name that was reached: the policy allows nothing else.
  servers: [{ url: '/' }],
  authentication: { preferredSecurityScheme: 'bearer' },
  // The rest would load from the makers of the page, or send them our document.
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

/** Says its language to screen readers, and keeps a library of the page from trying to make code, which is forbidden. */
function mendPage(page: string): string {
  const withoutMadeCode = '<script>globalThis.__zod_globalConfig = { jitless: true }</script>'
  return page.replace('<html>', '<html lang="en">').replace('<body>', `<body>${withoutMadeCode}`)
}

/** The page may run the bundled script and the lines that start it, and may talk to this server alone. */
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
