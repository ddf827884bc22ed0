import path from 'node:path'
import type { Config } from '../config.ts'
import type { DatabaseLocation } from '../db/locate.ts'
import type { Logger } from '../http/log.ts'
import { type LocalChainsLink, startAllChains } from './processes/chains-process.ts'
import { startSignerProcess, waitForAddresses } from './processes/signer-process.ts'
import { loadMasterKeys } from './secrets.ts'
import type { Running } from './serve.ts'
import { lockDataFolder, requireDataFolder } from './start/data-folder.ts'
import { prepareDatabase } from './start/database.ts'
import { requirePlaces } from './start/places.ts'
import { requirePorts } from './start/ports.ts'

const addressTimeoutMs = 10_000

/** Runs API and workers in one process, with the embedded database and a signer process. `npm start` calls it. */
export async function startDev(config: Config, log: Logger, print: (line: string) => void): Promise<Running> {
  await requirePorts(config, 'dev')
  await requirePlaces(config, log, 'dev')
  await requireDataFolder(config.dataFolder)
  // Before anything is opened: a second start must not touch the chains of the first.
  const lock = await lockDataFolder(config.dataFolder)
  try {
    // A damaged key ends the start here: what has begun to start would fail with it, and say other things.
    await loadMasterKeys(config)
    const running = await startLocked(config, log, print)
    return { stop: () => running.stop().finally(lock.release) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function startLocked(config: Config, log: Logger, print: (line: string) => void): Promise<Running> {
  // All of them start while this process loads its own code.
  const startingChains = config.sandboxChains === 'local' ? startAllChains(log) : undefined
  const signer = startSignerProcess(log)
  const database = prepareDatabase(config, log, { runsAllRoles: true }).then((location) => ({
    ...location,
    // A signer that still starts would report a database that is gone, above the reason why this start fails.
    stop: () => signer.stop().then(location.stop),
  }))
  const stopOthers = async () => {
    await signer.stop()
    await (await startingChains?.catch(() => undefined))?.stop()
  }
  const opening = openAll(config, log, { database, localChains: startingChains, release: signer.release })
  const { app, location, close } = await opening.catch(async (error: unknown) => {
    await stopOthers()
    await (await database.catch(() => undefined))?.stop()
    throw error
  })
  const [{ startApi, startOperations }, { ensureDevKey, writeDevEnv }] = await loadCode()
  const chains = await startingChains
  const started: { worker?: Running; api?: Running; operations?: Running } = {}
  const stop = async () => {
    // The signer stops first: once the API is down, no process uses the database any more.
    await signer.stop()
    await started.api?.stop()
    await started.operations?.stop()
    await started.worker?.stop()
    await close()
    await stopOthers()
  }
  try {
    // The key comes first: a script that sees the service answer finds dev.env a moment later.
    const apiKey = await ensureDevKey(config.dataFolder, app.credentials)
    // Gives the first quote a price; from now on the worker refreshes the rates.
    await app.rates.refresh()
    await app.rates.load()
    app.processState.localKey = apiKey
    const api = await startApi(app, config, log)
    started.api = api
    await writeDevEnv(config.dataFolder, api.baseUrl, apiKey)
    started.operations = await startOperations(app, config)
    started.worker = await app.startWorker()
    // A pool that an earlier start has filled tells nothing about this signer.
    await signer.started
    await waitForAddresses(app.custody, log, addressTimeoutMs)
    if (api.movedFromPort) print(`Port ${api.movedFromPort} is in use, so Svc uses the next free one.\n`)
    print(describeStart(config, { baseUrl: api.baseUrl, apiKey, chains, database: location.description }))
    return { stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Started = { baseUrl: string; apiKey: string; chains: LocalChainsLink | undefined; database: string }

function describeStart({ environment, dataFolder }: Config, { baseUrl, apiKey, chains, database }: Started): string {
  const envFile = path.relative(process.cwd(), path.join(dataFolder, 'dev.env'))
  return [
    `Svc is running in ${environment} mode.`,
    '',
    `  Start here   ${baseUrl}/`,
    `  API          ${baseUrl}`,
    `  Docs         ${baseUrl}/docs`,
    `  API key      ${apiKey}`,
    ...(chains ? [`  EVM nodes    ${chains.rpcUrls.ETHEREUM} … (GET /sandbox/chains lists them)`] : []),
    ...(chains ? [`  Solana node  ${chains.rpcUrls.SOLANA}`] : []),
    `  Data folder  ${dataFolder}`,
    `  Database     ${database}`,
    '',
    'Try this in another terminal:',
    '',
    `  curl -H 'Authorization: Bearer ${apiKey}' ${baseUrl}/organizations`,
    '',
    `Your scripts find address and key in ${quoted(envFile)}. Ctrl-C stops Svc and keeps all data.`,
    '',
  ].join('\n')
}

function loadCode() {
  return Promise.all([import('./serve.ts'), import('./secrets.ts')])
}

type Opening = {
  database: Promise<DatabaseLocation>
  localChains: ReturnType<typeof startAllChains> | undefined
  /** Lets the signer begin, once the database and the nodes of the local chains are there. */
  release(): void
}

async function openAll(config: Config, log: Logger, { database, localChains, release }: Opening) {
  const ready = Promise.all([database, localChains]).then(release)
  const [[{ openApp }]] = await Promise.all([loadCode(), ready])
  return openApp(config, log, { runsAllRoles: true, database, localChains })
}

function quoted(file: string): string {
  return file.includes(' ') ? `"${file}"` : file
}
