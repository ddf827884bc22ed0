import pg from 'pg'
import type { TestProject } from 'vitest/node'
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
  const url = process.env.TEST_DATABASE_URL
  const { superuser, stop } = url ? { superuser: { url }, stop: async () => {} } : await startServer()
  await makeTemplate(superuser)
  project.provide('superuser', superuser)
  return stop
}

async function startServer(): Promise<{ superuser: Connection; stop(): Promise<void> }> {
  const { folder, remove } = await makeFolder()
  // Nothing here outlives the run, so the disk need not be waited for. Tests of durability start their own server.
  const unsafe = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
  // Its launcher would visit the database of every test file each minute.
  const settings = { ...unsafe, autovacuum: 'off', max_connections: '200' }
  const server = await startEmbeddedPostgres({ folder, settings, packageFolder, log: () => {} })
  return {
    superuser: { host: server.socketFolder, port: server.port, user: server.superuser, database: 'postgres' },
    stop: async () => {
      await server.stop()
      await remove()
    },
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
  await migrate(withDatabase(superuser, templateName))
}

/** The same server and user, another database. */
export function withDatabase(connection: Connection, database: string): Connection {
  if (!('url' in connection)) return { ...connection, database }
  const url = new URL(connection.url)
  url.pathname = `/${database}`
  return { url: url.href }
}
