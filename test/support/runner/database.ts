import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { appRole, type Connection, type Database, openDatabase, signerRole } from '../../../src/db/database.ts'
import { alterChecks, preparedName, templateName, withDatabase } from './global-setup.ts'

export type TestDatabase = {
  /** The schema owner's connection, for tests that read or change rows directly. */
  owner: Connection
  app: { connection: Connection; role: string }
  signer: { connection: Connection; role: string }
}

/** A fresh copy of the migrated template, or an empty database. With `areChecksDue`, a worker begins with all checks. */
export async function makeDatabase({ empty = false, areChecksDue = false } = {}): Promise<TestDatabase> {
  const name = makeName()
  await asSuperuser((client) => client.query(`create database ${name} ${empty ? '' : copyOf(templateName)}`))
  const made = databaseNamed(name)
  if (areChecksDue) await alterChecks(made.owner, 'clock_timestamp()')
  return made
}

/** A fresh copy of a database that the first caller prepares once per run. */
export async function makePrepared(
  kind: string,
  prepare: (database: TestDatabase) => Promise<void>,
): Promise<TestDatabase> {
  const prepared = preparedName(kind)
  const name = makeName()
  await asSuperuser(async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [prepared])
    if (rowCount === 0) {
      const first = makeName()
      await client.query(`create database ${first} ${copyOf(templateName)}`)
      await prepare(databaseNamed(first))
      await client.query(`alter database ${first} rename to ${prepared}`)
    }
    await client.query(`create database ${name} ${copyOf(prepared)}`)
  })
  return databaseNamed(name)
}

/** Copies the files: through the log, as is the default, a copy costs five times as much. */
const copyOf = (template: string) => `template ${template} strategy file_copy`

/** The databases of this process, by the test file that made them. */
const made = new Map<string, string[]>()

function makeName(): string {
  const name = `svc_test_${randomBytes(6).toString('hex')}`
  const file = currentFile()
  made.set(file, [...(made.get(file) ?? []), name])
  return name
}

function currentFile(): string {
  return (globalThis as { __vitest_worker__?: { filepath?: string } }).__vitest_worker__?.filepath ?? ''
}

/** Drops the databases of files that have ended, so that a run needs little memory. One that is still in use stays. */
async function dropEnded(client: pg.Client): Promise<void> {
  for (const [file, names] of made) {
    if (file === currentFile()) continue
    made.delete(file)
    for (const name of names) await client.query(`drop database if exists ${name}`).catch(() => {})
  }
}

function databaseNamed(name: string): TestDatabase {
  const connection = withDatabase(inject('superuser'), name)
  return { owner: connection, app: { connection, role: appRole }, signer: { connection, role: signerRole } }
}

async function asSuperuser(act: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const superuser = inject('superuser')
  const client = new pg.Client('url' in superuser ? superuser.url : superuser)
  await client.connect()
  try {
    // Cloning fails while another clone is being made from the same template: they take turns.
    await client.query('select pg_advisory_lock(1)')
    await dropEnded(client)
    await act(client)
  } finally {
    await client.end()
  }
}

/** A connection pool that closes itself when the test ends. */
export function openForTest(options: Parameters<typeof openDatabase>[0]): Database {
  const database = openDatabase(options)
  onTestFinished(() => database.close())
  return database
}
