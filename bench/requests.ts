import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import Type from 'typebox'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { CustomerAnswer } from '../src/customers/wire.ts'
import { createLogger } from '../src/http/log.ts'
import { route } from '../src/http/route.ts'
import { CreateQuoteBody, QuoteAnswer } from '../src/quotes/wire.ts'
import { fillAddressPool } from '../test/support/money/wallets.ts'
import { type BareRoute, startBareFastify } from './references/bare-fastify.ts'
import { makeCpuMeter } from './support/cpu.ts'
import { type Calls, makeCalls, makeCustomer } from './support/customers.ts'
import { median, withDatabase } from './support/database.ts'
import { type Load, runLoad } from './support/load.ts'
import { type Row, reportCost, reportRow } from './support/report.ts'

/**
 * Compares requests with a bare Fastify route that has the same schemas and does no work: a route of ours without a
 * database, a customer by id, and quotes with and without an idempotency key. Every round runs all of them, so that the
 * ratios hold on a shared machine.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    only: { type: 'string' },
  },
})
const [rounds, seconds, connections] = [Number(values.rounds), Number(values.seconds), Number(values.connections)]
const customers = 200
const warmUpSeconds = 6

const Nothing = Type.Object({ ok: Type.Boolean() })
const emptyRoute = route({
  method: 'GET',
  path: '/empty',
  access: 'quotes:read',
  tag: 'Quotes',
  summary: 'Route without a database',
  answer: { status: 200, description: 'Nothing', schema: Nothing },
  handle: async () => ({ ok: true }),
})

await withDatabase(async (database) => {
  const config = readConfig(
    // A limit that no load reaches: counting is part of the cost.
    { SVC_RATE_LIMIT_SANDBOX: '10000000', SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_SANDBOX_BANK: 'memory' },
    process.cwd(),
  )
  // Formats and writes every log line, as in production, but discards the output.
  const log = createLogger('info', new Writable({ write: (_line, _encoding, done) => done() }))
  const masterKeys = { current: Buffer.alloc(32, 7), previous: [] }
  const options = { config, version: '0', log, masterKeys, database: database.app, moreRoutes: [emptyRoute] }
  const app = await buildApp(options)
  const api = await app.buildApi()
  await api.server.listen({ host: '127.0.0.1', port: 0 })
  const baseUrl = `http://127.0.0.1:${(api.server.server.address() as AddressInfo).port}`
  await fillAddressPool(database, customers)
  await app.rates.refresh()
  await app.rates.load()
  const { apiKey } = await app.credentials.createFullKey('Bench')
  const calls = makeCalls(baseUrl, apiKey)
  const { headers } = calls
  const made = await makeCustomers(calls)
  const customer = (await (await fetch(`${baseUrl}${made.paths[0]}`, { headers })).json()) as object
  const quote = await calls.send('POST', '/quotes', JSON.parse(made.bodies[0] ?? ''))
  const bare = await startBareFastify(bareRoutes(customer, quote))
  const cpu = await makeCpuMeter(app.database)

  const read = (url: string, paths: readonly string[]) => ({ url, bodies: [], paths, expectStatus: 200 })
  const send = (url: string) => ({ url, bodies: made.bodies, expectStatus: 201 })
  // Each load with a database follows one without, so that none starts with the writes that the last one left behind.
  const loads: Record<string, Omit<Load, 'headers' | 'connections' | 'seconds'>> = {
    'bare quote': send(`${bare.baseUrl}/quotes`),
    'POST /quotes': send(`${baseUrl}/quotes`),
    'bare GET without data': read(bare.baseUrl, ['/empty']),
    'POST /quotes with a key': { ...send(`${baseUrl}/quotes`), isKeyed: true },
    'bare customer': read(bare.baseUrl, made.paths),
    'GET /customers/{id}': read(baseUrl, made.paths),
    'GET without a database': read(baseUrl, ['/empty']),
  }
  const chosen = Object.entries(loads).filter(([name]) => values.only === undefined || name.includes(values.only))
  const measure = (load: (typeof loads)[string], forSeconds: number) =>
    cpu.measure(() => runLoad({ ...load, headers, connections, seconds: forSeconds }))
  for (const [, load] of chosen) await measure(load, warmUpSeconds)
  const results = new Map(chosen.map(([name]) => [name, [] as Awaited<ReturnType<typeof measure>>[]]))
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, load] of chosen) results.get(name)?.push(await measure(load, seconds))
  }
  for (const [name, measured] of results) {
    const middle = (read: (each: (typeof measured)[number]) => number) => median(measured.map(read))
    const rate = middle(({ perSecond }) => perSecond)
    const node = middle(({ nodeMicrosEach }) => nodeMicrosEach)
    const postgres = middle(({ postgresMicrosEach }) => postgresMicrosEach)
    reportCost({ path: name, perSecond: rate, nodeMicros: node, postgresMicros: postgres })
    console.log(
      `${name.padEnd(26)} ${rate.toFixed(0).padStart(6)}/s  Node ${node.toFixed(0).padStart(4)} µs, ` +
        `PostgreSQL ${postgres.toFixed(0).padStart(4)} µs, p99 ${middle(({ p99Ms }) => p99Ms).toFixed(1)} ms`,
    )
  }
  const compare = (name: string, reference: string, limits: Pick<Row, 'number' | 'must' | 'aim'>) => {
    const [ours, theirs] = [results.get(name), results.get(reference)]
    if (!ours || !theirs) return
    const ratio = median(ours.map(({ perSecond }, at) => perSecond / (theirs[at]?.perSecond ?? Number.NaN)))
    reportRow({ ...limits, path: name, unit: `of "${reference}"`, measured: ratio })
  }
  compare('GET without a database', 'bare GET without data', { must: { atLeast: 0.67 } })
  compare('GET /customers/{id}', 'bare customer', { number: 6, must: { atLeast: 0.6 }, aim: { atLeast: 0.8 } })
  compare('POST /quotes', 'bare quote', { number: 5, must: { atLeast: 0.35 }, aim: { atLeast: 0.5 } })
  compare('POST /quotes with a key', 'POST /quotes', { must: { atLeast: 0.9 } })
  await bare.stop()
  await api.server.close()
  await app.close()
})

function bareRoutes(customer: object, quote: object): BareRoute[] {
  const empty = { method: 'GET', path: '/empty', status: 200, schema: Nothing, answer: { ok: true } } as const
  const read = { method: 'GET', path: '/customers/{customerId}', status: 200, schema: CustomerAnswer } as const
  const create = { method: 'POST', path: '/quotes', body: CreateQuoteBody, status: 201, schema: QuoteAnswer } as const
  return [empty, { ...read, answer: customer }, { ...create, answer: quote }]
}

/** Creates customers: many of them spread the load, so that no row is hot. */
async function makeCustomers(calls: Calls): Promise<{ bodies: string[]; paths: string[] }> {
  const [bodies, paths]: [string[], string[]] = [[], []]
  for (let count = 0; count < customers; count += 1) {
    const { customerId, bank, wallet } = await makeCustomer(calls)
    const source = { sourcePaymentAccountId: bank, sourceCurrency: 'USD', sourcePaymentMethod: 'ACH' }
    const destination = {
      destinationPaymentAccountId: wallet,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: 'BASE',
    }
    bodies.push(JSON.stringify({ customerId, source: { ...source, sourceAmount: '100.00' }, destination }))
    paths.push(`/customers/${customerId}`)
  }
  return { bodies, paths }
}
