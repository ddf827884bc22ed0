import { expect, test } from 'vitest'
import { claimEnvironment } from '../../../src/db/deployment.ts'
import {
  type Migration,
  migrate,
  pendingMigrations,
  readMigrations,
  requireCurrentSchema,
  SchemaMismatch,
} from '../../../src/db/migrate.ts'
import { databaseChecks, verify } from '../../../src/db/verify.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const files = readMigrations()
const next: Migration = { name: '9999_next.sql', sql: 'create table svc.next (id int); select 1/0;', checksum: 'x' }

test('an empty database is brought up to date, and a second time there is nothing to do', async () => {
  const { owner, app } = await makeDatabase({ empty: true })
  const database = openForTest(app)
  await expect(requireCurrentSchema(database)).rejects.toThrow(/Run "svc migrate"/)
  expect(await migrate(owner)).toEqual(files.map((file) => file.name))
  expect(await migrate(owner)).toEqual([])
  await requireCurrentSchema(database)
})

test('many processes may migrate at once: each file is applied by one of them', async () => {
  const { owner } = await makeDatabase({ empty: true })
  const applied = await Promise.all(Array.from({ length: 8 }, () => migrate(owner)))
  expect(applied.flat().sort()).toEqual(files.map((file) => file.name))
})

test('a migration that fails leaves nothing behind', async () => {
  const { owner } = await makeDatabase()
  await expect(migrate(owner, [...files, next])).rejects.toThrow(
    /9999_next.sql failed and left nothing behind: division by zero/,
  )
  const database = openForTest({ connection: owner })
  expect(await database.query({ text: `select to_regclass('svc.next') as found` })).toEqual([{ found: null }])
  expect(await migrate(owner)).toEqual([])
})

test('a database of a newer version, or with a changed file, is refused', async () => {
  const { app } = await makeDatabase()
  await expect(requireCurrentSchema(openForTest(app), files.slice(0, -1))).rejects.toThrow(/newer version of Svc/)
  const changed = files.map((file, at) => (at === 0 ? { ...file, checksum: 'other' } : file))
  expect(() => pendingMigrations(changed, files)).toThrow(SchemaMismatch)
})

test('processes run as a role that owns nothing and cannot rewrite history', async () => {
  const { app, owner } = await makeDatabase()
  const database = openForTest(app)
  expect(await database.query({ text: 'select current_user as me' })).toEqual([{ me: 'svc_app' }])
  await expect(database.query({ text: 'create table svc.mine (id int)' })).rejects.toThrow(/permission denied/)
  await expect(database.query({ text: 'delete from svc.organizations' })).rejects.toThrow(/permission denied/)
  await expect(database.query({ text: 'update svc.migrations set name = name' })).rejects.toThrow(/permission denied/)
  expect(await verify(database, databaseChecks)).toMatchObject({ ok: true })

  // The same checks as a superuser name what is wrong: they can fail.
  const powerful = await verify(openForTest({ connection: owner }), databaseChecks)
  const violated = powerful.checks.filter((check) => !check.ok).map((check) => check.name)
  expect(violated).toEqual([
    'processes run without special powers',
    'processes own nothing',
    'history cannot be rewritten',
  ])
})

test('a sandbox database can never serve production', async () => {
  const { app } = await makeDatabase()
  const database = openForTest(app)
  await claimEnvironment(database, 'sandbox')
  await claimEnvironment(database, 'sandbox')
  await expect(claimEnvironment(database, 'production')).rejects.toThrow(/belongs to a sandbox deployment/)
})

test('a clock that was moved in production is found by verify', async () => {
  const { app } = await makeDatabase()
  const database = openForTest(app)
  await claimEnvironment(database, 'production')
  expect((await verify(database, databaseChecks)).ok).toBe(true)
  await database.query({ text: `update svc.clock set ahead = interval '1 hour'` })
  expect((await verify(database, databaseChecks)).checks.filter((check) => !check.ok)).toEqual([
    { name: 'production time is real time', ok: false, violations: ['the clock of a production deployment was moved'] },
  ])
})
