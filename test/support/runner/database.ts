import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { appRole, type Connection, type Database, openDatabase, signerRole } from '../../../src/db/database.ts'
import { templateName, withDatabase } from './global-setup.ts'

export type TestDatabase = {
  /** As the schema's owner: for tests that look behind the service's back. */
  owner: Connection
  app: { connection: Connection; role: string }
  signer: { connection: Connection; role: string }
}

/** A fresh copy of the migrated template, or an empty database. */
export async function makeDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const superuser = inject('superuser')
  const name = `svc_test_${randomBytes(6).toString('hex')}`
  const client = new pg.Client('url' in superuser ? superuser.url : superuser)
  await client.connect()
  // Cloning fails while another clone is being made from the same template: they take turns.
  await client.query('select pg_advisory_lock(1)')
  await client.query(`create database ${name} ${empty ? '' : `template ${templateName}`}`)
  await client.end()
  const connection = withDatabase(superuser, name)
  return { owner: connection, app: { connection, role: appRole }, signer: { connection, role: signerRole } }
}

/** A connection pool that closes itself when the test ends. */
export function openForTest(options: Parameters<typeof openDatabase>[0]): Database {
  const database = openDatabase(options)
  onTestFinished(() => database.close())
  return database
}
