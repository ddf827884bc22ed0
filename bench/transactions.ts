import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type Database, openDatabase } from '../src/db/database.ts'
import { newId } from '../src/lib/ids.ts'
import { createTransactions } from '../src/transactions/store.ts'
import { checkLedger, startBenchApi } from './support/api.ts'
import { makeCpuMeter } from './support/cpu.ts'
import { median, withDatabase } from './support/database.ts'
import { runLoad } from './support/load.ts'
import { fillWallets } from './support/wallets.ts'

/**
 * Compares POST /transactions with its own limit: the same statement for one transaction at a time, called directly
 * over eight connections. Runs over many wallets, and over one hot wallet that every transaction spends from. Every
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
const quotesPerSecond = 3_000

type Scenario = { name: string; quotes: string[]; minimum: number }

await withDatabase(async (database) => {
  const { app, baseUrl, calls, stop } = await startBenchApi(database, Buffer.alloc(32, 7))
  const quoteCount = 2 * (warmUpSeconds + rounds * seconds) * quotesPerSecond
  const { organizationId, many, hot } = await fillWallets(app, database, calls, { wallets, quoteCount })
  const direct = openDatabase({ ...database.app, connections: 8 })
  const cpu = await makeCpuMeter(app.database)

  const overHttp = ({ quotes }: Scenario, forSeconds: number) => {
    const bodies = quotes.splice(0, forSeconds * quotesPerSecond).map((quoteId) => JSON.stringify({ quoteId }))
    const url = `${baseUrl}/transactions`
    const load = { url, headers: calls.headers, bodies, connections, seconds: forSeconds, expectStatus: 201 }
    return cpu.measure(() => runLoad({ ...load, isKeyed: true }))
  }
  const ownLimit = ({ quotes }: Scenario, forSeconds: number) =>
    callDirectly(direct, organizationId, quotes.splice(0, forSeconds * quotesPerSecond), forSeconds)

  for (const scenario of [
    { name: `${wallets} wallets`, quotes: many, minimum: 0.6 },
    { name: 'one hot wallet', quotes: hot, minimum: 1 },
  ]) {
    await overHttp(scenario, warmUpSeconds)
    await ownLimit(scenario, warmUpSeconds)
    // Replaces plans from when the tables were empty; in production autovacuum does so within a minute.
    await analyze(database.owner)
    const results: Record<'ratio' | 'tail' | 'micros', number>[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const limit = await ownLimit(scenario, seconds)
      const http = await overHttp(scenario, seconds)
      results.push({ ratio: http.perSecond / limit, tail: http.p99Ms / http.p50Ms, micros: http.microsEach })
      const shown = `${http.perSecond.toFixed(0)}/s p50 ${http.p50Ms.toFixed(1)} p99 ${http.p99Ms.toFixed(1)} ms`
      const parts = `${http.nodeMicrosEach.toFixed(0)} + ${http.postgresMicrosEach.toFixed(0)} µs`
      console.log(`${scenario.name}, round ${round}: own limit ${limit.toFixed(0)}/s; over HTTP ${shown}, ${parts}`)
    }
    const middle = (name: 'ratio' | 'tail' | 'micros') => median(results.map((result) => result[name]))
    console.log(
      `${scenario.name}: POST /transactions reaches ${middle('ratio').toFixed(2)} of its limit (at least ${scenario.minimum})`,
    )
    console.log(`  p99 is ${middle('tail').toFixed(1)} × p50 (at most 5)`)
    console.log(`  Node and PostgreSQL take ${middle('micros').toFixed(0)} µs per request (at most 300)`)
    await checkLedger(app)
  }
  await direct.close()
  await stop()
})

async function analyze(owner: Parameters<typeof openDatabase>[0]['connection']): Promise<void> {
  const database = openDatabase({ connection: owner, statementTimeoutMs: 600_000 })
  await database.query({ text: 'analyze' })
  await database.close()
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
  const callNext = async () => {
    for (let quoteId = quotes.pop(); quoteId && performance.now() < until; quoteId = quotes.pop()) {
      const request = { organizationId, route: 'POST /transactions', key: newId(), fingerprint: randomBytes(32) }
      const wanted = {
        request,
        organizationIds: [organizationId],
        quoteId,
        transactionId: newId(),
        eventId: newId(),
        reserveId: newId(),
        correlationId: undefined,
        transferMessage: '',
      }
      const [answer] = await createTransactions(database, [wanted])
      if (answer?.outcome !== 'CREATED') throw new Error(`a direct call ended with ${answer?.outcome}`)
      made += 1
    }
  }
  await Promise.all(Array.from({ length: 8 }, callNext))
  return (made * 1_000) / (performance.now() - started)
}
