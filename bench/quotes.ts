import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/http/log.ts'
import { route } from '../src/http/route.ts'
import { CreateQuoteBody, QuoteAnswer } from '../src/quotes/wire.ts'
import { fillAddressPool } from '../test/support/money/wallets.ts'
import { type Calls, makeCalls, makeCustomer } from './support/customers.ts'
import { median, withDatabase } from './support/database.ts'
import { runLoad } from './support/load.ts'

/**
 * POST /quotes against a route with the same schemas, credential, limits and log that does nothing: what is left is
 * pricing, one statement and its commit. They take turns, so that the ratio means something on a shared machine.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '32' },
  },
})
const [rounds, seconds, connections] = [Number(values.rounds), Number(values.seconds), Number(values.connections)]
const customers = 200

const fee = { feeAmount: '0.50', feeUSDAmount: '0.50' }
const nothing = route({
  method: 'POST',
  path: '/nothing',
  access: 'quotes:write',
  tag: 'Quotes',
  summary: 'Nothing',
  body: CreateQuoteBody,
  isOneStatement: true,
  answer: { status: 201, description: 'The quote', schema: QuoteAnswer },
  handle: async ({ readBody, once }) => {
    const { customerId } = readBody()
    return once(async () => ({
      quoteId: customerId,
      expiresAt: new Date().toISOString(),
      estimatedExchangeRate: '1',
      destinationAmount: '99.500000',
      fees: { feeCurrency: { label: 'USD' }, svcFee: fee, developerFee: fee },
    }))
  },
})

await withDatabase(async (database) => {
  const config = readConfig({ SVC_RATE_LIMIT_SANDBOX: '0', SVC_SANDBOX_VERIFICATION_DELAY: '0' }, process.cwd())
  // Log lines are made and written, as in production, only not to this terminal.
  const log = createLogger('info', new Writable({ write: (_line, _encoding, done) => done() }))
  const masterKeys = { current: Buffer.alloc(32, 7), previous: [] }
  const app = await buildApp({
    config,
    version: '0',
    log,
    masterKeys,
    database: database.app,
    moreRoutes: [nothing],
  })
  const api = await app.buildApi()
  await api.server.listen({ host: '127.0.0.1', port: 0 })
  const baseUrl = `http://127.0.0.1:${(api.server.server.address() as AddressInfo).port}`
  await fillAddressPool(database, customers)
  await app.rates.refresh()
  await app.rates.load()
  const { apiKey } = await app.credentials.createFullKey('Bench')
  const calls = makeCalls(baseUrl, apiKey)
  const { headers } = calls
  const bodies = await makeBodies(calls)
  const measure = (path: string, forSeconds: number) =>
    runLoad({ url: baseUrl + path, headers, bodies, connections, seconds: forSeconds, expectStatus: 201 })
  for (const path of ['/nothing', '/quotes']) await measure(path, 6)
  const ratios: number[] = []
  const tails: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const bare = await measure('/nothing', seconds)
    const quoted = await measure('/quotes', seconds)
    ratios.push(quoted.perSecond / bare.perSecond)
    tails.push(quoted.p99Ms / quoted.p50Ms)
    const shown = (result: typeof bare) =>
      `${result.perSecond.toFixed(0)}/s p50 ${result.p50Ms.toFixed(1)} p99 ${result.p99Ms.toFixed(1)} ms`
    console.log(`round ${round}: nothing ${shown(bare)}; quotes ${shown(quoted)}`)
  }
  console.log(`POST /quotes is ${median(ratios).toFixed(2)} of the same route without a database (at least 0.35)`)
  console.log(`its p99 is ${median(tails).toFixed(1)} × p50 (at most 5)`)
  await api.server.close()
  await app.close()
})

/** Bodies of many customers, so that no row is hot; each is asked for again and again. */
async function makeBodies(calls: Calls): Promise<string[]> {
  const bodies: string[] = []
  for (let count = 0; count < customers; count += 1) {
    const { customerId, bank, wallet } = await makeCustomer(calls)
    const source = { sourcePaymentAccountId: bank, sourceCurrency: 'USD', sourcePaymentMethod: 'ACH' }
    const destination = {
      destinationPaymentAccountId: wallet,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: 'BASE',
    }
    bodies.push(JSON.stringify({ customerId, source: { ...source, sourceAmount: '100.00' }, destination }))
  }
  return bodies
}
