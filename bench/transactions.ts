import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { verify } from '../src/db/verify.ts'
import { makeLogger } from '../src/http/log.ts'
import { newId } from '../src/lib/ids.ts'
import { createTransactions } from '../src/transactions/store.ts'
import { makeCpuMeter } from './support/cpu.ts'
import { makeCalls } from './support/customers.ts'
import { median, withDatabase } from './support/database.ts'
import { hammer } from './support/hammer.ts'
import { fillWallets } from './support/wallets.ts'

/**
 * POST /transactions over many wallets and over one that everybody spends from, against its own limit: the same
 * statement for one transaction at a time, from eight prepared connections and nothing around it. They take turns, so
 * that the ratio means something on a shared machine; after every run each invariant of the ledger is checked.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
    wallets: { type: 'string', default: '10000' },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const [connections, wallets] = [Number(values.connections), Number(values.wallets)]
const warmUpSeconds = 6
/** More than anybody makes in a second: a quote is good for one transaction. */
const quotesPerSecond = 3_000

type Story = { name: string; quotes: string[]; least: number }

await withDatabase(async (database) => {
  const config = readConfig({ SVC_RATE_LIMIT_SANDBOX: '0', SVC_SANDBOX_VERIFICATION_DELAY: '0' }, process.cwd())
  // Log lines are made and written, as in production, only not to this terminal.
  const log = makeLogger('info', new Writable({ write: (_line, _encoding, done) => done() }))
  const masterKeys = { current: Buffer.alloc(32, 7), previous: [] }
  const app = await buildApp({ config, version: '0', log, masterKeys, database: database.app })
  const api = await app.buildApi()
  await api.server.listen({ host: '127.0.0.1', port: 0 })
  const baseUrl = `http://127.0.0.1:${(api.server.server.address() as AddressInfo).port}`
  const { apiKey } = await app.credentials.createFullKey('Bench')
  const calls = makeCalls(baseUrl, apiKey)
  const quoteCount = 2 * (warmUpSeconds + rounds * seconds) * quotesPerSecond
  const { organizationId, many, hot } = await fillWallets(app, database, calls, { wallets, quoteCount })
  const direct = openDatabase({ ...database.app, connections: 8 })
  const cpu = await makeCpuMeter(app.database)

  const overHttp = ({ quotes }: Story, forSeconds: number) => {
    const bodies = quotes.splice(0, forSeconds * quotesPerSecond).map((quoteId) => JSON.stringify({ quoteId }))
    const url = `${baseUrl}/transactions`
    const load = { url, headers: calls.headers, bodies, connections, seconds: forSeconds, expectStatus: 201 }
    return cpu.measure(() => hammer({ ...load, isKeyed: true }))
  }
  const ownLimit = ({ quotes }: Story, forSeconds: number) =>
    callDirectly(direct, organizationId, quotes.splice(0, forSeconds * quotesPerSecond), forSeconds)

  for (const story of [
    { name: `${wallets} wallets`, quotes: many, least: 0.6 },
    { name: 'one hot wallet', quotes: hot, least: 1 },
  ]) {
    await overHttp(story, warmUpSeconds)
    await ownLimit(story, warmUpSeconds)
    // Plans that were made while the tables were empty are made again, as autovacuum sees to in a minute.
    await analyze(database.owner)
    const results: Record<'ratio' | 'tail' | 'micros', number>[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const limit = await ownLimit(story, seconds)
      const http = await overHttp(story, seconds)
      results.push({ ratio: http.perSecond / limit, tail: http.p99Ms / http.p50Ms, micros: http.microsEach })
      const shown = `${http.perSecond.toFixed(0)}/s p50 ${http.p50Ms.toFixed(1)} p99 ${http.p99Ms.toFixed(1)} ms`
      const parts = `${http.nodeMicrosEach.toFixed(0)} + ${http.postgresMicrosEach.toFixed(0)} µs`
      console.log(`${story.name}, round ${round}: own limit ${limit.toFixed(0)}/s; over HTTP ${shown}, ${parts}`)
    }
    const middle = (name: 'ratio' | 'tail' | 'micros') => median(results.map((result) => result[name]))
    console.log(
      `${story.name}: POST /transactions is ${middle('ratio').toFixed(2)} of its own limit (at least ${story.least})`,
    )
    console.log(`  p99 is ${middle('tail').toFixed(1)} × p50 (at most 5)`)
    console.log(`  Node and PostgreSQL take ${middle('micros').toFixed(0)} µs for each (at most 300)`)
    await check(app)
  }
  await direct.close()
  await api.server.close()
  await app.close()
})

async function analyze(owner: Parameters<typeof openDatabase>[0]['connection']): Promise<void> {
  const database = openDatabase({ connection: owner, statementTimeoutMs: 600_000 })
  await database.query({ text: 'analyze' })
  await database.close()
}

/** Of the ledger: the copies of customers and wallets are none that the service would have made. */
async function check(app: App): Promise<void> {
  const { checks } = await verify(app.database, app.ledger.checks)
  const broken = checks.filter(({ ok }) => !ok)
  console.log(
    broken.length === 0 ? '  every invariant holds' : `  NOT EVERY invariant holds: ${JSON.stringify(broken)}`,
  )
  if (broken.length > 0) process.exitCode = 1
}

async function callDirectly(
  database: Database,
  organizationId: string,
  quotes: string[],
  forSeconds: number,
): Promise<number> {
  const started = performance.now()
  const until = started + forSeconds * 1_000
  let made = 0
  const client = async () => {
    for (let quoteId = quotes.pop(); quoteId && performance.now() < until; quoteId = quotes.pop()) {
      const request = { organizationId, route: 'POST /transactions', key: newId(), fingerprint: randomBytes(32) }
      const wanted = {
        ...{ request, organizationIds: [organizationId], quoteId, transactionId: newId(), eventId: newId() },
        ...{ reserveId: newId(), correlationId: undefined, transferMessage: '' },
      }
      const [answer] = await createTransactions(database, [wanted])
      if (answer?.outcome !== 'CREATED') throw new Error(`a direct call came to ${answer?.outcome}`)
      made += 1
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  return (made * 1_000) / (performance.now() - started)
}
