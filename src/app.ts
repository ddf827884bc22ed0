import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { apiKeyRoutes, tokenRoutes } from './credentials/routes.ts'
import { makeCredentialService } from './credentials/service.ts'
import { auditChecks, makeAudit } from './db/audit.ts'
import { type Database, type DatabaseOptions, doesAnswer, openDatabase } from './db/database.ts'
import { claimEnvironment, requireAppRole } from './db/deployment.ts'
import { requireCurrentSchema } from './db/migrate.ts'
import { grabTokens } from './db/rate-buckets.ts'
import { type RevisionName, type RevisionWatch, watchRevisions } from './db/revisions.ts'
import { eventChecks, makeSequencerJob } from './db/sequencer.ts'
import { databaseChecks, readLastViolations, verify } from './db/verify.ts'
import { dutiesJob, type Job, startWorker, type Worker } from './db/work.ts'
import { makeVault } from './encryption/data-keys.ts'
import { deriveKey, openDeploymentSecret } from './encryption/deployment-secrets.ts'
import { type MasterKeys, makeLocalMasterKeys } from './encryption/master-keys.ts'
import { requireMasterKeys, rewrapDuty } from './encryption/rewrap.ts'
import { encryptionChecks } from './encryption/store.ts'
import { eventRoutes } from './events/routes.ts'
import { makeEventService } from './events/service.ts'
import { makeAuthenticator } from './http/authenticate.ts'
import { addDocs } from './http/docs.ts'
import type { Logger } from './http/log.ts'
import { type HttpMetrics, makeMetrics } from './http/metrics.ts'
import { buildOpenapi } from './http/openapi.ts'
import { operationRoutes } from './http/operations.ts'
import { startOperationsServer } from './http/operations-server.ts'
import { makeRateLimit } from './http/rate-limit.ts'
import type { Route } from './http/route.ts'
import { buildServer } from './http/server.ts'
import { makePages } from './lib/pages.ts'
import type { Tier } from './organizations/organization.ts'
import { organizationRoutes } from './organizations/routes.ts'
import { makeOrganizationService } from './organizations/service.ts'
import { makeSandboxClock } from './sandbox/clock.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import { makeTokenService } from './tokens/service.ts'

export type AppOptions = {
  config: Config
  version: string
  masterKeys: { current: Buffer; previous: readonly Buffer[] }
  database: Pick<DatabaseOptions, 'connection' | 'role'>
  log: Logger
  checkAnswers?: boolean
}

export type App = Awaited<ReturnType<typeof buildApp>>
export type Api = { server: FastifyInstance; routes: readonly Route[]; drain(): void }

const hourMs = 3_600_000
const recordUsesEveryMs = 5_000

/** The only wiring: settings, database and adapters in, services out. No logic lives here. */
export async function buildApp(options: AppOptions) {
  const { config, log } = options
  const database = openDatabase({
    ...options.database,
    onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
  })
  let watch: RevisionWatch | undefined
  try {
    await requireAppRole(database)
    await requireCurrentSchema(database)
    await claimEnvironment(database, config.environment)
    const masterKeys = makeLocalMasterKeys(options.masterKeys.current, options.masterKeys.previous)
    await requireMasterKeys(database, masterKeys)
    const secret = await openDeploymentSecret(database, masterKeys, 'deployment')
    const metrics = makeMetrics()
    metrics.watch('svc_invariants_violated', 'Invariants that the last hourly check found violated', () =>
      readLastViolations(database),
    )
    watch = watchRevisions(database, { onChange: (name) => services.forget(name) })
    const services = makeServices(options, { database, masterKeys, secret, watch })
    await watch.started // before it, the database's clock is not known here
    await services.tokens.keepFresh()
    await services.tokens.load()
    return {
      database,
      ...services,
      verify: () => verify(database, services.checks),
      startOperations: (port: number) =>
        startOperationsServer({ host: config.host, port, metrics, whyNotReady: () => whyNotReady(database) }),
      buildApi: (baseUrl: () => string) => buildApi(options, { database, secret, metrics, services, baseUrl }),
      startWorker: () => startJobs(options, { database, masterKeys, metrics, services }),
      close: async () => {
        await watch?.stop()
        await services.credentials.recordUses().catch(() => {})
        await database.close()
      },
    }
  } catch (error) {
    await watch?.stop()
    await database.close()
    throw error
  }
}

type Services = ReturnType<typeof makeServices>

type ServiceParts = { database: Database; masterKeys: MasterKeys; secret: Buffer; watch: RevisionWatch }

function makeServices({ config, log }: AppOptions, { database, masterKeys, secret, watch }: ServiceParts) {
  const { environment } = config
  const nowMs = watch.databaseNow
  const pages = makePages(deriveKey(secret, 'page tokens'))
  const auditKey = deriveKey(secret, 'audit')
  const audit = makeAudit(auditKey)
  const organizations = makeOrganizationService(database, pages, audit)
  const sealingKey = deriveKey(secret, 'signing keys')
  const tokens = makeTokenService({ database, sealingKey, audience: `svc:${environment}`, nowMs })
  const credentials = makeCredentialService({
    ...{ database, pages, environment, organizations, tokens, audit, nowMs },
    isFresh: watch.isFresh,
    requestsPerMinute: (tier, limits) => limits.requestsPerMinute ?? config.requestsPerMinute[tier as Tier],
    onWrongEnvironment: () => log.warn('a key of the other environment was refused'),
  })
  const vault = makeVault(database, masterKeys, { isFresh: watch.isFresh })
  return {
    audit,
    vault,
    organizations,
    tokens,
    credentials,
    events: makeEventService(database, pages),
    sandboxClock: makeSandboxClock(database),
    checks: [...databaseChecks, ...encryptionChecks, ...eventChecks, ...auditChecks(auditKey)],
    /** Drops what this process remembers of things that another one changed. */
    forget: (name: RevisionName) => {
      if (name === 'data keys') return vault.forgetAll()
      credentials.forget()
      tokens.load().catch((error: unknown) => log.warn({ err: error }, 'the signing keys could not be read again'))
    },
  }
}

type ApiParts = { database: Database; secret: Buffer; metrics: HttpMetrics; services: Services; baseUrl(): string }

async function buildApi({ config, version, log, checkAnswers = false }: AppOptions, parts: ApiParts): Promise<Api> {
  const { database, secret, metrics, services, baseUrl } = parts
  const { credentials, tokens, organizations, events, sandboxClock } = services
  let draining = false
  const authenticate = makeAuthenticator({
    findCaller: credentials.authenticate,
    isKnown: credentials.isKnown,
    failuresPerMinute: config.failedAuthenticationsPerMinute,
  })
  const openapi = () => buildOpenapi(routes, { version, baseUrl: baseUrl() })
  const routes: Route[] = [
    ...organizationRoutes(organizations, config.environment),
    ...apiKeyRoutes(credentials),
    ...tokenRoutes({ credentials, tokens, authenticate }),
    ...eventRoutes(events),
    ...sandboxRoutes(sandboxClock),
    ...operationRoutes({
      ...{ version, environment: config.environment, metrics, openapi },
      whyNotReady: async () => (draining ? 'This process is stopping' : whyNotReady(database)),
    }),
  ]
  const limitRate = makeRateLimit((...wanted) => grabTokens(database, ...wanted))
  const fingerprintKey = deriveKey(secret, 'request fingerprints')
  const isDraining = () => draining
  const server = await buildServer(
    { ...config, database, log, metrics, authenticate, limitRate, fingerprintKey, checkAnswers, isDraining },
    routes,
  )
  await addDocs(server)
  const recording = setInterval(() => {
    credentials.recordUses().catch((error: unknown) => log.warn({ err: error }, 'uses of keys could not be recorded'))
  }, recordUsesEveryMs)
  server.addHook('onClose', async () => clearInterval(recording))
  const drain = () => {
    draining = true
  }
  return { server, routes, drain }
}

async function whyNotReady(database: Database): Promise<string | undefined> {
  return (await doesAnswer(database)) ? undefined : 'The database does not answer'
}

type JobParts = { database: Database; masterKeys: MasterKeys; metrics: HttpMetrics; services: Services }

async function startJobs(
  { config, log }: AppOptions,
  { database, masterKeys, metrics, services }: JobParts,
): Promise<Worker> {
  const duties = [
    { name: 'verify', everyMs: hourMs, run: () => verify(database, services.checks) },
    { name: 'renew signing keys', everyMs: hourMs, run: () => services.tokens.keepFresh() },
    rewrapDuty(database, masterKeys, config.leaseMs),
  ]
  const jobs: Job[] = [
    await dutiesJob(database, duties, config.leaseMs),
    await makeSequencerJob(database, config.leaseMs),
    await services.audit.sealerJob(database, config.leaseMs),
  ]
  return startWorker(jobs, {
    onError: (job, error) => {
      metrics.countJobFailure(job)
      log.error({ err: error, job }, 'a background batch failed and will be tried again')
    },
  })
}
