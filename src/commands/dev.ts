import path from 'node:path'
import type { Config } from '../config.ts'
import type { Logger } from '../http/log.ts'
import { startAllChains } from './processes/chains-process.ts'
import { startSignerProcess, waitForAddresses } from './processes/signer-process.ts'
import { ensureDevKey, writeDevEnv } from './secrets.ts'
import { openApp, type Running, startApi, startOperations } from './serve.ts'

const addressTimeoutMs = 10_000

/** Runs API and workers in one process, with the embedded database and a signer process. `npm start` calls it. */
export async function startDev(config: Config, log: Logger, print: (line: string) => void): Promise<Running> {
  const startingChains = config.sandboxChains === 'local' ? startAllChains(log) : undefined
  const stopChains = async () => (await startingChains?.catch(() => undefined))?.stop()
  const { app, location, close } = await openApp(config, log, {
    runsAllRoles: true,
    localChains: startingChains,
  }).catch(async (error: unknown) => {
    await stopChains()
    throw error
  })
  const chains = await startingChains
  const signer = startSignerProcess(log)
  try {
    const worker = await app.startWorker()
    // The key comes first: a script that sees the service answer finds dev.env a moment later.
    const apiKey = await ensureDevKey(config.dataFolder, app.credentials)
    // Gives the first quote a price; from now on the worker refreshes the rates.
    await app.rates.refresh()
    await app.rates.load()
    const api = await startApi(app, config)
    await writeDevEnv(config.dataFolder, api.baseUrl, apiKey)
    const operations = await startOperations(app, config)
    await waitForAddresses(app.custody, log, addressTimeoutMs)
    const envFile = path.relative(process.cwd(), path.join(config.dataFolder, 'dev.env'))
    if (api.movedFromPort) print(`Port ${api.movedFromPort} is in use, so Svc uses the next free one.\n`)
    print(
      [
        `Svc is running in ${config.environment} mode.`,
        '',
        `  API          ${api.baseUrl}`,
        `  Docs         ${api.baseUrl}/docs`,
        `  API key      ${apiKey}`,
        ...(chains ? [`  EVM nodes    ${chains.rpcUrls.ETHEREUM} … (GET /sandbox/chains lists them)`] : []),
        ...(chains ? [`  Solana node  ${chains.rpcUrls.SOLANA}`] : []),
        `  Data folder  ${config.dataFolder}`,
        `  Database     ${location.description}`,
        '',
        'Try this in another terminal:',
        '',
        `  curl -H 'Authorization: Bearer ${apiKey}' ${api.baseUrl}/organizations`,
        '',
        `Your scripts find address and key in ${quoted(envFile)}. Ctrl-C stops Svc and keeps all data.`,
        '',
      ].join('\n'),
    )
    return {
      stop: async () => {
        // The signer stops first: once the API is down, no process uses the database any more.
        await signer.stop()
        await api.stop()
        await operations.stop()
        await worker.stop()
        await close()
        await stopChains()
      },
    }
  } catch (error) {
    await signer.stop()
    await close()
    await stopChains()
    throw error
  }
}

function quoted(file: string): string {
  return file.includes(' ') ? `"${file}"` : file
}
