import { createHash, randomInt } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { type Connection, type Database, openDatabase } from '../src/db/database.ts'
import { createLogger } from '../src/http/log.ts'
import { listDeposits } from '../src/transactions/deposits/store.ts'
import { listTransactions } from '../src/transactions/store.ts'
import type { BodyOf } from '../test/support/runner/answers.ts'
import { startBareBytes } from './references/bare-fastify.ts'
import { makeCpuMeter } from './support/cpu.ts'
import { type BenchDatabase, median, withDatabase } from './support/database.ts'
import { runLoad } from './support/load.ts'
import { type Limit, reportCost, reportRow } from './support/report.ts'

/**
 * Compares pages of GET /transactions and GET /deposits, 100 items each, between a table with few rows and one with
 * many: the index and table pages that PostgreSQL reads, the time over HTTP, and the CPU time of both. Every round
 * measures both tables, so that the ratios hold on a shared machine.
 */
const { values } = parseArgs({
  options: {
    few: { type: 'string', default: '10000' },
    many: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const pageSize = 100
/** The connections under which CPU time is measured, as for other requests. */
const connections = 64
/** The customers who own half of all rows, spread evenly. Each other customer has a hundred rows. */
const activeCustomers = 20
/** The name of the filter that matches no row. */
const noMatch = 'of a customer with a foreign account'

type Pair = {
  number: number
  path: string
  unit: string
  must: Limit
  aim: Limit
  of: () => Promise<number>
  against: () => Promise<number>
}

type Setup = {
  stop(): Promise<void>
  database: Database
  organizationId: string
  baseUrl: string
  headers: Record<string, string>
  /** The number of customers who are not active. */
  others: number
}

await withDatabase(async (bench) => {
  const few = await startSetup(bench, 'few', Number(values.few))
  const many = await startSetup(bench, 'many', Number(values.many))
  for (const name of ['transactions', 'deposits'] as const) {
    console.log(
      `GET /${name}, pages of ${pageSize}: index and table pages read with ${values.few} and ${values.many} rows`,
    )
    for (const list of Object.keys(filtersOf(name, few))) {
      const counted: string[] = []
      for (const setup of [few, many]) {
        const { index, table } = await countPages(setup, name, list)
        counted.push(`${index} + ${table}`.padStart(9))
      }
      console.log(`  ${list.padEnd(34)} ${counted.join(' ')}`)
    }
  }
  await compare(few, many)
  await few.stop()
  await many.stop()
})

async function compare(few: Setup, many: Setup): Promise<void> {
  const active = () => `/transactions?pageSize=${pageSize}&customerId=${idOf(`customer ${randomInt(activeCustomers)}`)}`
  const other = (setup: Setup) => () =>
    `/transactions?pageSize=${pageSize}&customerId=${idOf(`customer ${activeCustomers + randomInt(setup.others)}`)}`
  const first = `/transactions?pageSize=${pageSize}`
  const tenth = await findTenth(many, first)
  const pairs: Pair[] = [
    {
      number: 7,
      path: 'GET /transactions of active customers, many rows',
      unit: '× few rows',
      must: { atMost: 1.2 },
      aim: { atMost: 1.1 },
      of: timePage(many, active),
      against: timePage(few, active),
    },
    {
      number: 7,
      path: 'GET /transactions of any customer, many rows',
      unit: '× few rows',
      must: { atMost: 2 },
      aim: { atMost: 1.6 },
      of: timePage(many, other(many)),
      against: timePage(few, other(few)),
    },
    {
      number: 8,
      path: 'GET /transactions, page 10',
      unit: '× page 1',
      must: { atMost: 1.1 },
      aim: { atMost: 1 },
      of: timePage(many, () => tenth),
      against: timePage(many, () => first),
    },
  ]
  for (const { of, against } of pairs) for (const warmUp of [of, against]) await warmUp()
  for (const { of, against, ...row } of pairs) {
    const ratios: number[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const base = await against()
      ratios.push((await of()) / base)
    }
    reportRow({ ...row, measured: median(ratios) })
  }
  await measureCost(many, { 'a page': first, 'page 10': tenth, 'a page of an active customer': active() })
}

/**
 * Measures the CPU time of pages under the load of many connections, and for comparison that of the least request, and
 * of a bare Fastify route that sends the bytes of a page.
 */
async function measureCost(many: Setup, pages: Record<string, string>): Promise<void> {
  const cpu = await makeCpuMeter(many.database)
  const paths = { ...pages, 'a request that reads no database and has no content': '/livez' }
  const answer = await fetch(many.baseUrl + pages['a page'], { headers: many.headers })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const bare = await startBareBytes(bytes)
  const results: Record<string, Awaited<ReturnType<typeof measure>>[]> = {}
  const measure = (at: Pick<Setup, 'baseUrl' | 'headers'>, path: string) =>
    cpu.measure(() => requestPages(at, [path], connections))
  const note = async (name: string, at: Pick<Setup, 'baseUrl' | 'headers'>, path: string) => {
    results[name] = [...(results[name] ?? []), await measure(at, path)]
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, path] of Object.entries(paths)) await note(name, many, path)
    await note('bare Fastify that sends the bytes of a page', { baseUrl: bare.baseUrl, headers: {} }, '/')
  }
  await bare.stop()
  for (const [name, measured] of Object.entries(results)) {
    const nodeMicros = median(measured.map(({ nodeMicrosEach }) => nodeMicrosEach))
    const postgresMicros = median(measured.map(({ postgresMicrosEach }) => postgresMicrosEach))
    const perSecond = median(measured.map(({ perSecond }) => perSecond))
    reportCost({ path: `GET /transactions, ${name}`, perSecond, nodeMicros, postgresMicros })
    console.log(`  ${name}: Node ${nodeMicros.toFixed(0)} µs, PostgreSQL ${postgresMicros.toFixed(0)} µs`)
  }
  const kilobytes = bytes.byteLength / 1_000
  reportRow({
    number: 9,
    path: `GET /transactions, page of ${pageSize} with ${kilobytes.toFixed(0)} kB, Node`,
    unit: 'µs',
    must: { atMost: 350 },
    aim: { atMost: 250 },
    measured: median((results['a page'] ?? []).map(({ nodeMicrosEach }) => nodeMicrosEach)),
  })
}

/** Returns a measurement of the milliseconds per page, with one request at a time. */
function timePage(setup: Setup, pathOf: () => string): () => Promise<number> {
  const paths = Array.from({ length: 500 }, pathOf)
  return async () => 1_000 / (await requestPages(setup, paths)).perSecond
}

function requestPages({ baseUrl, headers }: Pick<Setup, 'baseUrl' | 'headers'>, paths: readonly string[], clients = 1) {
  return runLoad({ url: baseUrl, headers, bodies: [], paths, connections: clients, seconds, expectStatus: 200 })
}

async function findTenth({ baseUrl, headers }: Setup, first: string): Promise<string> {
  let path = first
  for (let page = 1; page < 10; page += 1) {
    const { nextPageToken } = (await (await fetch(baseUrl + path, { headers })).json()) as BodyOf<'GET /transactions'>
    path = `${first}&pageToken=${encodeURIComponent(nextPageToken)}`
  }
  return path
}

type Filter = { customerId?: string; paymentAccountId?: string; status?: 'UNMATCHED' }

function filtersOf(name: 'transactions' | 'deposits', { others }: Setup): Record<string, Filter> {
  const [customerId, paymentAccountId] = [idOf('customer 7'), idOf('wallet 7')]
  return {
    all: {},
    'of an active customer': { customerId },
    'of any customer': { customerId: idOf(`customer ${activeCustomers + randomInt(others)}`) },
    'of an account': { paymentAccountId },
    'of an active customer and account': { customerId, paymentAccountId },
    ...(name === 'deposits' ? { 'by status': { status: 'UNMATCHED' } as const } : {}),
    ...(name === 'transactions' ? { [noMatch]: { customerId: idOf('customer 8'), paymentAccountId } } : {}),
  }
}

/** Counts the pages that PostgreSQL reads per list, on a connection that has settled on its plan for the statement. */
async function countPages(setup: Setup, name: 'transactions' | 'deposits', filtered: string) {
  const filter = filtersOf(name, setup)[filtered] ?? {}
  const list = name === 'transactions' ? listTransactions : listDeposits
  const { database, organizationId } = setup
  const read = async () => {
    await database.query({ text: 'select pg_stat_force_next_flush()' })
    const [row] = await database.query<{ index: number; table: number }>({
      text: `select (idx_blks_read + idx_blks_hit)::int as index, (heap_blks_read + heap_blks_hit)::int as table
               from pg_statio_user_tables where schemaname = 'svc' and relname = $1`,
      values: [name],
    })
    return row ?? { index: 0, table: 0 }
  }
  const repeats = 10
  const readPage = async () => {
    const rows = await list(database, [organizationId], filter, { after: undefined, limit: pageSize })
    if (rows.length !== (filtered === noMatch ? 0 : pageSize)) throw new Error(`${rows.length} rows`)
  }
  for (let count = 0; count < repeats; count += 1) await readPage()
  const before = await read()
  for (let count = 0; count < repeats; count += 1) await readPage()
  const after = await read()
  return { index: (after.index - before.index) / repeats, table: (after.table - before.table) / repeats }
}

async function startSetup(bench: BenchDatabase, name: string, rows: number): Promise<Setup> {
  const owner = openDatabase({ connection: bench.owner, connections: 1 })
  await owner.query({ text: `create database ${name} template postgres` })
  await owner.close()
  const connection = { ...bench.owner, database: name } as Connection
  const database = openDatabase({ connection, statementTimeoutMs: 600_000, connections: 1 })
  const config = readConfig({ SVC_RATE_LIMIT_SANDBOX: '0', SVC_SANDBOX_BANK: 'memory' }, process.cwd())
  // Formats and writes every log line, as in production, but discards the output.
  const log = createLogger('info', new Writable({ write: (_line, _encoding, done) => done() }))
  const masterKeys = { current: Buffer.alloc(32, 7), previous: [] }
  const app = await buildApp({ config, version: '0', log, masterKeys, database: { ...bench.app, connection } })
  const api = await app.buildApi()
  await api.server.listen({ host: '127.0.0.1', port: 0 })
  const baseUrl = `http://127.0.0.1:${(api.server.server.address() as AddressInfo).port}`
  const { apiKey } = await app.credentials.createFullKey('Bench')
  await insertRows(database, rows)
  const stop = async () => {
    await api.server.close()
    await app.close()
    await database.close()
  }
  const [own] = await database.query<{ id: string }>({ text: 'select organization_id as id from svc.organizations' })
  return {
    stop,
    database,
    organizationId: own?.id ?? '',
    baseUrl,
    headers: { authorization: `Bearer ${apiKey}` },
    others: rows / 200,
  }
}

/** Inserts finished transactions and deposits in the order of time. Every second one belongs to an active customer. */
async function insertRows(database: Database, rows: number): Promise<void> {
  const parts =
    '{"sourceCurrency":{"label":"USD"},"sourceAmount":"100.00","sourceDecimals":2,"destinationCurrency":' +
    '{"label":"USDC","chain":"BASE","contractAddress":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",' +
    '"currencyDecimals":6},"destinationDecimals":6,"fees":{"feeCurrency":{"label":"USD"},"svcFee":' +
    '{"feeAmount":"0.50","feeUSDAmount":"0.50"},"developerFee":{"feeAmount":"0.00","feeUSDAmount":"0.00"}}}'
  const history = ['AWAITING_TRANSFER', 'PROCESSING', 'COMPLETED'].map((status) => {
    return { status, at: '2025-11-21T12:00:00.000Z' }
  })
  const numbered = `
    select number, organization_id,
           (lpad(to_hex(1700000000000 + number), 12, '0') || '7' || substr(md5(number::text), 1, 19))::uuid as id,
           md5('customer ' || who)::uuid as customer_id, md5('bank ' || who)::uuid as bank, md5('wallet ' || who)::uuid as wallet
      from svc.organizations, (
           select number, case number % 2 when 0 then number / 2 % ${activeCustomers}
                               else ${activeCustomers} + number / 2 % ${rows / 200} end as who
             from generate_series(0, ${rows - 1}) as number) as made`
  await database.query({
    text: `insert into svc.transactions (organization_id, transaction_id, customer_id, quote_id, status,
                  source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
                  destination_payment_account_id, is_to_wallet, destination_asset, destination_method, destination_amount,
                  exchange_rate, svc_fee, developer_fee, is_guaranteed, quote_expires_at, parts, source_reference_id,
                  destination_reference_id, status_history, status_written_at, step, created_at, updated_at)
           select organization_id, id, customer_id, md5('quote ' || number)::uuid, 'COMPLETED', bank, false, 'USD', 'ACH',
                  10000, wallet, true, 'USDC/BASE', 'BASE', 99500000, '1', 50, 0, false, now(), $1::json,
                  'statement-' || number, 'sandbox-' || id,
                  array(select json_array_elements($2::json)), array[null, now(), now()], 'DONE', now(), now()
             from (${numbered}) as numbered`,
    values: [parts, JSON.stringify(history)],
  })
  // The event of its version has the JSON of each.
  await database.query({
    text: `insert into svc.events (organization_id, event_id, type, resource_id, resource_version, api_version, data,
                  created_at, sequence)
           select organization_id, transaction_id, 'transaction.updated', transaction_id::text, version, '', 
                  svc.show_transaction(transaction), now(), row_number() over (order by transaction_id)
             from svc.transactions as transaction`,
  })
  await database.query({
    text: `insert into svc.deposits (organization_id, deposit_id, method, external_id, asset, amount, held_at, status,
                  customer_id,
                  payment_account_id, seen_at, created_at, updated_at)
           select organization_id, id, 'BASE', 'tx-' || number, 'USDC/BASE', 99500000, 'CUSTODY',
                  case number % 10 when 0 then 'UNMATCHED' else 'CREDITED' end, customer_id, wallet, now(), now(), now()
             from (${numbered}) as numbered`,
  })
  // The counters would include the reads of autovacuum.
  for (const table of ['transactions', 'deposits', 'events']) {
    await database.query({ text: `alter table svc.${table} set (autovacuum_enabled = false)` })
  }
  await database.query({ text: 'vacuum analyze svc.transactions, svc.deposits, svc.events' })
}

function idOf(name: string): string {
  return createHash('md5')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
