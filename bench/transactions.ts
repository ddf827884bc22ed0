import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { verify } from '../src/db/verify.ts'
import { makeLogger } from '../src/http/log.ts'
import { depositToWallet } from '../src/ledger/postings.ts'
import { newId } from '../src/lib/ids.ts'
import { createTransaction } from '../src/transactions/store.ts'
import { type Calls, makeCalls, makeWalletQuote } from './support/customers.ts'
import { type BenchDatabase, median, withDatabase } from './support/database.ts'
import { hammer } from './support/hammer.ts'

/**
 * POST /transactions over many wallets, against its own limit: the same statement from eight prepared connections and
 * nothing around it. They take turns, so that the ratio means something on a shared machine; at the end every
 * invariant of the ledger is checked.
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
const quotesPerSecond = 2_500

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
  const { organizationId, quotes } = await fill(app, database, calls)
  const direct = openDatabase({ ...database.app, connections: 8 })

  const overHttp = (forSeconds: number) => {
    const bodies = quotes.splice(0, forSeconds * quotesPerSecond).map((quoteId) => JSON.stringify({ quoteId }))
    const url = `${baseUrl}/transactions`
    const load = { url, headers: calls.headers, bodies, connections, seconds: forSeconds, expectStatus: 201 }
    return hammer({ ...load, isKeyed: true })
  }
  const ownLimit = (forSeconds: number) =>
    callDirectly(direct, organizationId, quotes.splice(0, forSeconds * quotesPerSecond), forSeconds)
  await overHttp(warmUpSeconds)
  await ownLimit(warmUpSeconds)
  const ratios: number[] = []
  const tails: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const limit = await ownLimit(seconds)
    const http = await overHttp(seconds)
    ratios.push(http.perSecond / limit)
    tails.push(http.p99Ms / http.p50Ms)
    const shown = `${http.perSecond.toFixed(0)}/s p50 ${http.p50Ms.toFixed(1)} p99 ${http.p99Ms.toFixed(1)} ms`
    console.log(`round ${round}: own limit ${limit.toFixed(0)}/s; over HTTP ${shown}`)
  }
  console.log(`POST /transactions is ${median(ratios).toFixed(2)} of its own limit (at least 0.60)`)
  console.log(`its p99 is ${median(tails).toFixed(1)} × p50 (at most 5)`)
  // Of the ledger: the copies of customers and wallets are none that the service would have made.
  const { checks } = await verify(app.database, app.ledger.checks)
  const broken = checks.filter(({ ok }) => !ok)
  console.log(broken.length === 0 ? 'every invariant holds' : `NOT EVERY invariant holds: ${JSON.stringify(broken)}`)
  if (broken.length > 0) process.exitCode = 1
  await direct.close()
  await api.server.close()
  await app.close()
})

/** One customer with a wallet and a quote, made as anybody makes them, and then as many copies as are needed. */
async function fill(app: App, bench: BenchDatabase, calls: Calls) {
  await app.rates.refresh()
  await app.rates.load()
  const made = await makeWalletQuote(bench, calls)
  const { organizationId, customerId, wallet, quoteId } = made
  const database = openDatabase({ connection: bench.owner, statementTimeoutMs: 600_000 })
  const copy = (table: string, key: string, id: string, count: number, more: string) =>
    database.query({
      text: `insert into svc.${table}
             select (jsonb_populate_record(original, jsonb_build_object(${more}))).*
               from svc.${table} as original, generate_series(1, $2) as number where ${key} = $1`,
      values: [id, count],
    })
  const idOf = (kind: string) => `md5('${kind} ' || number % ${wallets})::uuid`
  await copy('customers', 'customer_id', customerId, wallets, `'customer_id', ${idOf('customer')}`)
  const account = `'payment_account_id', ${idOf('wallet')}, 'customer_id', ${idOf('customer')}`
  await copy('payment_accounts', 'payment_account_id', wallet, wallets, account)
  const quoteCount = 2 * (warmUpSeconds + rounds * seconds) * quotesPerSecond
  const owned = `'customer_id', ${idOf('customer')}, 'source_payment_account_id', ${idOf('wallet')}`
  const times = `'expires_at', original.expires_at + interval '1 day'`
  await copy('quotes', 'quote_id', quoteId, quoteCount, `'quote_id', md5('quote ' || number)::uuid, ${owned}, ${times}`)
  const ids = await database.query<{ id: string }>({
    text: `select payment_account_id as id from svc.payment_accounts where payment_account_type = 'SVC_CRYPTO_WALLET'`,
  })
  for (let from = 0; from < ids.length; from += 500) {
    const deposits = ids.slice(from, from + 500).map(({ id: paymentAccountId }) => ({
      ...{ organizationId, reference: `bench:${paymentAccountId}` },
      ...depositToWallet({ paymentAccountId, asset: 'USDC/BASE', amount: 10n ** 15n }),
    }))
    await app.database.transaction((transaction) => app.ledger.post(transaction, deposits))
  }
  const quotes = await database.query<{ id: string }>({
    text: `select quote_id as id from svc.quotes where quote_id <> $1 order by quote_id`,
    values: [quoteId],
  })
  await database.query({ text: 'vacuum analyze' })
  await database.close()
  return { organizationId, quotes: quotes.map(({ id }) => id) }
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
      const { outcome } = await createTransaction(database, {
        ...{ request, organizationIds: [organizationId], quoteId, transactionId: newId(), eventId: newId() },
        ...{ reserveId: newId(), correlationId: undefined, transferMessage: '' },
      })
      if (outcome !== 'CREATED') throw new Error(`a direct call came to ${outcome}`)
      made += 1
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  return (made * 1_000) / (performance.now() - started)
}
