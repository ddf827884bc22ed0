import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { type App, buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import { type DatabaseLocation, locateDatabase } from '../db/locate.ts'
import { migrate } from '../db/migrate.ts'
import type { Logger } from '../http/log.ts'
import type { AppOptions } from '../wiring/deps.ts'
import { type LocalChainsLink, type OnChainNews, withLocalNodes } from './processes/chains-process.ts'
import { loadMasterKeys } from './secrets.ts'
import { packageVersion } from './version.ts'

/** A running role. `stop` drains open requests and keeps all data. */
export type Running = { stop(): Promise<void> }

export type RunningApi = Running & { baseUrl: string; movedFromPort: number | undefined }

/** Opens the database and builds the app. `runsAllRoles`: this process runs every role and migrates the database. */
export async function openApp(
  config: Config,
  log: Logger,
  {
    runsAllRoles,
    localChains,
  }: { runsAllRoles: boolean; localChains?: Promise<LocalChainsLink & { onNews: OnChainNews }> | undefined },
): Promise<{ app: App; location: DatabaseLocation; close(): Promise<void> }> {
  const location = await locateDatabase({ ...config, mayShare: !runsAllRoles, log: (message) => log.info(message) })
  try {
    // No administrator migrates the embedded database, so this process does.
    if (runsAllRoles || !config.databaseUrl) {
      const applied = await migrate(location.owner)
      if (applied.length > 0) log.info({ applied }, 'migrated the database schema')
    }
    const masterKeys = await loadMasterKeys(config)
    const chains = await localChains
    const options: AppOptions = {
      config: chains ? withLocalNodes(config, chains.rpcUrls) : config,
      version: packageVersion(),
      log,
      masterKeys,
      database: location.app,
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

/** Starts the port for metrics and health checks, if one is set. */
export async function startOperations(app: App, { metricsPort }: Config): Promise<Running> {
  if (metricsPort === undefined) return { stop: async () => {} }
  const server = await app.startOperations(metricsPort)
  return {
    stop: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

export async function startApi(app: App, config: Config): Promise<RunningApi> {
  const { server, drain } = await app.buildApi()
  await listenOnFreePort(config, (port) => server.listen({ host: config.host, port }))
  const { port } = server.server.address() as AddressInfo
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host
  const baseUrl =
    config.publicUrl ?? `${config.tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
  app.processState.baseUrl = baseUrl
  return {
    baseUrl,
    movedFromPort: port === config.port.number || config.port.number === 0 ? undefined : config.port.number,
    stop: async () => {
      drain()
      // The load balancer needs this time to read /readyz and stop sending requests.
      await setTimeout(config.drainDelayMs)
      const timer = globalThis.setTimeout(() => server.server.closeAllConnections(), longestDrainMs)
      await server.close()
      clearTimeout(timer)
    },
  }
}

// Requests without an answer by then are cut; their callers retry with their idempotency keys.
const longestDrainMs = 25_000
const portsToTry = 50

/** Listens on the port of the setting PORT, or else on the first free port from the default on. */
async function listenOnFreePort({ port, host }: Config, listen: (port: number) => Promise<unknown>): Promise<void> {
  for (let number = port.number; ; number++) {
    try {
      await listen(number)
      return
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== 'EADDRINUSE') throw error
      if (port.isExplicit) throw new Error(`PORT=${number} is in use on ${host}. Choose another port, or unset PORT.`)
      if (number >= port.number + portsToTry)
        throw new Error(`The ports ${port.number} to ${number} are in use. Set PORT to a free one.`)
    }
  }
}
