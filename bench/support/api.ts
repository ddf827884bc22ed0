import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { verify } from '../../src/db/verify.ts'
import { createLogger } from '../../src/http/log.ts'
import { makeCalls } from './customers.ts'
import type { BenchDatabase } from './database.ts'
import { reportInvariant } from './report.ts'

/** Starts the API in this process, without workers. */
export async function startBenchApi(database: BenchDatabase, masterKey: Buffer) {
  const config = readConfig(
    { SVC_RATE_LIMIT_SANDBOX: '0', SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_SANDBOX_BANK: 'memory' },
    process.cwd(),
  )
  // Formats and writes every log line, as in production, but discards the output.
  const log = createLogger('info', new Writable({ write: (_line, _encoding, done) => done() }))
  const masterKeys = { current: masterKey, previous: [] }
  const app = await buildApp({ config, version: '0', log, masterKeys, database: database.app })
  const { server } = await app.buildApi()
  await server.listen({ host: '127.0.0.1', port: 0 })
  const baseUrl = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  const { apiKey } = await app.credentials.createFullKey('Bench')
  const stop = async () => {
    await server.close()
    await app.close()
  }
  return { app, baseUrl, calls: makeCalls(baseUrl, apiKey), stop }
}

/** Runs the ledger checks only: the copied customers and wallets would violate others. */
export async function checkLedger(app: App): Promise<void> {
  const { checks } = await verify(app.database, app.ledger.checks)
  const broken = checks.filter(({ ok }) => !ok)
  console.log(broken.length === 0 ? 'every ledger check passes' : `LEDGER CHECKS FAILED: ${JSON.stringify(broken)}`)
  reportInvariant('every ledger check', broken.length === 0)
}
