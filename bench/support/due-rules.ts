import { lockDueRules } from '../../src/automation-rules/triggers/schedule-store.ts'
import { type Database, openDatabase, type Queryable } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { newId } from '../../src/lib/ids.ts'
import { asTx } from '../../test/support/db/as-tx.ts'
import { type BenchDatabase, median } from './database.ts'

const due = 100
const rounds = 300

/** Compares the time to find a hundred due rules among few and among many idle rules. Every round measures both. */
export async function compareLookups({ owner }: BenchDatabase, { few, many }: { few: number; many: number }) {
  const server = openDatabase({ connection: owner })
  const lookups: Lookup[] = []
  for (const idle of [few, many]) {
    await server.query({ text: `create database idle_${idle}` })
    lookups.push(await makeLookup({ ...owner, database: `idle_${idle}` } as BenchDatabase['owner'], idle))
  }
  for (let round = 0; round < rounds; round += 1) for (const lookup of lookups) lookup.times.push(await timed(lookup))
  const [first, second] = lookups as [Lookup, Lookup]
  for (const { idle, times, pages } of lookups) {
    console.log(`${due} due rules among ${idle} others: ${median(times).toFixed(2)} ms, ${pages} pages read`)
  }
  const ratio = median(second.times) / median(first.times)
  console.log(
    `finding due rules takes ${ratio.toFixed(2)} × as long with ${many} idle rules as with ${few} (at most 1.2)`,
  )
  for (const { database } of lookups) await database.close()
  await server.close()
}

type Lookup = { idle: number; database: Database; times: number[]; pages: number }

/** Creates a database with a hundred due rules and `idle` rules that become due within a year. */
async function makeLookup(connection: BenchDatabase['owner'], idle: number): Promise<Lookup> {
  await migrate(connection)
  const database = openDatabase({ connection, statementTimeoutMs: 900_000 })
  await database.query({
    text: `insert into svc.automation_rules (organization_id, rule_id, customer_id, name, source_payment_account_id,
                  source_asset, source_method, destination_payment_account_id, destination_asset, destination_method,
                  amount_type, amount_text, amount_units, trigger_type, cron_schedule, next_run_at, created_at, updated_at)
           select $1, gen_random_uuid(), gen_random_uuid(), 'Idle', gen_random_uuid(), 'USDC/BASE', 'BASE',
                  gen_random_uuid(), 'USD', 'ACH', 'FLAT', '1', 1000000, 'TIME_BASED', '0 12 1 1 *',
                  svc.now() + case when number <= $2 then interval '-1 minute' else interval '1 day' + random() * interval '1 year' end,
                  svc.now(), svc.now()
             from generate_series(1, $2::integer + $3::integer) as number`,
    values: [newId(), due, idle],
  })
  await database.query({ text: 'vacuum analyze svc.automation_rules' })
  return { idle, database, times: [], pages: await countPages(database) }
}

/** Times the production statement, in its own database transaction as in production. */
async function timed({ database }: Lookup): Promise<number> {
  return database.inTx(async (tx) => {
    const started = performance.now()
    const found = await lockDueRules(tx, 1_000)
    const took = performance.now() - started
    if (found.length !== due) throw new Error(`found ${found.length} due rules`)
    return took
  })
}

async function countPages(database: Database): Promise<number> {
  let pages = 0
  const explaining: Queryable = {
    query: async ({ text, values = [] }) => {
      const explain = `explain (analyze, buffers, format json) ${text}`
      const [row] = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>({
        text: explain,
        values,
      })
      const plan = row?.['QUERY PLAN'][0].Plan ?? {}
      pages = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
      return []
    },
  }
  await lockDueRules(asTx(explaining), 1_000)
  return pages
}
