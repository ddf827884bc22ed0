import { parseArgs } from 'node:util'
import { openDatabase } from '../src/db/database.ts'
import { openDirectClient } from './references/create-transaction.ts'
import { checkLedger, startBenchApi } from './support/api.ts'
import { makeCpuMeter } from './support/cpu.ts'
import { median, withDatabase } from './support/database.ts'
import { runLoad } from './support/load.ts'
import { type Limit, reportRow } from './support/report.ts'
import { fillWallets } from './support/wallets.ts'

/**
 * Compares POST /transactions with its own limit: a minimal statement with the same effect, one transaction at a time,
 * called directly over eight connections. Runs over many wallets, and over one hot wallet that every transaction spends from. Every
 * round runs both sides, so that the ratio holds on a shared machine. Each scenario ends with the ledger checks.
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
/** More than the load can use in a second, because each quote serves one transaction. */
const quotesPerSecond = 6_000

type Scenario = { name: string; quotes: string[]; number: number; must: Limit; aim: Limit }

await withDatabase(async (database) => {
  const { app, baseUrl, calls, stop } = await startBenchApi(database, Buffer.alloc(32, 7))
  const quoteCount = 2 * (warmUpSeconds + rounds * seconds) * quotesPerSecond
  const { organizationId, many, hot } = await fillWallets(app, database, calls, { wallets, quoteCount })
  const direct = await openDirectClient(database.owner)
  const cpu = await makeCpuMeter(app.database)

  const overHttp = ({ quotes }: Scenario, forSeconds: number) => {
    const bodies = quotes.splice(0, forSeconds * quotesPerSecond).map((quoteId) => JSON.stringify({ quoteId }))
    const url = `${baseUrl}/transactions`
    const load = { url, headers: calls.headers, bodies, connections, seconds: forSeconds, expectStatus: 201 }
    return cpu.measure(() => runLoad({ ...load, isKeyed: true }))
  }
  const ownLimit = ({ quotes }: Scenario, forSeconds: number) =>
    cpu.measure(() => direct.run(organizationId, quotes.splice(0, forSeconds * quotesPerSecond), forSeconds))

  for (const scenario of [
    { name: `${wallets} wallets`, quotes: many, number: 1, must: { atLeast: 0.6 }, aim: { atLeast: 0.75 } },
    { name: 'one hot wallet', quotes: hot, number: 2, must: { atLeast: 1 }, aim: { atLeast: 2 } },
  ]) {
    await overHttp(scenario, warmUpSeconds)
    await ownLimit(scenario, warmUpSeconds)
    // Replaces plans from when the tables were empty; in production autovacuum does so within a minute.
    await analyze(database.owner)
    const results: Record<'ratio' | 'tail' | 'micros', number>[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const limit = await ownLimit(scenario, seconds)
      const http = await overHttp(scenario, seconds)
      results.push({ ratio: http.perSecond / limit.perSecond, tail: http.p99Ms / http.p50Ms, micros: http.microsEach })
      const shown = `${http.perSecond.toFixed(0)}/s p50 ${http.p50Ms.toFixed(1)} p99 ${http.p99Ms.toFixed(1)} ms`
      const parts = `${http.nodeMicrosEach.toFixed(0)} + ${http.postgresMicrosEach.toFixed(0)} µs`
      const own = `${limit.perSecond.toFixed(0)}/s, PostgreSQL ${limit.postgresMicrosEach.toFixed(0)} µs`
      console.log(`${scenario.name}, round ${round}: own limit ${own}; over HTTP ${shown}, ${parts}`)
    }
    const middle = (name: 'ratio' | 'tail' | 'micros') => median(results.map((result) => result[name]))
    const path = `POST /transactions, ${scenario.name}`
    const unit = 'of its own limit'
    const { number, must, aim } = scenario
    reportRow({ number, path, unit, must, aim, measured: middle('ratio') })
    if (scenario.quotes === many) {
      const cpuLimits = { must: { atMost: 300 }, aim: { atMost: 200 } }
      reportRow({ number: 3, path: `${path}, CPU`, unit: 'µs', ...cpuLimits, measured: middle('micros') })
      const tail = { must: { atMost: 5 }, aim: { atMost: 3 }, measured: middle('tail') }
      reportRow({ number: 4, path: `${path}, p99`, unit: '× p50', ...tail })
    }
    await checkLedger(app)
  }
  await direct.stop()
  await stop()
})

async function analyze(owner: Parameters<typeof openDatabase>[0]['connection']): Promise<void> {
  const database = openDatabase({ connection: owner, statementTimeoutMs: 600_000 })
  await database.query({ text: 'analyze' })
  await database.close()
}
