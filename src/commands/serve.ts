import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { type App, buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import type { DatabaseLocation } from '../db/locate.ts'
import { locateDatabase } from '../db/locate.ts'
import type { Logger } from '../http/log.ts'
import type { Siblings } from '../http/metrics.ts'
import type { AppOptions } from '../wiring/deps.ts'
import { type LocalChainsLink, type OnChainNews, withLocalNodes } from './processes/chains-process.ts'
import { shareLimits } from './processes/shares.ts'
import { joinSiblings, type Place, tellStarted } from './processes/siblings.ts'
import { loadMasterKeys } from './secrets.ts'
import { prepareDatabase } from './start/database.ts'
import { listenOnFreePort } from './start/ports.ts'
import { packageVersion } from './version.ts'

/**
 * A running role. `stop` drains open requests and keeps all data. `abandon` frees the ports at once, without waiting for a
 * load balancer: the supervisor of this process has died, and the next one needs them.
 */
export type Running = { stop(): Promise<void>; abandon?(): void }

export type RunningApi = Running & { baseUrl: string; movedFromPort: number | undefined }

/** Opens the database and builds the app. `runsAllRoles`: this process runs every role and migrates the database. */
export async function openApp(
  config: Config,
  log: Logger,
  {
    runsAllRoles,
    database,
    localChains,
    siblings,
  }: {
    runsAllRoles: boolean
    /** The database, where the caller has begun to prepare it. */
    database?: Promise<DatabaseLocation>
    localChains?: Promise<LocalChainsLink & { onNews: OnChainNews }> | undefined
    /** The processes beside this one, whose supervisor has prepared the database. */
    siblings?: Siblings
  },
): Promise<{ app: App; location: DatabaseLocation; close(): Promise<void> }> {
  const location = await (database ??
    (siblings
      ? locateDatabase({ ...config, mayShare: true, log: (message) => log.info(message) })
      : prepareDatabase(config, log, { runsAllRoles })))
  try {
    const masterKeys = await loadMasterKeys(config)
    const chains = await localChains
    const options: AppOptions = {
      config: chains ? withLocalNodes(config, chains.rpcUrls) : config,
      version: packageVersion(),
      log,
      masterKeys,
      database: location.app,
      siblings,
      localChains: chains?.control,
      onChainNews: chains?.onNews,
    }
    const app = await buildApp(options)
    return {
      app,
      location,
      close: async () => {
        await app.close()
        await location.stop()
      },
    }
  } catch (error) {
    await location.stop()
    throw error
  }
}

/** Runs the API alone. */
export async function startServe(config: Config, log: Logger, siblings?: Siblings): Promise<Running & RunningApi> {
  const { app, close } = await openApp(config, log, { runsAllRoles: false, ...(siblings ? { siblings } : {}) })
  const api = await startApi(app, config, log, siblings).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const operations = await startOperations(app, config)
  // The supervisor tells the address once for all.
  if (siblings) log.info('an API process is listening')
  else log.info({ baseUrl: api.baseUrl }, 'the API is listening')
  return {
    ...api,
    stop: () => api.stop().then(operations.stop).then(close),
    abandon: () => {
      api.abandon?.()
      operations.abandon?.()
    },
  }
}

/** Runs one of several API processes that share a port. */
export async function startSibling(config: Config, log: Logger, place: Place): Promise<Running> {
  const port = { number: place.port, isExplicit: true }
  const running = await startServe({ ...shareLimits(config), port }, log, joinSiblings(place))
  tellStarted(running.baseUrl)
  return running
}

/** Starts the port for metrics and health checks, if one is set. */
export async function startOperations(app: App, { metricsPort }: Config): Promise<Running> {
  if (metricsPort === undefined) return { stop: async () => {} }
  const server = await app.startOperations(metricsPort)
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { stop: async () => close(), abandon: close }
}

export async function startApi(app: App, config: Config, log: Logger, siblings?: Siblings): Promise<RunningApi> {
  const { server, drain } = await app.buildApi()
  await listenOnFreePort(config, (port) => server.listen({ host: config.host, port, ...siblings?.listenOptions }))
  const { port } = server.server.address() as AddressInfo
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host
  const baseUrl =
    config.publicUrl ?? `${config.tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
  app.processState.baseUrl = baseUrl
  const abandoned = new AbortController()
  return {
    baseUrl,
    movedFromPort: port === config.port.number || config.port.number === 0 ? undefined : config.port.number,
    stop: async () => {
      drain()
      // The load balancer needs this time to read /readyz and stop sending requests.
      await setTimeout(config.drainDelayMs, undefined, { signal: abandoned.signal }).catch(() => {})
      const timer = globalThis.setTimeout(() => {
        log.warn('connections were cut because their requests did not end')
        server.server.closeAllConnections()
      }, longestDrainMs)
      await server.close()
      clearTimeout(timer)
    },
    abandon: () => abandoned.abort(),
  }
}

// Requests without an answer by then are cut; their callers retry with their idempotency keys.
const longestDrainMs = 25_000
