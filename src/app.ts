import type { FastifyInstance } from 'fastify'
import { makeFolderBlobs } from './adapters/blobs/folder-blobs.ts'
import { makeDocumentChecker } from './adapters/documents/document-checker.ts'
import { paymentMethods } from './catalog/payment-methods.ts'
import type { Config } from './config.ts'
import { apiKeyRoutes, tokenRoutes } from './credentials/routes.ts'
import { makeCredentialService } from './credentials/service.ts'
import { customerRoutes } from './customers/routes.ts'
import { makeCustomerService } from './customers/service.ts'
import { type Audit, auditChecks, makeAudit } from './db/audit.ts'
import { type Database, type DatabaseOptions, doesAnswer, openDatabase } from './db/database.ts'
import { claimEnvironment, requireAppRole } from './db/deployment.ts'
import { requireCurrentSchema } from './db/migrate.ts'
import { grabTokens } from './db/rate-buckets.ts'
import { type RevisionName, type RevisionWatch, watchRevisions } from './db/revisions.ts'
import { eventChecks, makeSequencerJob } from './db/sequencer.ts'
import { databaseChecks, readLastViolations, verify } from './db/verify.ts'
import { dutiesJob, type Job, startWorker, type Worker } from './db/work.ts'
import { makeVault, type Vault } from './encryption/data-keys.ts'
import { deriveKey, openDeploymentSecret } from './encryption/deployment-secrets.ts'
import { type MasterKeys, makeLocalMasterKeys } from './encryption/master-keys.ts'
import { countKeysToRewrap, requireMasterKeys, rewrapDuty } from './encryption/rewrap.ts'
import { encryptionChecks } from './encryption/store.ts'
import type { OpenData } from './events/event.ts'
import { openEvents } from './events/open.ts'
import { eventRoutes } from './events/routes.ts'
import { makeEventService } from './events/service.ts'
import { makeEventStreams } from './events/stream-service.ts'
import { type Authenticator, makeAuthenticator } from './http/authenticate.ts'
import { addDocs } from './http/docs.ts'
import type { HandlerOptions } from './http/handle.ts'
import type { Logger } from './http/log.ts'
import { type HttpMetrics, makeMetrics } from './http/metrics.ts'
import { buildOpenapi } from './http/openapi.ts'
import { operationRoutes } from './http/operations.ts'
import { startOperationsServer } from './http/operations-server.ts'
import { makeRateLimit } from './http/rate-limit.ts'
import type { Route } from './http/route.ts'
import { buildServer } from './http/server.ts'
import { makePages, type Pages } from './lib/pages.ts'
import type { Tier } from './organizations/organization.ts'
import { organizationRoutes } from './organizations/routes.ts'
import { makeOrganizationService } from './organizations/service.ts'
import { makeSandboxClock } from './sandbox/clock.ts'
import { clockRoutes, verificationRoutes } from './sandbox/routes.ts'
import { makeSandboxVerification } from './sandbox/verification.ts'
import { makeTokenService } from './tokens/service.ts'
import { verificationJob } from './verification/jobs.ts'
import { makeVerificationService } from './verification/service.ts'

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
    metrics.watch('svc_keys_to_rewrap', 'Keys still wrapped with a previous master key', async () => {
      const { dataKeys, deploymentSecrets } = await countKeysToRewrap(database, masterKeys)
      return dataKeys + deploymentSecrets
    })
    watch = watchRevisions(database, {
      onChange: (name) => services.forget(name),
      onStale: (error) =>
        log.warn({ err: error }, 'changes of others cannot be seen; nothing is taken from memory meanwhile'),
    })
    const address: Address = {
      baseUrl: config.publicUrl ?? `http://${config.host}:${config.port.number}`,
      isDraining: false,
    }
    const services = makeServices(options, { database, masterKeys, secret, watch, metrics, address })
    metrics.watch('svc_event_streams', 'Streams of events that are open', services.eventStreams.count)
    metrics.watchWaiting(services.verification.countWaiting)
    await watch.started // before it, the database's clock is not known here
    await services.tokens.keepFresh()
    await services.tokens.load()
    return {
      database,
      ...services,
      verify: () => verify(database, services.checks),
      startOperations: (port: number) =>
        startOperationsServer({ host: config.host, port, metrics, whyNotReady: () => whyNotReady(database, address) }),
      address,
      buildApi: () => buildApi(options, { database, secret, metrics, services, address }),
      startWorker: () => startJobs(options, { database, masterKeys, metrics, services }),
      close: async () => {
        await watch?.stop()
        await services.closeDocuments()
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

/** Where this process is reached, known for certain once it listens, and whether it still wants to be. */
type Address = { baseUrl: string; isDraining: boolean }

type ServiceParts = {
  database: Database
  masterKeys: MasterKeys
  secret: Buffer
  watch: RevisionWatch
  metrics: HttpMetrics
  address: Address
}

function makeServices(options: AppOptions, parts: ServiceParts) {
  const { config, log } = options
  const { database, masterKeys, secret, watch } = parts
  const { environment } = config
  const nowMs = watch.databaseNow
  const pages = makePages(deriveKey(secret, 'page tokens'))
  const auditKey = deriveKey(secret, 'audit')
  const audit = makeAudit(auditKey)
  const organizations = makeOrganizationService(database, pages, audit)
  const sealingKey = deriveKey(secret, 'signing keys')
  const tokens = makeTokenService({ database, sealingKey, audience: `svc:${environment}`, audit, nowMs })
  const credentials = makeCredentialService({
    ...{ database, pages, environment, organizations, tokens, audit, nowMs },
    isFresh: watch.isFresh,
    requestsPerMinute: (tier, limits) => limits.requestsPerMinute ?? config.requestsPerMinute[tier as Tier],
    onWrongEnvironment: () => log.warn('a key of the other environment was refused'),
  })
  const vault = makeVault(database, masterKeys, { isFresh: watch.isFresh })
  const openData: OpenData = (sealed) => openEvents(vault, sealed)
  return {
    ...makeCustomerServices(options, { ...parts, pages, audit, vault }),
    audit,
    vault,
    organizations,
    tokens,
    credentials,
    events: makeEventService(database, pages, openData),
    eventStreams: makeEventStreams({
      ...{ database, openData, cursorKey: deriveKey(secret, 'event cursors') },
      onError: (error) => log.warn({ err: error }, 'a stream of events could not be served and goes on later'),
    }),
    sandboxClock: makeSandboxClock(database, audit),
    checks: [...databaseChecks, ...encryptionChecks, ...eventChecks, ...auditChecks(auditKey)],
    /** Drops what this process remembers of things that another one changed. */
    forget: (name: RevisionName) => {
      if (name === 'data keys') return vault.forgetAll()
      credentials.forget()
      tokens.load().catch((error: unknown) => log.warn({ err: error }, 'the signing keys could not be read again'))
    },
  }
}

type CustomerParts = ServiceParts & { pages: Pages; audit: Audit; vault: Vault }

function makeCustomerServices({ config, log }: AppOptions, parts: CustomerParts) {
  const { database, secret, pages, audit, vault, metrics, address } = parts
  const documents = makeDocumentChecker({ threads: 2 })
  const customers = makeCustomerService({
    ...{ database, pages, vault, audit, documents },
    blobs: makeFolderBlobs(config.blobFolder),
    formKey: deriveKey(secret, 'form links'),
    formsUrl: () => config.formsUrl ?? `${address.baseUrl}/forms`,
    reviewDelayMs: config.verificationDelayMs,
    configuredMethods: Object.keys(paymentMethods),
  })
  const verification = makeVerificationService({
    ...{ database, customers },
    identityKey: deriveKey(secret, 'identities'),
    hasMagicNames: config.environment === 'sandbox',
    onDecided: metrics.observeVerification,
    onFailure: (error) => {
      metrics.countJobFailure('verification')
      log.error({ err: error }, 'a submission could not be verified and is tried again later')
    },
  })
  return {
    customers,
    verification,
    closeDocuments: documents.close,
    /** Not waited for: the workers do it too, a moment later. */
    startReview: (organizationId: string, customerId: string) => {
      customers
        .startReview(organizationId, customerId)
        .catch((error: unknown) => log.warn({ err: error }, 'a review starts later'))
    },
  }
}

type ApiParts = { database: Database; secret: Buffer; metrics: HttpMetrics; services: Services; address: Address }

async function buildApi({ config, version, log, checkAnswers = false }: AppOptions, parts: ApiParts): Promise<Api> {
  const { database, secret, metrics, services, address } = parts
  const { credentials, tokens, organizations, events, customers, verification, sandboxClock } = services
  const authenticate = makeAuthenticator({
    findCaller: credentials.authenticate,
    isKnown: credentials.isKnown,
    failuresPerMinute: config.failedAuthenticationsPerMinute,
  })
  const limitRate = makeRateLimit((...wanted) => grabTokens(database, ...wanted))
  const authenticateAndLimit: Authenticator = async (credential, from) => {
    const caller = await authenticate(credential, from)
    await limitRate(caller)
    return caller
  }
  const openapi = () => buildOpenapi(routes, { version, baseUrl: address.baseUrl })
  const routes: Route[] = [
    ...organizationRoutes(organizations, config.environment),
    ...apiKeyRoutes(credentials),
    ...tokenRoutes({ credentials, tokens, authenticate: authenticateAndLimit }),
    ...eventRoutes(events, services.eventStreams),
    ...customerRoutes({ customers, onCreated: services.startReview }),
    ...clockRoutes(sandboxClock),
    ...verificationRoutes(makeSandboxVerification(customers, verification, services.audit)),
    ...operationRoutes({
      ...{ version, environment: config.environment, metrics, openapi },
      whyNotReady: () => whyNotReady(database, address),
    }),
  ]
  const fingerprintKey = deriveKey(secret, 'request fingerprints')
  const isDraining = () => address.isDraining
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
      limitRate,
      fingerprintKey,
      openAnswer,
      checkAnswers,
      isDraining,
    },
    routes,
  )
  await addDocs(server)
  // Not at once when the process starts to drain: until the load balancer has noticed, readers would come back here.
  server.addHook('preClose', async () => services.eventStreams.stop())
  const recording = setInterval(() => {
    credentials.recordUses().catch((error: unknown) => log.warn({ err: error }, 'uses of keys could not be recorded'))
  }, recordUsesEveryMs)
  server.addHook('onClose', async () => clearInterval(recording))
  const drain = () => {
    address.isDraining = true
  }
  return { server, routes, drain }
}

async function whyNotReady(database: Database, { isDraining }: Address): Promise<string | undefined> {
  if (isDraining) return 'This process is stopping'
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
    {
      name: 'collect orphaned files',
      everyMs: hourMs,
      // A day: no request takes as long, so whatever is older and nobody's will stay nobody's.
      run: () => services.customers.collectOrphans(new Date(Date.now() - 24 * hourMs)),
    },
    rewrapDuty(database, masterKeys, config.leaseMs),
  ]
  const jobs: Job[] = [
    await dutiesJob(database, duties, config.leaseMs),
    makeSequencerJob(database, config.leaseMs),
    services.audit.sealerJob(database, config.leaseMs),
    verificationJob(services.verification, config.leaseMs),
  ]
  return startWorker(jobs, {
    onError: (job, error) => {
      metrics.countJobFailure(job)
      log.error({ err: error, job }, 'a background batch failed and will be tried again')
    },
  })
}
