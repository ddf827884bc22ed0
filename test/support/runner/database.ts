import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { appRole, type Connection, type Database, openDatabase, signerRole } from '../../../src/db/database.ts'
import { preparedName, templateName, withDatabase } from './global-setup.ts'

export type TestDatabase = {
  /** The schema owner's connection, for tests that read or change rows directly. */
  owner: Connection
  app: { connection: Connection; role: string }
  signer: { connection: Connection; role: string }
}

/** A fresh copy of the migrated template, or an empty database. */
export async function makeDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const name = makeName()
  await asSuperuser((client) => client.query(`create database ${name} ${empty ? '' : `template ${templateName}`}`))
  return databaseNamed(name)
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
      await client.query(`create database ${first} template ${templateName}`)
      await prepare(databaseNamed(first))
      await client.query(`alter database ${first} rename to ${prepared}`)
    }
    await client.query(`create database ${name} template ${prepared}`)
  })
  return databaseNamed(name)
}

function makeName(): string {
  return `svc_test_${randomBytes(6).toString('hex')}`
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
