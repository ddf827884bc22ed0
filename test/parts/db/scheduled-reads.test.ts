import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { openDatabase } from '../../../src/db/database.ts'
import {
  createTransaction,
  sendDeposit,
  startWithWorkers,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { createRule, makeRuleStory, toNextMinute, waitForRuns } from '../../support/rules/rules.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { createWebhook, startReceiver } from '../../support/webhooks/receiver.ts'

const copies = 5_000
const database = await makeDatabaseWithAddresses()
const asOwner = openDatabase({ connection: database.owner, connections: 1, statementTimeoutMs: 120_000 })
const receiver = await startReceiver()
afterAll(async () => {
  receiver.close()
  await asOwner.close()
})

/** A new id for the copy `number`, below those that Svc makes now: checks take it for an old one. */
const id = `('0190' || substr(md5(random()::text || number), 1, 28))::uuid`
/** The copies of these tables differ in more than their keys. They are finished: none is work, unless a queue is one row. */
const differences: Record<string, Record<string, string>> = {
  ledger_accounts: { holder: id, kind: `'WALLET'`, posted: '0' },
  automation_rules: { next_run_at: `now() + interval '1 year'` },
  event_sequences: { batch: '0' },
  webhooks: { due_at: 'null', fanned_out_revision: 'original.revision', fanned_out_to: '9999' },
  wallet_addresses: { kind: 'original.kind', taken_at: 'now()', payment_account_id: id, retired_at: 'null' },
  payment_accounts: {
    seal: `'\\x00'`,
    account_hash: `decode(md5(${id}::text), 'hex')`,
    address: `case when original.address is not null then ${id}::text end`,
  },
  wallets: { address: `${id}::text` },
  api_keys: { key_hash: `decode(md5(${id}::text), 'hex')` },
}
/** The tables that do not grow with customers, payments, rules or endpoints: rows of the deployment, and open work. */
const fixed = [
  'migrations functions deployment clock clock_moves duties checks revisions event_horizon event_readers deployment_secrets',
  'signing_keys watch_lists watch_list_chunks watch_list_imports payout_halts rates dual_control bank_accounts',
  'bank_account_rails bank_folders relayers chain_scans chain_funds service_addresses signer_seeds sealing_keys',
  'reserve_addresses virtual_account_series signing_stops chain_adoptions kept_accounts sandbox_bank_accounts',
  'unfolded_postings open_lines open_entries',
  // The check of each minute compares every holding of each organization with its books.
  'liquidity kind_totals',
].flatMap((line) => line.split(' '))

type Column = { name: string; isKey: boolean; type: string }

/** Lists the columns of each table that has rows, and whether one is part of a key. */
async function listTables(owner: Database): Promise<Map<string, Column[]>> {
  const found = await owner.query<Column & { table: string }>({
    text: `select relname as table, quote_ident(attname) as name, format_type(atttypid, atttypmod) as type,
                  exists (select from pg_index where indrelid = class.oid and indisunique and attnum = any(indkey)) as "isKey"
             from pg_class as class join pg_attribute on attrelid = class.oid
            where relnamespace = 'svc'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
              and attgenerated = '' and attidentity = '' order by relname, attnum`,
  })
  const tables = Map.groupBy(found, ({ table }) => table)
  for (const table of tables.keys()) {
    const rows = await owner.query({ text: `select from svc.${table} limit 1` })
    if (rows.length === 0 || fixed.includes(table)) tables.delete(table)
  }
  return tables
}

/** A value of a key that no other row has. An organization of its own is enough in the tables that have one. */
function newKey({ name, type }: Column, isTenants: boolean): string {
  if (name !== 'organization_id' && isTenants && type !== 'uuid') return `original.${name}`
  // A key that is null refers to nothing.
  if (type === 'uuid') return `case when original.${name} is not null then ${id} end`
  if (type === 'text') return `${id}::text`
  return /int/.test(type) ? `1000000 + number` : `original.${name}`
}

/** Copies a row of each table that has any, each copy into an organization of its own; answers their names. */
async function grow(owner: Database): Promise<string[]> {
  await owner.query({ text: `set session_replication_role = replica` })
  const tables = await listTables(owner)
  for (const [table, columns] of tables) {
    const isTenants = columns.some(({ name }) => name === 'organization_id')
    const copied = (column: Column) =>
      differences[table]?.[column.name] ?? (column.isKey ? newKey(column, isTenants) : `original.${column.name}`)
    const names = columns.map(({ name }) => name).join(', ')
    await owner.query({
      text: `insert into svc.${table} (${names})
             select ${columns.map(copied).join(', ')}
               from (select ${names} from svc.${table} order by ctid limit 1) as original,
                    generate_series(1, ${copies}) as number`,
    })
  }
  await owner.query({ text: 'vacuum analyze' })
  return [...tables.keys()]
}

/** Duties that run at an interval, whether or not there is work. */
const timed = ['check recent postings', 'collect orphaned files', 'expire form drafts', 'renew signing keys']

/** Jumps from each organization to the next, because the ids of postings are in order within an organization alone. */
const exceptions = ['with recursive tenants as']

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}
const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)]

/** Collects the plans of all statements of this process, also of those inside functions, as PostgreSQL tells them. */
function collectPlans() {
  const plans: { 'Query Text': string; Plan: Plan }[] = []
  const emit = pg.Client.prototype.emit
  pg.Client.prototype.emit = function (this: pg.Client, name: string, ...values: unknown[]) {
    const [notice] = values as [{ message?: string } | undefined]
    const json = name === 'notice' ? /plan:\n(\{[\s\S]*)$/.exec(notice?.message ?? '')?.[1] : undefined
    if (json) plans.push(JSON.parse(json))
    return emit.call(this, name, ...values)
  } as typeof emit
  return {
    plans,
    stop: () => {
      pg.Client.prototype.emit = emit
    },
  }
}

test('no statement of a worker or a gauge reads a large part of a table that grows', async () => {
  const act = async (api: Awaited<ReturnType<typeof startWithWorkers>>) => {
    const { everyMinute, route } = await makeRuleStory(api, '100.000000')
    const rule = await createRule(api, everyMinute('FLAT', '1'))
    await toNextMinute(api)
    await waitForRuns(api, rule, [{ runStatus: 'EXECUTED' }])
    const { customerId, from, to } = route
    const paid = await createTransaction(api, { customerId, from: [...from, '10'], to })
    await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
    const awaited = await createTransaction(api, { customerId, from: [to[0], 'USD', 'ACH', '10.00'], to: from })
    const reference = transferReference(awaited)
    await sendDeposit(api, to[0], { currency: 'USD', rail: 'ACH', amount: '10.00', reference })
    await waitForTransaction(api, awaited, { transactionStatus: 'COMPLETED' })
  }
  const before = await startWithWorkers({}, database)
  await createWebhook(before, receiver.url)
  await act(before)
  await eventually(async () => expect(receiver.received.length).toBeGreaterThan(10))
  await before.stop()
  const growing = await grow(asOwner)
  const [{ name } = { name: '' }] = await asOwner.query<{ name: string }>({ text: 'select current_database() as name' })
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
    client_min_messages: 'notice',
  }
  for (const [key, value] of Object.entries(settings)) {
    await asOwner.query({ text: `alter database ${name} set ${key} = '${value}'` })
  }
  const waiting = {
    text: 'select duty from svc.duties where duty = any($1) and due_at <= clock_timestamp()',
    values: [timed],
  }
  await asOwner.query({ text: 'update svc.duties set due_at = clock_timestamp(), lease_until = null' })
  const { plans, stop } = collectPlans()
  const api = await startWithWorkers({}, database)
  await act(api)
  await eventually(async () => expect(await asOwner.query(waiting)).toEqual([]))
  const gauges = await api.get('/metrics')
  expect(gauges.body).toContain('svc_invariants_violated')
  await api.stop()
  stop()
  expect(plans.length).toBeGreaterThan(200)
  const reads = plans.flatMap(({ 'Query Text': text, Plan: plan }) =>
    flatten(plan)
      .filter((node) => growing.includes(node['Relation Name'] ?? '') && countRows(node) >= copies / 2)
      .map((node) => `${node['Relation Name']}: ${text.replaceAll(/\s+/g, ' ').slice(0, 300)}`),
  )
  expect([...new Set(reads)].filter((read) => !exceptions.some((each) => read.includes(each)))).toEqual([])
})

/** The rows that a step of a plan has read, by an index or without. */
function countRows(node: Plan): number {
  return ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0)
}
