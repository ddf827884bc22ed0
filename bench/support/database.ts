import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { appRole, type Connection, signerRole } from '../../src/db/database.ts'
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

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
