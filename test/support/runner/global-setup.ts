import { readdir, rm, statfs } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { findProgram } from '../../../scripts/program.mjs'
import { ensureBuilt } from '../../../scripts/web.mjs'
import type { Connection } from '../../../src/db/database.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { makeFolder } from './folder.ts'
import { packageFolder } from './postgres-package.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    superuser: Connection
  }
}

export const templateName = 'svc_template'

/** A template that test files prepare for each other: its contents depend on `kind` alone. */
export const preparedName = (kind: string) => `${templateName}_${kind}`

/**
 * One real PostgreSQL for the whole run, and one migrated template that each test file clones. TEST_DATABASE_URL (a
 * superuser's) runs the same tests on another server; `npm run test:postgres` on another version.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await ensureBuilt()
  // Here, and not in each worker at the same time.
  await findProgram({ mayBuild: true })
  const url = process.env.TEST_DATABASE_URL
  const { superuser, stop } = url ? { superuser: { url }, stop: async () => {} } : await startServer()
  await makeTemplate(superuser)
  project.provide('superuser', superuser)
  return stop
}

async function startServer(): Promise<{ superuser: Connection; stop(): Promise<void> }> {
  const memoryFolder = await findMemoryFolder()
  if (memoryFolder) await removeAbandoned(memoryFolder)
  const { folder, remove } = await makeFolder(`${folderPrefix}${process.pid} `, memoryFolder)
  // Nothing here outlives the run, so the disk need not be waited for. Tests of durability start their own server.
  const unsafe = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', wal_level: 'minimal' }
  // The databases of the short form are small and short-lived; those of the longer forms need statistics for good plans.
  const vacuum = { autovacuum: process.env.SVC_TEST_FORM ? 'on' : 'off', autovacuum_naptime: '5s' }
  const upkeep = { ...vacuum, bgwriter_lru_maxpages: '0', checkpoint_timeout: '1d', max_wal_size: '1GB' }
  const few = { max_parallel_workers_per_gather: '0', max_wal_senders: '0', max_connections: '200' }
  // A connection to a new database meets most statements a few times: without this it plans the first five calls of each
  // anew. The longer forms play as production does.
  const plans = { plan_cache_mode: process.env.SVC_TEST_FORM ? 'auto' : 'force_generic_plan' }
  const settings = { ...unsafe, ...upkeep, ...few, ...plans }
  const server = await startEmbeddedPostgres({ folder, settings, packageFolder, log: () => {} })
  return {
    superuser: { host: server.socketFolder, port: server.port, user: server.superuser, database: 'postgres' },
    stop: async () => {
      await server.stop()
      await remove()
    },
  }
}

/**
 * Finds the folder that Linux keeps in memory: to create the thousand files of a database there takes a fraction of the
 * time. Undefined where there is none, or too small a one.
 */
async function findMemoryFolder(): Promise<string | undefined> {
  const folder = '/dev/shm'
  const found = await statfs(folder).catch(() => undefined)
  const freeBytes = found ? found.bavail * found.bsize : 0
  return Math.min(freeBytes, os.freemem()) > memoryBytes ? folder : undefined
}

/** More than the databases of the files that run at one time, and their log. */
const memoryBytes = 4 * 1024 ** 3

const folderPrefix = 'svc test run '

/** Removes the folders of runs that were killed: nothing else would free their memory. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(folderPrefix) ? Number.parseInt(name.slice(folderPrefix.length), 10) : Number.NaN
    if (pid > 0 && !isRunning(pid)) await rm(path.join(parent, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: unknown }).code !== 'ESRCH'
  }
}

async function makeTemplate(superuser: Connection): Promise<void> {
  const client = new pg.Client('url' in superuser ? superuser.url : superuser)
  await client.connect()
  const { rows: versions } = await client.query<{ server_version: string }>('show server_version')
  console.log(`Tests run on PostgreSQL ${versions[0]?.server_version}.`)
  // Another server may still have those of an earlier run.
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [templateName],
  )
  for (const { datname } of rows) await client.query(`drop database ${datname}`)
  await client.query(`do $$ begin create role svc_owner login; exception when duplicate_object then null; end $$`)
  await client.query(`do $$ begin create role svc_app nologin; exception when duplicate_object then null; end $$`)
  await client.query('grant svc_app to svc_owner')
  await client.query(`create database ${templateName} owner svc_owner`)
  await client.end()
  const template = withDatabase(superuser, templateName)
  await migrate(template)
  // The first pass of each test file's worker would check an empty database; `expectVerified` does not wait for it.
  await alterChecks(template, `clock_timestamp() + interval '1 hour'`)
  await putOffReconciliation(template)
}

/** The worker would also compare an empty database with its banks, for a quarter of what it asks of PostgreSQL at a start. */
async function putOffReconciliation(connection: Connection): Promise<void> {
  const client = new pg.Client('url' in connection ? connection.url : connection)
  await client.connect()
  const duties = ['keep names of banks', 'count aged differences']
  const text = `insert into svc.duties (duty, due_at) select unnest($1::text[]), clock_timestamp() + interval '1 day'`
  await client.query(text, [duties])
  await client.end()
}

/** Sets when new checks are due. */
export async function alterChecks(connection: Connection, dueAt: string): Promise<void> {
  const client = new pg.Client('url' in connection ? connection.url : connection)
  await client.connect()
  await client.query(`alter table svc.checks alter due_at set default ${dueAt}`)
  await client.end()
}

/** The same server and user, another database. */
export function withDatabase(connection: Connection, database: string): Connection {
  if (!('url' in connection)) return { ...connection, database }
  const url = new URL(connection.url)
  url.pathname = `/${database}`
  return { url: url.href }
}
