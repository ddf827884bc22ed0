import { parseArgs } from 'node:util'
import { openDatabase, type Tx } from '../src/db/database.ts'
import { fillWithoutIndexes, median, withDatabase } from './support/database.ts'
import { fillTable, inserts, listWrites } from './support/list-writes.ts'

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

class Undone extends Error {}

await withDatabase(async ({ owner }) => {
  const database = openDatabase({ connection: owner, connections: 1, statementTimeoutMs: 600_000 })
  const tables = Object.keys(inserts) as (keyof typeof inserts)[]
  const started = performance.now()
  await fillWithoutIndexes(database, tables, async () => {
    for (const table of tables) await database.query({ text: fillTable(table, 1, stored) })
  })
  const cost = async (sql: string, table: string, without: string | undefined) => {
    let found = { micros: 0, bytes: 0 }
    const run = async (tx: Tx) => {
      const isKey = without?.endsWith('_pkey')
      if (without && isKey) await tx.query({ text: `alter table svc.${table} drop constraint ${without}` })
      if (without && !isKey) await tx.query({ text: `drop index svc.${without}` })
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
  for (const { table, write, sql, indexes } of listWrites(stored, written)) {
    const pairs = indexes.map((): { whole: number; without: number; bytes: number }[] => [])
    for (let round = 0; round <= rounds; round += 1) {
      const whole = await cost(sql, table, undefined)
      for (const [place, index] of indexes.entries()) {
        const without = await cost(sql, table, `${table}_${index}`)
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
