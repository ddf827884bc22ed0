import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { takeTokens } from '../db/rate-buckets.ts'
import { deriveKey } from '../encryption/deployment-secrets.ts'
import { describeMessages } from '../events/wire.ts'
import { bankFormPages } from '../forms/bank-account/routes.ts'
import { createFormHost } from '../forms/hosting/routes.ts'
import { payPages } from '../forms/pay/routes.ts'
import { formPages } from '../forms/routes.ts'
import { type Authenticator, createAuthenticator } from '../http/admission/authenticate.ts'
import { createPublicLimit } from '../http/admission/public-limit.ts'
import { createRateLimit } from '../http/admission/rate-limit.ts'
import { addGuides } from '../http/guides/guides.ts'
import { addWelcome } from '../http/guides/welcome.ts'
import type { HandlerOptions } from '../http/handle.ts'
import { addIcon } from '../http/icon.ts'
import { addDocs } from '../http/openapi/docs.ts'
import { addPages } from '../http/pages/add-pages.ts'
import type { Page } from '../http/pages/page.ts'
import { openStaticFiles } from '../http/pages/static-files.ts'
import type { Route } from '../http/route.ts'
import { buildServer } from '../http/server.ts'
import type { Deps } from './deps.ts'
import { eventPayloads } from './event-payloads.ts'
import { listRoutes } from './routes.ts'
import type { Services } from './services.ts'

export type Api = { server: FastifyInstance; routes: readonly Route[]; drain(): void }

const recordUsesEveryMs = 5_000

/** Names the folder of the built pages: see scripts/web.mjs. */
const builtForms = path.join(import.meta.dirname, '..', '..', '.web', 'forms.json')

/** Builds the HTTP server with authentication, rate limits and every route; it does not listen yet. */
export async function buildApi(deps: Deps, services: Services): Promise<Api> {
  const { config, log, checkAnswers, database, secret, metrics, processState } = deps
  const { credentials } = services
  const authenticate = createAuthenticator({
    findCaller: credentials.authenticate,
    isKnown: credentials.isKnown,
    explain: credentials.explain,
    failuresPerMinute: config.failedAuthenticationsPerMinute,
  })
  const limitRate = createRateLimit((...wanted) => takeTokens(database, ...wanted))
  const authenticateAndLimit: Authenticator = async (credential, from) => {
    const caller = await authenticate(credential, from)
    await limitRate(caller)
    return caller
  }
  const routes = listRoutes(deps, services, authenticateAndLimit)
  const fingerprintKey = deriveKey(secret, 'request fingerprints')
  const isDraining = () => processState.isDraining
  const openAnswer: HandlerOptions['openAnswer'] = async (organizationId, dataKeyId, place, sealed) => {
    const opened = await services.vault.openField(organizationId, dataKeyId, place, sealed)
    return opened.outcome === 'OPENED' ? opened.bytes.toString() : undefined
  }
  const server = await buildServer(
    {
      ...config,
      database,
      log,
      metrics,
      authenticate,
      findKnown: credentials.findKnown,
      limitRate,
      limitPublic: createPublicLimit(config.publicRequestsPerMinute),
      fingerprintKey,
      openAnswer,
      checkAnswers,
      isDraining,
    },
    routes,
  )
  addDocs(server, config.environment)
  addGuides(server, describeMessages(eventPayloads))
  // A path without a page would answer 401, as in production.
  if (config.environment === 'sandbox') {
    const isForwarded = config.trustedProxies.length > 0 || config.publicUrl !== undefined
    addWelcome(server, { version: deps.version, isForwarded, localKey: () => processState.localKey })
  }
  addIcon(server)
  addPages(server, listPages(deps, services))
  // Not at the start of draining: until the load balancer notices, clients would reconnect to this process.
  server.addHook('preClose', async () => {
    services.eventStreams.stop()
    services.pay.streams.stop()
  })
  const recording = setInterval(() => {
    credentials
      .recordUses()
      .catch((error: unknown) => log.warn({ err: error }, 'the last uses of API keys could not be recorded'))
  }, recordUsesEveryMs)
  server.addHook('onClose', async () => clearInterval(recording))
  const drain = () => {
    processState.isDraining = true
  }
  return { server, routes, drain }
}

/** The pages of every hosted form, and of payers. */
function listPages({ config, secret, processState }: Deps, { forms, bankForms, pay, organizations }: Services): Page[] {
  const shared = {
    readLook: organizations.readLook,
    isSuspended: organizations.isSuspended,
    files: openStaticFiles(builtForms),
    formsUrl: () => config.formsUrl ?? `${processState.baseUrl}/forms`,
    requestsPerMinute: config.formRequestsPerMinute,
    failuresPerMinute: config.failedAuthenticationsPerMinute,
    isSandbox: config.environment === 'sandbox',
  }
  const host = createFormHost(shared)
  const { isSandbox } = shared
  return [
    ...formPages({ host, forms, sessionKey: deriveKey(secret, 'form sessions'), isSandbox }),
    ...bankFormPages({ host, forms: bankForms, sessionKey: deriveKey(secret, 'bank account form sessions') }),
    ...payPages({ host, pay, sessionKey: deriveKey(secret, 'pay sessions'), isSandbox }),
    ...host.others,
  ]
}
