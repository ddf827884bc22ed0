import { expect, test } from 'vitest'
import { claimEnvironment } from '../../../src/db/deployment.ts'
import { findPending, migrate, requireCurrentSchema, SchemaMismatch } from '../../../src/db/migrate.ts'
import { readSchema, type Schema } from '../../../src/db/sql-files.ts'
import { databaseChecks, verify } from '../../../src/db/verify.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const schema = readSchema()
const names = [
  ...schema.migrations.map(({ name }) => name),
  ...schema.functions.map(({ name }) => `functions/${name}.sql`),
]
const withFunction = (sql: string, checksum = sql): Schema => {
  return { ...schema, functions: [...schema.functions, { name: 'greet', sql, checksum }] }
}
const greet = (result: string, body: string) => `
  create or replace function svc.greet(p_name ${result}) returns ${result} language sql as $$ ${body} $$;
  revoke execute on function svc.greet from public; grant execute on function svc.greet to svc_app`

test('an empty database is migrated once, and a second run changes nothing', async () => {
  const { owner, app } = await makeDatabase({ empty: true })
  const database = openForTest(app)
  await expect(requireCurrentSchema(database)).rejects.toThrow(/Run "svc migrate"/)
  expect(await migrate(owner)).toEqual(names)
  expect(await migrate(owner)).toEqual([])
  await requireCurrentSchema(database)
})

test('of many concurrent migrators one applies each file', async () => {
  const { owner } = await makeDatabase({ empty: true })
  const applied = await Promise.all(Array.from({ length: 8 }, () => migrate(owner)))
  expect(applied.flat().sort()).toEqual(names.toSorted())
})

test('a failing migration rolls back itself and those before it', async () => {
  const { owner } = await makeDatabase()
  const good = { name: '9998_good.sql', sql: 'create table svc.good (id int)', checksum: 'x' }
  const bad = { name: '9999_bad.sql', sql: 'create table svc.bad (id int); select 1/0;', checksum: 'x' }
  await expect(migrate(owner, { ...schema, migrations: [...schema.migrations, good, bad] })).rejects.toThrow(
    /9999_bad.sql failed and was rolled back: division by zero/,
  )
  const database = openForTest({ connection: owner })
  expect(
    await database.query({ text: `select to_regclass('svc.good') as good, to_regclass('svc.bad') as bad` }),
  ).toEqual([{ good: null, bad: null }])
  expect(await migrate(owner)).toEqual([])
})

test('a database of a newer version, with a changed file or with another history is rejected', async () => {
  const { app } = await makeDatabase()
  const older = { ...schema, migrations: schema.migrations.slice(0, -1) }
  await expect(requireCurrentSchema(openForTest(app), older)).rejects.toThrow(/newer version of Svc/)
  const changed = schema.migrations.map((file, at) => (at === 0 ? { ...file, checksum: 'other' } : file))
  expect(() => findPending({ ...schema, migrations: changed }, schema)).toThrow(SchemaMismatch)
  const unknown = { name: '0001_foundation.sql', checksum: 'x' }
  expect(() => findPending(schema, { migrations: [unknown], functions: [] })).toThrow(/start with an empty database/)
})

test('a database from before function files is reported as such', async () => {
  const { owner, app } = await makeDatabase()
  const database = openForTest({ connection: owner })
  await database.query({ text: 'drop table svc.functions' })
  await database.query({ text: `update svc.migrations set name = '0001_foundation.sql' where name like '0001%'` })
  await expect(requireCurrentSchema(openForTest(app))).rejects.toThrow(/0001_foundation.sql .* cannot be migrated/)
})

test('a function follows its file: added, changed, given another signature, dropped', async () => {
  const { owner, app } = await makeDatabase()
  const database = openForTest(app)
  const call = (argument: string) => database.query({ text: `select svc.greet(${argument}) as said` })
  const added = withFunction(greet('text', `select 'Hello ' || p_name`))
  await expect(requireCurrentSchema(database, added)).rejects.toThrow(
    /The database lacks this version of the function svc.greet/,
  )
  expect(await migrate(owner, added)).toEqual(['functions/greet.sql'])
  await requireCurrentSchema(database, added)
  expect(await migrate(owner, added)).toEqual([])
  expect(await call(`'Ada'`)).toEqual([{ said: 'Hello Ada' }])

  await migrate(owner, withFunction(greet('text', `select 'Bye ' || p_name`)))
  expect(await call(`'Ada'`)).toEqual([{ said: 'Bye Ada' }])
  await migrate(owner, withFunction(greet('integer', 'select p_name + 1')))
  expect(await call('1')).toEqual([{ said: 2 }])
  await expect(call(`'Ada'`)).rejects.toThrow(/invalid input syntax for type integer/)

  await expect(requireCurrentSchema(database)).rejects.toThrow(
    /The database lacks this version of the function svc.greet/,
  )
  expect(await migrate(owner)).toEqual([])
  await expect(call('1')).rejects.toThrow(/function svc.greet\(integer\) does not exist/)
  await requireCurrentSchema(database)
})

test('a function file that fails leaves the old function in place', async () => {
  const { owner, app } = await makeDatabase()
  await migrate(owner, withFunction(greet('text', `select 'Hello ' || p_name`)))
  await expect(migrate(owner, withFunction(greet('text', 'select nothing')))).rejects.toThrow(
    /Function svc.greet failed and was rolled back: column "nothing" does not exist/,
  )
  expect(await openForTest(app).query({ text: `select svc.greet('Ada') as said` })).toEqual([{ said: 'Hello Ada' }])
})

test('every function has one file, named after it, that grants its callers', async () => {
  const { owner } = await makeDatabase()
  const found = await openForTest({ connection: owner }).query<{ name: string }>({
    text: `select proname as name from pg_proc where pronamespace = 'svc'::regnamespace order by proname`,
  })
  expect(found.map(({ name }) => name)).toEqual(schema.functions.map(({ name }) => name).toSorted())
  for (const { name, sql } of schema.functions) {
    expect(sql.match(/^create or replace function svc\.\w+/gm)).toEqual([`create or replace function svc.${name}`])
    expect(sql).toContain(`\nrevoke execute on function svc.${name} from public;`)
    expect(sql.split('\n').length, `lines of ${name}.sql`).toBeLessThan(130)
  }
})

test('processes run as a role that owns nothing and cannot rewrite history', async () => {
  const { app, owner } = await makeDatabase()
  const database = openForTest(app)
  expect(await database.query({ text: 'select current_user as me' })).toEqual([{ me: 'svc_app' }])
  await expect(database.query({ text: 'create table svc.mine (id int)' })).rejects.toThrow(/permission denied/)
  await expect(database.query({ text: 'delete from svc.organizations' })).rejects.toThrow(/permission denied/)
  await expect(database.query({ text: 'update svc.migrations set name = name' })).rejects.toThrow(/permission denied/)
  expect(await verify(database, databaseChecks)).toMatchObject({ ok: true })

  // Control: run as a superuser, the same checks fail.
  const powerful = await verify(openForTest({ connection: owner }), databaseChecks)
  const violated = powerful.checks.filter((check) => !check.ok).map((check) => check.name)
  expect(violated).toEqual([
    'processes run without special privileges',
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

test('verify finds a clock that was moved in production', async () => {
  const { app } = await makeDatabase()
  const database = openForTest(app)
  await claimEnvironment(database, 'production')
  expect((await verify(database, databaseChecks)).ok).toBe(true)
  await database.query({ text: `update svc.clock set ahead = interval '1 hour'` })
  expect((await verify(database, databaseChecks)).checks.filter((check) => !check.ok)).toMatchObject([
    {
      name: 'business time is real time in production',
      ok: false,
      violations: ['the clock of this production deployment was moved'],
    },
  ])
})
