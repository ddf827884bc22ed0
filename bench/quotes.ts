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
 * Compares POST /quotes with a bare route that has the same schemas, credential, limits and log but does no work. The
 * difference is pricing, one statement and its commit. Every round runs both, so that the ratio holds on a shared
 * machine.
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
const bareRoute = route({
  method: 'POST',
  path: '/bare',
  access: 'quotes:write',
  tag: 'Quotes',
  summary: 'Bare route',
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
  const config = readConfig(
    { SVC_RATE_LIMIT_SANDBOX: '0', SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_SANDBOX_BANK: 'memory' },
    process.cwd(),
  )
  // Formats and writes every log line, as in production, but discards the output.
  const log = createLogger('info', new Writable({ write: (_line, _encoding, done) => done() }))
  const masterKeys = { current: Buffer.alloc(32, 7), previous: [] }
  const app = await buildApp({
    config,
    version: '0',
    log,
    masterKeys,
    database: database.app,
    moreRoutes: [bareRoute],
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
  for (const path of ['/bare', '/quotes']) await measure(path, 6)
  const ratios: number[] = []
  const tails: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const bare = await measure('/bare', seconds)
    const quoted = await measure('/quotes', seconds)
    ratios.push(quoted.perSecond / bare.perSecond)
    tails.push(quoted.p99Ms / quoted.p50Ms)
    const shown = (result: typeof bare) =>
      `${result.perSecond.toFixed(0)}/s p50 ${result.p50Ms.toFixed(1)} p99 ${result.p99Ms.toFixed(1)} ms`
    console.log(`round ${round}: bare ${shown(bare)}; quotes ${shown(quoted)}`)
  }
  console.log(`POST /quotes reaches ${median(ratios).toFixed(2)} of the rate of the bare route (at least 0.35)`)
  console.log(`its p99 is ${median(tails).toFixed(1)} × p50 (at most 5)`)
  await api.server.close()
  await app.close()
})

/** Creates one request body per customer. Many customers spread the load, so that no row is hot. */
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
