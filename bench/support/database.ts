import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { appRole, type Connection, type Database, signerRole } from '../../src/db/database.ts'
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.ts'
import { migrate } from '../../src/db/migrate.ts'

export type BenchDatabase = Record<'app' | 'signer', { connection: Connection; role: string }> & { owner: Connection }

/** Runs a benchmark on a new embedded database with durable commits, as in production, and deletes it afterwards. */
export async function withDatabase(run: (database: BenchDatabase) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'svc bench '))
  await chmod(folder, 0o755)
  const server = await startEmbeddedPostgres({ folder, log: () => {} })
  try {
    const owner = { host: server.socketFolder, port: server.port, user: server.superuser, database: 'postgres' }
    await migrate(owner)
    await run({ owner, app: { connection: owner, role: appRole }, signer: { connection: owner, role: signerRole } })
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Fills tables quickly: their indexes are built after the rows. Unique constraints stay. */
export async function fillWithoutIndexes(
  database: Database,
  tables: readonly string[],
  fill: () => Promise<void>,
): Promise<void> {
  const indexes = await database.query<{ name: string; definition: string }>({
    text: `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
             from pg_index left join pg_constraint on conindid = indexrelid
            where indrelid = any($1::text[]::regclass[]) and pg_constraint.oid is null`,
    values: [tables.map((table) => `svc.${table}`)],
  })
  for (const { name } of indexes) await database.query({ text: `drop index ${name}` })
  await fill()
  await database.query({ text: `alter system set maintenance_work_mem = '256MB'` })
  await database.query({ text: 'select pg_reload_conf()' })
  const build = async () => {
    for (let next = indexes.pop(); next; next = indexes.pop()) await database.query({ text: next.definition })
  }
  await Promise.all([build(), build()])
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
