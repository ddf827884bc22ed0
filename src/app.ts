import { createAudit } from './db/audit/audit.ts'
import { appRole, openDatabase } from './db/database.ts'
import { claimEnvironment, requireRole } from './db/deployment.ts'
import { requireCurrentSchema } from './db/migrate.ts'
import { pollRevisions, type RevisionPoller } from './db/revisions.ts'
import type { CheckResult } from './db/verify.ts'
import { createVault } from './encryption/data-keys.ts'
import { deriveKey, openDeploymentSecret } from './encryption/deployment-secrets.ts'
import { createLocalMasterKeys } from './encryption/master-keys.ts'
import { requireMasterKeys } from './encryption/rewrap.ts'
import { createMetrics } from './http/metrics.ts'
import { startOperationsServer } from './http/operations-server.ts'
import { createPages } from './lib/pages.ts'
import { sandboxBankAccounts } from './sandbox/bank-accounts.ts'
import { buildApi } from './wiring/api.ts'
import type { AppOptions, Deps } from './wiring/deps.ts'
import { startJobs } from './wiring/jobs.ts'
import { registerGauges } from './wiring/metrics.ts'
import { announceScreeningOnce, createReadiness } from './wiring/readiness.ts'
import { createServices } from './wiring/services.ts'

export type App = Awaited<ReturnType<typeof buildApp>>

/** Builds a process from its options: opens the database and wires the capabilities. Holds no logic, like wiring/. */
export async function buildApp(options: AppOptions) {
  const { config, log } = options
  const database = openDatabase({
    ...options.database,
    onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
    onAnswer: log.databaseAnswers,
  })
  let revisions: RevisionPoller | undefined
  try {
    await requireRole(database, appRole, 'DATABASE_URL')
    await requireCurrentSchema(database)
    await claimEnvironment(database, config.environment)
    const masterKeys = createLocalMasterKeys(options.masterKeys.current, options.masterKeys.previous)
    await requireMasterKeys(database, masterKeys)
    const secret = await openDeploymentSecret(database, masterKeys, 'deployment')
    revisions = pollRevisions(database, {
      onChange: (name) => services.forget(name),
      onStale: (error) =>
        log.warn({ err: error }, 'this process cannot see the changes of others and bypasses its caches'),
    })
    const deps = createDeps(options, { database, masterKeys, secret, revisions })
    const services = createServices(deps)
    registerGauges(deps, services)
    await revisions.started // until then, this process does not know the database's clock
    if (config.treasuryApprovals > 1) await services.treasury.requireTwoPersons()
    if (config.environment === 'sandbox') await services.treasury.openSandboxAccounts(sandboxBankAccounts)
    await services.sandboxClock.announce()
    await services.tokens.renewKeys()
    await Promise.all([services.tokens.load(), services.rates.load()])
    // One of the processes that share a port tells it for all.
    const announce = (options.siblings?.number ?? 1) === 1 ? announceScreeningOnce(deps, services) : async () => {}
    return {
      database,
      ...services,
      verify: (onResult?: (result: CheckResult) => void) => services.checks.verify('command line', onResult),
      startOperations: (port: number) =>
        startOperationsServer({
          listen: { host: config.metricsHost, port, ...options.siblings?.listenOptions },
          metrics: deps.metrics,
          readiness: createReadiness(deps, services),
        }),
      processState: deps.processState,
      buildApi: async () => {
        await announce()
        return buildApi(deps, services)
      },
      startWorker: async () => {
        await announce()
        return startJobs(deps, services)
      },
      close: async () => {
        services.screening.stop()
        await revisions?.stop()
        await services.closeDocuments()
        await services.closeRates()
        await services.closeProvider()
        await services.closeOutbound()
        await services.closeAnchors()
        await services.closeCounterparty()
        await services.closeChains()
        await services.credentials.recordUses().catch(() => {})
        await database.close()
      },
    }
  } catch (error) {
    await revisions?.stop()
    await database.close()
    throw error
  }
}

function createDeps(options: AppOptions, opened: Pick<Deps, 'database' | 'masterKeys' | 'secret' | 'revisions'>): Deps {
  const {
    config,
    version,
    log,
    checkAnswers = false,
    siblings,
    localChains,
    onChainNews,
    moreRoutes = [],
    onPoint = () => {},
  } = options
  const { database, masterKeys, secret, revisions } = opened
  const metrics = createMetrics(siblings)
  const auditKey = deriveKey(secret, 'audit')
  return {
    ...opened,
    config,
    version,
    log,
    checkAnswers,
    localChains,
    onChainNews,
    moreRoutes,
    onPoint,
    metrics,
    auditKey,
    connection: options.database,
    processState: { baseUrl: config.publicUrl ?? `http://${config.host}:${config.port.number}`, isDraining: false },
    pages: createPages(deriveKey(secret, 'page tokens')),
    audit: createAudit(auditKey),
    vault: createVault(database, masterKeys, { isFresh: revisions.isFresh }),
    onJobFailure: (job, message) => (error) => {
      metrics.countJobFailure(job)
      log.error({ err: error }, message)
    },
    onSetFailure: (job) => (error) => {
      metrics.countSetFailure(job)
      log.warn({ err: error, job }, 'a set of payments was rolled back and is settled one by one')
    },
  }
}
