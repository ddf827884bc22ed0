import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'

/** The readable form of /openapi.json. Everything it needs comes from this server: no outside request is made. */
export async function addDocs(server: FastifyInstance): Promise<void> {
  await server.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
      route.logLevel = 'silent'
    })
    scope.addHook('onSend', async (_request, reply, payload) => {
      reply.header('content-security-policy', docsPolicy)
      return payload
    })
    await scope.register(scalar, {
      routePrefix: '/docs',
      configuration: { url: '/openapi.json', withDefaultFonts: false, telemetry: false, hideClientButton: true },
    })
  })
}

// The page runs one bundled script with a small inline start-up; it may talk to this server alone.
const docsPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')
