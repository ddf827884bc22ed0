import { createSecretKey, hkdfSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { type Database, type DatabaseOptions, doesAnswer, openDatabase } from './db/database.ts'
import { claimEnvironment } from './db/deployment.ts'
import { requireCurrentSchema } from './db/migrate.ts'
import { databaseChecks, readLastViolations, verify } from './db/verify.ts'
import { dutiesJob, startWorker, type Worker } from './db/work.ts'
import { addDocs } from './http/docs.ts'
import type { Logger } from './http/log.ts'
import { makeMetrics } from './http/metrics.ts'
import { buildOpenapi } from './http/openapi.ts'
import { operationRoutes } from './http/operations.ts'
import type { Route } from './http/route.ts'
import { buildServer } from './http/server.ts'
import { makePages } from './lib/pages.ts'
import { apiKeyRoutes, organizationRoutes } from './organizations/routes.ts'
import { makeOrganizationService } from './organizations/service.ts'
import { makeSandboxClock } from './sandbox/clock.ts'
import { sandboxRoutes } from './sandbox/routes.ts'

export type AppOptions = {
  config: Config
  masterKey: Buffer
  database: Pick<DatabaseOptions, 'connection' | 'role'>
  log: Logger
  checkAnswers?: boolean
}

export type App = Awaited<ReturnType<typeof buildApp>>

const hourMs = 3_600_000
export const checks = [...databaseChecks]

/** The only wiring: settings, database and adapters in, services out. No logic lives here. */
export async function buildApp({ config, masterKey, database: location, log, checkAnswers = false }: AppOptions) {
  const database = openDatabase({
    ...location,
    onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
  })
  try {
    await requireCurrentSchema(database)
    await claimEnvironment(database, config.environment)
  } catch (error) {
    await database.close()
    throw error
  }
  const metrics = makeMetrics()
  metrics.watch('svc_invariants_violated', 'Invariants that the last hourly check found violated', () =>
    readLastViolations(database),
  )
  const pages = makePages(deriveKey(masterKey, 'page tokens'))
  const organizations = makeOrganizationService(database, pages, config.environment)
  const sandboxClock = makeSandboxClock(database)

  return {
    database,
    organizations,
    buildApi: async (baseUrl: () => string): Promise<Api> => {
      let draining = false
      const version = packageVersion()
      const routes = [
        ...organizationRoutes(organizations, config.environment),
        ...apiKeyRoutes(organizations),
        ...sandboxRoutes(sandboxClock),
      ]
      const served: Route[] = [
        ...routes,
        ...operationRoutes({
          version,
          environment: config.environment,
          metrics,
          whyNotReady: () => whyNotReady(database, draining),
          openapi: () => buildOpenapi(served, { version, baseUrl: baseUrl() }),
        }),
      ]
      const { authenticate } = organizations
      const server = await buildServer(
        { ...config, checkAnswers, log, metrics, authenticate, isDraining: () => draining },
        served,
      )
      await addDocs(server)
      return {
        server,
        routes: served,
        drain: () => {
          draining = true
        },
      }
    },
    startWorker: async (): Promise<Worker> => {
      const duties = [{ name: 'verify', everyMs: hourMs, run: () => verify(database, checks) }]
      return startWorker([await dutiesJob(database, duties, config.leaseMs)], {
        onError: (job, error) => {
          metrics.countJobFailure(job)
          log.error({ err: error, job }, 'a background batch failed and will be tried again')
        },
      })
    },
    close: () => database.close(),
  }
}

export type Api = { server: FastifyInstance; routes: readonly Route[]; drain(): void }

async function whyNotReady(database: Database, draining: boolean): Promise<string | undefined> {
  if (draining) return 'This process is stopping'
  return (await doesAnswer(database)) ? undefined : 'The database does not answer'
}

/** One key per purpose: a leak of one says nothing about the others. */
function deriveKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', createSecretKey(masterKey), '', `svc ${purpose}`, 32))
}

export function packageVersion(): string {
  const file = path.join(import.meta.dirname, '..', 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
