import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import { startChainsProcess } from '../../src/commands/processes/chains-process.ts'
import { startSignerProcess, waitForAddresses } from '../../src/commands/processes/signer-process.ts'
import { openApp, startApi } from '../../src/commands/serve.ts'
import { readConfig } from '../../src/config.ts'
import { createLogger } from '../../src/http/log.ts'
import { newId } from '../../src/lib/ids.ts'
import { makeCalls } from './customers.ts'

export type WholeService = Awaited<ReturnType<typeof startWholeService>>
type Created = { transferInstructions?: { transferMessage?: string } }

/**
 * Starts Svc as `npm start` does, on a new folder, with the signer, and local chains where they are named, in processes
 * of their own. No worker runs yet.
 */
export async function startWholeService(settings: Record<string, string>, localChains?: 'evm' | 'solana') {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'svc-bench-'))
  const always = { SVC_RATE_LIMIT_SANDBOX: '0', SVC_SANDBOX_VERIFICATION_DELAY: '0' }
  Object.assign(process.env, { SVC_DATA_DIR: folder, PORT: '0', ...always, ...settings })
  const config = readConfig(process.env, process.cwd())
  // Formats and writes every log line, as in production, but shows warnings only.
  const sink = new Writable({
    write: (line, _encoding, done) => {
      if (/"level":(40|50|60)/.test(String(line))) process.stderr.write(String(line))
      done()
    },
  })
  const log = createLogger('info', sink)
  const chains = localChains && (await startChainsProcess(localChains, log))
  const { app, close } = await openApp(config, log, {
    runsAllRoles: true,
    localChains: chains && Promise.resolve(chains),
  })
  const signer = startSignerProcess(log)
  signer.release()
  const { baseUrl, stop: stopApi } = await startApi(app, config, log)
  await waitForAddresses(app.custody, log, 60_000)
  const { apiKey } = await app.credentials.createFullKey('Bench')
  const calls = makeCalls(baseUrl, apiKey)
  return {
    app,
    chains,
    baseUrl,
    calls,
    /** Quotes and creates a payment. */
    pay: async (quote: object): Promise<Created> => {
      const { quoteId } = await calls.send('POST', '/quotes', quote)
      const headers = { ...calls.headers, 'x-idempotency-key': newId() }
      const body = JSON.stringify({ quoteId })
      const answer = await fetch(`${baseUrl}/transactions`, { method: 'POST', headers, body })
      if (answer.status !== 201) throw new Error(`a transaction was not created: ${await answer.text()}`)
      return (await answer.json()) as Created
    },
    stop: async () => {
      await stopApi()
      await signer.stop()
      await close()
      await chains?.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
