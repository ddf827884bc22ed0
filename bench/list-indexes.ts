import { parseArgs } from 'node:util'
import { openDatabase, type Tx } from '../src/db/database.ts'
import { fillWithoutIndexes, median, withDatabase } from './support/database.ts'

/**
 * Tells what each index of a list costs a write. Each round writes the same rows with all indexes and then without each
 * of them, one after the other, and rolls all back: the time of the statement, and the bytes of its write-ahead log. The
 * full size is --stored 1000000.
 */
const { values } = parseArgs({
  options: {
    stored: { type: 'string', default: '100000' },
    written: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '5' },
  },
})
const [stored, written, rounds] = [Number(values.stored), Number(values.written), Number(values.rounds)]

const at = `timestamptz '2026-01-01' + number * interval '1 second'`
const organization = `'01999999-0000-7000-8000-000000000000'::uuid`

/** Ids in the order of time, as Svc makes them. */
const id = `(lpad(to_hex(1700000000000 + number), 12, '0') || '7' || substr(md5(random()::text), 1, 19))::uuid`

const inserts = {
  transactions: `
    insert into svc.transactions (organization_id, transaction_id, customer_id, quote_id, status, correlation_id,
           external_id, source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
           destination_payment_account_id, is_to_wallet, destination_asset, destination_method, destination_amount,
           exchange_rate, svc_fee, developer_fee, is_guaranteed, quote_expires_at, parts, status_history,
           status_written_at, step, created_at, updated_at)
    select ${organization}, ${id}, gen_random_uuid(), gen_random_uuid(), 'CREATED', 'order ' || number, 'id ' || number,
           gen_random_uuid(), true, 'USDC/BASE', 'BASE', 1, gen_random_uuid(), false, 'USD', 'ACH', 1, '1', 0, 0, false,
           ${at}, '{}', '{}', '{}', 'SCREEN', ${at}, ${at}`,
  quotes: `
    insert into svc.quotes (organization_id, quote_id, customer_id, source_payment_account_id, source_asset,
           source_method, source_amount, source_amount_text, destination_payment_account_id, destination_asset,
           destination_method, destination_amount, exchange_rate, svc_fee, developer_fee, is_guaranteed, derivation,
           transaction_parts, transfer_window, created_at, expires_at, external_id)
    select ${organization}, ${id}, gen_random_uuid(), gen_random_uuid(), 'USDC/BASE', 'BASE', 1, '1', gen_random_uuid(),
           'USD', 'ACH', 1, '1', 0, 0, false, repeat('x', 600), '{}', '1 day', ${at}, ${at}, 'id ' || number`,
  deposits: `
    insert into svc.deposits (organization_id, deposit_id, method, external_id, asset, amount, held_at, status,
           customer_id, payment_account_id, transaction_id, seen_at, created_at, updated_at)
    select ${organization}, ${id}, 'ACH', 'id ' || number, 'USD', 1, 'usd-main', 'APPLIED', gen_random_uuid(),
           gen_random_uuid(), gen_random_uuid(), ${at}, ${at}, ${at}`,
  customers: `
    insert into svc.customers (organization_id, customer_id, customer_type, status, data_key_id, sealed_profile,
           created_at, updated_at, external_id)
    select ${organization}, ${id}, 'INDIVIDUAL', 'CREATED', gen_random_uuid(), decode(repeat('ab', 200), 'hex'), ${at},
           ${at}, 'id ' || number`,
} as const

const update = `update svc.transactions set status = 'PROCESSING', updated_at = updated_at + interval '1 hour'
                 where transaction_id in (select transaction_id from svc.transactions
                                           order by transaction_id desc limit ${written})`

const measured: { table: keyof typeof inserts; write: string; sql: string; indexes: string[] }[] = [
  {
    table: 'transactions',
    write: 'POST /transactions',
    sql: more('transactions'),
    indexes: ['by_status', 'by_created', 'by_updated', 'by_correlation', 'external_id'],
  },
  {
    table: 'transactions',
    write: 'a change of status',
    sql: update,
    indexes: ['by_status', 'by_created', 'by_updated', 'by_correlation', 'external_id'],
  },
  {
    table: 'quotes',
    write: 'POST /quotes',
    sql: more('quotes'),
    indexes: ['by_customer', 'by_created', 'external_id'],
  },
  { table: 'deposits', write: 'a new deposit', sql: more('deposits'), indexes: ['by_created', 'by_updated'] },
  {
    table: 'customers',
    write: 'POST /customers',
    sql: more('customers'),
    indexes: ['by_status', 'by_created', 'external_id'],
  },
]

function more(table: keyof typeof inserts): string {
  return `${inserts[table]} from generate_series(${stored + 1}, ${stored + written}) as number`
}

class Undone extends Error {}

await withDatabase(async ({ owner }) => {
  const database = openDatabase({ connection: owner, connections: 1, statementTimeoutMs: 600_000 })
  const tables = Object.keys(inserts) as (keyof typeof inserts)[]
  const started = performance.now()
  await fillWithoutIndexes(database, tables, async () => {
    for (const table of tables)
      await database.query({ text: `${inserts[table]} from generate_series(1, ${stored}) as number` })
  })
  const cost = async (sql: string, without: string | undefined) => {
    let found = { micros: 0, bytes: 0 }
    const run = async (tx: Tx) => {
      if (without) await tx.query({ text: `drop index svc.${without}` })
      const before = await readLog(tx)
      const started = performance.now()
      await tx.query({ text: sql })
      const micros = ((performance.now() - started) * 1_000) / written
      found = { micros, bytes: ((await readLog(tx)) - before) / written }
      throw new Undone()
    }
    await database.inTx(run).catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error
    })
    return found
  }
  // Copies of whole pages would hide what each index adds: the log has them after each checkpoint only.
  await database.query({ text: 'alter system set full_page_writes = off' })
  await database.query({ text: 'select pg_reload_conf()' })
  await database.query({ text: 'checkpoint' })
  const filledIn = `filled in ${((performance.now() - started) / 1_000).toFixed(0)} s`
  console.log(`${written} rows into ${stored} (${filledIn}), all rows with an external id and a correlation id`)
  for (const { table, write, sql, indexes } of measured) {
    const pairs = indexes.map((): { whole: number; without: number; bytes: number }[] => [])
    for (let round = 0; round <= rounds; round += 1) {
      const whole = await cost(sql, undefined)
      for (const [place, index] of indexes.entries()) {
        const without = await cost(sql, `${table}_${index}`)
        // The first round warms up.
        if (round === 0) continue
        pairs[place]?.push({ whole: whole.micros, without: without.micros, bytes: whole.bytes - without.bytes })
      }
    }
    for (const [place, index] of indexes.entries()) show(write, `${table}_${index}`, pairs[place] ?? [])
  }
  await database.close()
})

function show(write: string, index: string, pairs: readonly { whole: number; without: number; bytes: number }[]): void {
  const share = median(pairs.map(({ whole, without }) => whole / without - 1)) * 100
  const micros = median(pairs.map(({ whole, without }) => whole - without))
  const bytes = median(pairs.map((each) => each.bytes))
  console.log(
    `${write.padEnd(20)} ${index.padEnd(32)} ${micros.toFixed(1)} µs (${share.toFixed(0)} %), ${bytes.toFixed(0)} bytes of log`,
  )
}

async function readLog(tx: Tx): Promise<number> {
  const [{ bytes } = { bytes: '0' }] = await tx.query<{ bytes: string }>({
    text: `select (pg_current_wal_insert_lsn() - '0/0')::text as bytes`,
  })
  return Number(bytes)
}
