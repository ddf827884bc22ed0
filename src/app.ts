import { appRole, openDatabase } from './db/database.ts'
import { claimEnvironment, requireRole } from './db/deployment.ts'
import { requireCurrentSchema } from './db/migrate.ts'
import { type RevisionWatch, watchRevisions } from './db/revisions.ts'
import { openDeploymentSecret } from './encryption/deployment-secrets.ts'
import { createLocalMasterKeys } from './encryption/master-keys.ts'
import { requireMasterKeys } from './encryption/rewrap.ts'
import { createMetrics } from './http/metrics.ts'
import { startOperationsServer } from './http/operations-server.ts'
import { buildApi } from './wiring/api.ts'
import type { Address, AppDeps } from './wiring/deps.ts'
import { startJobs } from './wiring/jobs.ts'
import { watchServices } from './wiring/metrics.ts'
import { createReadiness } from './wiring/readiness.ts'
import { createServices, verifyAll } from './wiring/services.ts'

export type App = Awaited<ReturnType<typeof buildApp>>

/** Settings, database and adapters in, services out: wiring/ joins the parts, and no logic lives in either. */
export async function buildApp(deps: AppDeps) {
  const { config, log } = deps
  const database = openDatabase({
    ...deps.database,
    onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
  })
  let watch: RevisionWatch | undefined
  try {
    await requireRole(database, appRole, 'DATABASE_URL')
    await requireCurrentSchema(database)
    await claimEnvironment(database, config.environment)
    const masterKeys = createLocalMasterKeys(deps.masterKeys.current, deps.masterKeys.previous)
    await requireMasterKeys(database, masterKeys)
    const secret = await openDeploymentSecret(database, masterKeys, 'deployment')
    const metrics = createMetrics()
    watch = watchRevisions(database, {
      onChange: (name) => services.forget(name),
      onStale: (error) =>
        log.warn({ err: error }, 'changes of others cannot be seen; nothing is taken from memory meanwhile'),
    })
    const address: Address = {
      baseUrl: config.publicUrl ?? `http://${config.host}:${config.port.number}`,
      isDraining: false,
    }
    const services = createServices(deps, { database, masterKeys, secret, watch, metrics, address })
    watchServices({ database, masterKeys, metrics, services })
    await watch.started // before it, the database's clock is not known here
    await services.tokens.keepFresh()
    await Promise.all([services.tokens.load(), services.rates.load()])
    return {
      database,
      ...services,
      verify: () => verifyAll(database, services, 'command line'),
      startOperations: (port: number) =>
        startOperationsServer({
          ...{ host: config.host, port, metrics, readiness: createReadiness({ database, services, address }) },
        }),
      address,
      buildApi: () => buildApi(deps, { database, secret, metrics, services, address }),
      startWorker: () => startJobs(deps, { database, masterKeys, metrics, services }),
      close: async () => {
        await watch?.stop()
        await services.closeDocuments()
        await services.closeRates()
        await services.closeProvider()
        await services.closeOutbound()
        await services.closeCounterparty()
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
