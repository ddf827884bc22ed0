import { parseArgs } from 'node:util'
import { type Database, openDatabase } from '../src/db/database.ts'
import { newId } from '../src/lib/ids.ts'
import { listTransactions } from '../src/transactions/store.ts'
import { median, withDatabase } from './support/database.ts'

/**
 * What a page of 100 transactions reads, with few rows in the table and with many. The plan and its buffers are those of
 * the statement that GET /transactions sends; only `explain` is put before it.
 */
const { values } = parseArgs({
  options: { few: { type: 'string', default: '10000' }, many: { type: 'string', default: '1000000' } },
})
const sizes = [Number(values.few), Number(values.many)]
const organizationId = newId()
/** Each fills a page of their own, however few rows there are. */
const customers = 100
const pageSize = 100

type Page = { name: string; filter: { customerId?: string; paymentAccountId?: string }; after?: string }
type Plan = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }

await withDatabase(async ({ owner }) => {
  const database = openDatabase({ connection: owner, statementTimeoutMs: 600_000 })
  const seen = new Map<string, number[]>()
  let rows = 0
  for (const size of sizes) {
    await fill(database, rows, size)
    rows = size
    await database.query({ text: 'vacuum analyze svc.transactions' })
    console.log(`${size.toLocaleString('en')} rows`)
    for (const page of await choosePages(database)) {
      const { buffers, ms } = await look(database, page)
      seen.set(page.name, [...(seen.get(page.name) ?? []), buffers])
      console.log(`  ${page.name.padEnd(34)} ${String(buffers).padStart(4)} buffers ${ms.toFixed(2).padStart(8)} ms`)
    }
  }
  for (const [name, [few = 0, many = 0]] of seen) console.log(`${name.padEnd(36)} × ${(many / few).toFixed(2)}`)
  await database.close()
})

/** Rows as svc.create_transaction makes them, of as many customers, in the order of time. */
async function fill(database: Database, from: number, to: number): Promise<void> {
  await database.query({
    text: `insert into svc.transactions (organization_id, transaction_id, customer_id, quote_id, status,
                  source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
                  destination_payment_account_id, is_to_wallet, destination_asset, destination_method, destination_amount,
                  exchange_rate, svc_fee, developer_fee, is_guaranteed, quote_expires_at, parts, status_history, step,
                  created_at, updated_at)
           select $1::uuid, (lpad(to_hex(1700000000000 + number), 12, '0') || '7' || substr(md5(number::text), 1, 19))::uuid,
                  md5('customer' || number % $4)::uuid, md5('quote' || number)::uuid, 'COMPLETED',
                  md5('bank' || number % $4)::uuid, false, 'USD', 'ACH', 10000,
                  md5('wallet' || number % $4)::uuid, true, 'USDC/BASE', 'BASE', 99500000,
                  '1', 50, 0, false, now(), repeat('x', 900), '[]', 'DONE', now(), now()
             from generate_series($2::int, $3::int - 1) as number`,
    values: [organizationId, from, to, customers],
  })
}

async function choosePages(database: Database): Promise<Page[]> {
  const [chosen] = await database.query<{ customerId: string; paymentAccountId: string; middle: string }>({
    text: `select md5('customer7')::uuid as "customerId", md5('bank7')::uuid as "paymentAccountId",
                  (select transaction_id from svc.transactions where organization_id = $1
                    order by transaction_id desc offset 900 limit 1) as middle`,
    values: [organizationId],
  })
  if (!chosen) throw new Error('there are no transactions')
  const { customerId, paymentAccountId, middle } = chosen
  return [
    { name: 'all, page 1', filter: {} },
    { name: 'all, page 10', filter: {}, after: middle },
    { name: 'of one customer', filter: { customerId } },
    { name: 'of one payment account', filter: { paymentAccountId } },
    { name: 'of one customer and account', filter: { customerId, paymentAccountId } },
  ]
}

async function look(database: Database, { filter, after }: Page): Promise<{ buffers: number; ms: number }> {
  const slice = { limit: pageSize, after }
  const explained: { Plan: Plan; 'Execution Time': number }[] = []
  const explaining = {
    query: async <Row extends object>({ text, values: given = [] }: { text: string; values?: unknown[] }) => {
      const [row] = await database.query<{ 'QUERY PLAN': typeof explained }>({
        text: `explain (analyze, buffers, format json) ${text}`,
        values: given,
      })
      explained.push(...(row?.['QUERY PLAN'] ?? []))
      return [] as Row[]
    },
  }
  for (let turn = 0; turn < 5; turn += 1) await listTransactions(explaining, [organizationId], filter, slice)
  const last = explained.at(-1)
  if (!last) throw new Error('nothing was explained')
  const buffers = last.Plan['Shared Hit Blocks'] + last.Plan['Shared Read Blocks']
  return { buffers, ms: median(explained.map((each) => each['Execution Time'])) }
}
