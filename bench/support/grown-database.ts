import type { App } from '../../src/app.ts'
import { type Connection, type Database, openDatabase } from '../../src/db/database.ts'
import { startReceiver } from '../../test/support/webhooks/receiver.ts'
import { startBenchApi } from './api.ts'
import { type Calls, makeWalletQuote } from './customers.ts'
import { type BenchDatabase, fillWithoutIndexes } from './database.ts'
import { makeRule } from './many-rules.ts'
import { copyRow, creditWallets, laterExpiry, ofCustomer } from './wallets.ts'

export type Size = { rows: number; rules: number; webhooks: number }
/** Customers with money and quotes to pay, and customers that were created through the API: as many in each size. */
const activeCustomers = 500
const openQuotes = 5_000
const readCustomers = 50

/** SQL of an id in the order of time, as Svc makes them. */
const idOf = (kind: keyof typeof kinds, number = 'number') =>
  `(lpad(to_hex(1700000000000 + ${number}), 12, '0') || '7${kinds[kind]}8000' || lpad(to_hex(${number}), 12, '0'))::uuid`
// biome-ignore format: a table is read by column
const kinds = {
  customer: '001', wallet: '002', bank: '003', quote: '004', open: '005', transaction: '006', rule: '007', webhook: '008',
  organization: '009', account: '00a', posting: '00b', event: '00c',
} as const
/** The tables that are filled. */
const grown = [
  'customers',
  'payment_accounts',
  'quotes',
  'transactions',
  'events',
  'idempotency_keys',
  'automation_rules',
]
const ledger = ['ledger_accounts', 'postings', 'entries']
const funds = 10n ** 15n

/**
 * Makes a database in which one organization has this many customers, each with a wallet that was credited, a bank account, a
 * quote and a finished transaction with its event and its key. One of each is created through the API, and copied by SQL.
 * Webhooks of the copies belong to organizations of their own, and rules are due in a year.
 */
export async function growDatabase(bench: BenchDatabase, name: string, size: Size) {
  const server = openDatabase({ connection: bench.owner, connections: 1 })
  await server.query({ text: `create database ${name} template postgres` })
  const connection = { ...bench.owner, database: name } as Connection
  const database: BenchDatabase = {
    owner: connection,
    app: { ...bench.app, connection },
    signer: { ...bench.signer, connection },
  }
  const owner = openDatabase({ connection, connections: 3, statementTimeoutMs: 1_800_000 })
  const receiver = await startReceiver()
  const api = await startBenchApi(database, Buffer.alloc(32, 7))
  await api.app.rates.refresh()
  await api.app.rates.load()
  const made = await makeOriginals(api, database, owner, receiver.url)
  await withoutDurability(server, () => fill(owner, made, size))
  await server.close()
  await postponeUpkeep(api.app, owner)
  const list = async (text: string, values: unknown[] = []) =>
    (await owner.query<{ id: string }>({ text, values })).map(({ id }) => id)
  const random = (kind: 'customer' | 'transaction' | 'quote') =>
    list(
      `select ${idOf(kind)} as id from (select 1 + floor(random() * $1)::integer as number from generate_series(1, 500)) as drawn`,
      [size.rows],
    )
  const ids = {
    // The profiles of copies are sealed for the original, and cannot be opened.
    originals: made.customers,
    customers: await random('customer'),
    transactions: await random('transaction'),
    quotes: await random('quote'),
    openQuotes: await list(`select ${idOf('open')} as id from generate_series(1, ${openQuotes}) as number`),
    wallets: await owner.query<{ customerId: string; wallet: string; bank: string }>({
      text: `select ${idOf('customer')} as "customerId", ${idOf('wallet')} as wallet, ${idOf('bank')} as bank
               from generate_series(1, ${activeCustomers}) as number`,
    }),
  }
  const stop = async () => {
    await api.stop()
    await owner.close()
    receiver.close()
  }
  return { ...api, database, owner, ids, organizationId: made.organizationId, stop }
}

export type Grown = Awaited<ReturnType<typeof growDatabase>>
type Made = Awaited<ReturnType<typeof makeOriginals>>

async function makeOriginals(
  { app, calls }: Awaited<ReturnType<typeof startBenchApi>>,
  database: BenchDatabase,
  owner: Database,
  url: string,
) {
  const made = await makeWalletQuote(database, calls)
  await creditWallets(app, owner, made.organizationId)
  const { transactionId } = await calls.send('POST', '/transactions', { quoteId: made.quoteId }, true)
  const rule = await makeRule(calls, made)
  const { webhookId } = await calls.send('POST', '/webhooks', { url, events: ['*'] })
  const customers = await makeCustomers(calls)
  return { ...made, transactionId, ruleId: rule.id, webhookId, customers }
}

async function makeCustomers({ send }: Calls): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < readCustomers; number += 1) {
    const email = `customer.${number}@example.com`
    ids.push((await send('POST', '/customers', { customerType: 'INDIVIDUAL', email })).customerId)
  }
  return ids
}

/** Fills without waiting for the disk, and then lets everything arrive there. */
async function withoutDurability(server: Database, fillAll: () => Promise<void>): Promise<void> {
  const set = async (name: string, value: string) => {
    await server.query({ text: `alter system set ${name} = ${value}` })
    await server.query({ text: 'select pg_reload_conf()' })
  }
  await set('fsync', 'off')
  await set('max_wal_size', `'16GB'`)
  // A vacuum would count for the path that is measured at that time.
  await set('autovacuum', 'off')
  await fillAll()
  await set('fsync', 'on')
  await server.query({ text: 'checkpoint', query_timeout: 600_000 })
}

/** Lets a worker enter its duties, and then keeps the checks and the upkeep of each hour from counting for a payment. */
async function postponeUpkeep(app: App, owner: Database): Promise<void> {
  const worker = await app.startWorker()
  await worker.stop()
  await owner.query({ text: `update svc.checks set due_at = clock_timestamp() + interval '1 day'` })
  await owner.query({
    text: `update svc.duties set due_at = clock_timestamp() + interval '1 day'
            where duty in ('check recent postings', 'verify', 'collect orphaned files', 'expire form drafts',
                           'renew signing keys', 'rewrap keys')`,
  })
}

async function fill(owner: Database, made: Made, { rows, rules, webhooks }: Size): Promise<void> {
  const { customerId, quoteId, transactionId, ruleId, webhookId } = made
  const copies = ofCustomer((kind) => idOf(kind))
  const active = ofCustomer((kind) => idOf(kind, `(1 + number % ${Math.min(activeCustomers, rows)})`))
  const copy = (table: string, key: string, id: string, count: number, differences: Record<string, string>) =>
    copyRow(owner, table, { key, id }, count, differences)
  const copyAccounts = (kind: 'wallet' | 'bank') =>
    copy('payment_accounts', 'payment_account_id', made[kind], rows, {
      payment_account_id: idOf(kind),
      customer_id: idOf('customer'),
      account_hash: `decode(md5('${kind}' || number), 'hex')`,
      seal: `'\\x00'`,
    })
  await fillWithoutIndexes(owner, [...grown, ...ledger], async () => {
    await Promise.all([
      (async () => {
        await copy('customers', 'customer_id', customerId, rows, { customer_id: idOf('customer') })
        await copyAccounts('wallet')
        await copyAccounts('bank')
        await creditCopies(owner, made, rows)
        const key = { idempotency_key: `'copy ' || number` }
        await copy('idempotency_keys', 'route', 'POST /transactions', rows, key)
      })(),
      (async () => {
        await copy('quotes', 'quote_id', quoteId, openQuotes, { quote_id: idOf('open'), ...active, ...laterExpiry })
        await copy('quotes', 'quote_id', quoteId, rows, { quote_id: idOf('quote'), ...copies })
        await copy('transactions', 'transaction_id', transactionId, rows, {
          transaction_id: idOf('transaction'),
          quote_id: idOf('quote'),
          ...copies,
          status: `'COMPLETED'`,
          step: `'DONE'`,
          due_at: 'null',
          transfer_message: 'null',
        })
        await copyEvents(owner, transactionId, rows)
        const later = { rule_id: idOf('rule'), ...copies, next_run_at: `now() + interval '1 year'` }
        await copy('automation_rules', 'rule_id', ruleId, rules, later)
      })(),
    ])
  })
  await copyWebhooks(owner, webhookId, webhooks)
  await owner.query({ text: 'vacuum analyze' })
}

/** Credits the wallet of each copied customer, as a deposit does whose entries are folded. */
async function creditCopies(owner: Database, { organizationId }: Made, rows: number): Promise<void> {
  const run = (text: string) => owner.query({ text, values: [organizationId, rows] })
  const asset = `'USDC/BASE'`
  await run(`insert into svc.ledger_accounts (organization_id, account_id, kind, holder, asset, posted, entry_count, created_at)
             select $1::uuid, ${idOf('account')}, 'WALLET', ${idOf('wallet')}::text, ${asset}, ${funds}, 1, now()
               from generate_series(1, $2::integer) as number`)
  const lines = `'CUSTODY  USDC/BASE -${funds}' || e'\\n' || 'WALLET ' || ${idOf('wallet')} || ' USDC/BASE ${funds}'`
  await run(`insert into svc.postings (organization_id, posting_id, reference, fact, content_hash, created_at)
             select $1::uuid, ${idOf('posting')}, reference, 'DEPOSIT',
                    svc.hash_posting($1::uuid, reference, 'DEPOSIT', null, ${lines}), now()
               from generate_series(1, $2::integer) as number, lateral (select 'copy:' || number as reference) as named`)
  await run(`insert into svc.entries (organization_id, posting_id, entry_number, account_id, amount, account_sequence, balance)
             select $1::uuid, ${idOf('posting')}, entry.line, entry.account_id, entry.amount, entry.account_sequence, entry.balance
               from svc.ledger_accounts as custody, generate_series(1, $2::integer) as number,
                    lateral (values (1, custody.account_id, -${funds}::numeric, null::bigint, null::numeric),
                                    (2, ${idOf('account')}, ${funds}, 1, ${funds}))
                            as entry (line, account_id, amount, account_sequence, balance)
              where custody.organization_id = $1 and custody.kind = 'CUSTODY' and custody.asset = ${asset}`)
  await run(`update svc.ledger_accounts set posted = posted - ${funds}::numeric * $2::integer, entry_count = entry_count + $2::integer
              where organization_id = $1 and kind = 'CUSTODY' and asset = ${asset}`)
}

/** Writes the event of each finished transaction, with the text of the original. */
async function copyEvents(owner: Database, transactionId: string, rows: number): Promise<void> {
  await copyRow(owner, 'events', { key: 'resource_id', id: transactionId }, rows, {
    event_id: idOf('event'),
    resource_id: `${idOf('transaction')}::text`,
    sequence: 'number',
  })
  await owner.query({
    text: `insert into svc.event_sequences (organization_id, last_sequence)
           select organization_id, max(sequence) from svc.events where sequence is not null group by organization_id`,
  })
}

/** Copies a webhook that has received every event, into organizations of their own. */
async function copyWebhooks(owner: Database, webhookId: string, webhooks: number): Promise<void> {
  const organization_id = idOf('organization')
  const differences = {
    organization_id,
    webhook_id: idOf('webhook'),
    fanned_out_to: '1',
    fanned_out_revision: 'original.revision',
  }
  await copyRow(owner, 'webhooks', { key: 'webhook_id', id: webhookId }, webhooks, differences)
  await copyRow(owner, 'events', { key: 'resource_id', id: webhookId }, webhooks, { organization_id, sequence: '1' })
  await owner.query({
    text: `insert into svc.event_sequences (organization_id, last_sequence)
           select ${organization_id}, 1 from generate_series(1, $1::integer) as number`,
    values: [webhooks],
  })
  await owner.query({
    text: `insert into svc.destination_watches (organization_id, watched_to)
           select organization_id, last_sequence from svc.event_sequences`,
  })
  await owner.query({
    text: `update svc.webhooks set fanned_out_to = last_sequence, fanned_out_revision = revision
             from svc.event_sequences as sequences
            where sequences.organization_id = webhooks.organization_id and webhook_id = $1`,
    values: [webhookId],
  })
}
