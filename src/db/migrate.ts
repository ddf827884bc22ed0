import pg from 'pg'
import { appRole, type Connection, clientConfig, type Queryable, signerRole } from './database.ts'
import { readSchema, type Schema, type SqlFile } from './sql-files.ts'

// Any constant serves: it only has to be the same in every process that migrates.
const migrationLock = 7_268_203

type Applied = Pick<SqlFile, 'name' | 'checksum'>
type AppliedSchema = { migrations: Applied[]; functions: Applied[] }
/** The files to apply, in order, and the functions to drop because no file defines them any more. */
export type Pending = Schema & { obsolete: string[] }

/** Thrown when this version of the program cannot run on the database. */
export class SchemaMismatch extends Error {}

/**
 * Brings the schema up to date: migrations once each, then every function whose file differs from the one applied last.
 * One database transaction leaves the database at the old version or at the new one, never in between. Several
 * processes may start it at once: one migrates, the others wait.
 */
export async function migrate(owner: Connection, schema = readSchema()): Promise<string[]> {
  const client = new pg.Client(clientConfig({ connection: owner, statementTimeoutMs: 0 }))
  client.on('error', () => {}) // the running statement reports it
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    for (const role of [appRole, signerRole]) await ensureRole(client, role)
    await client.query(`create schema if not exists svc; grant usage on schema svc to ${appRole};
      create table if not exists svc.migrations (
        name text primary key, checksum text not null, applied_at timestamptz not null default clock_timestamp());
      create table if not exists svc.functions (
        name text primary key, checksum text not null, applied_at timestamptz not null default clock_timestamp());
      grant select on svc.migrations, svc.functions to ${appRole}`)
    const applied = await readApplied({ query: async (statement) => (await client.query(statement)).rows })
    return await apply(client, findPending(schema, applied))
  } finally {
    await client.end()
  }
}

/** Refuses to run on a schema that is behind, ahead of, or different from the files of this program. */
export async function requireCurrentSchema(database: Queryable, schema = readSchema()): Promise<void> {
  const { migrations, functions, obsolete } = findPending(schema, await readApplied(database))
  const [migration] = migrations
  if (migration) {
    throw new SchemaMismatch(
      `The database lacks ${migrations.length} migration(s), first ${migration.name}. Run "svc migrate" first.`,
    )
  }
  const [different] = [...functions.map(({ name }) => name), ...obsolete]
  if (different === undefined) return
  throw new SchemaMismatch(
    `The database lacks this version of the function svc.${different}. Upgrade this program, or run "svc migrate" of ` +
      'the newest version that uses this database.',
  )
}

/**
 * Compares the program's files with the database. Migrations go forward only: one that the database has and the program
 * does not, or that differs, is refused. Functions hold no data, so they follow the program that migrates last.
 */
export function findPending(schema: Schema, applied: AppliedSchema): Pending {
  const known = new Map(schema.migrations.map((file) => [file.name, file]))
  const last = schema.migrations.at(-1)?.name ?? ''
  for (const { name, checksum } of applied.migrations) {
    const file = known.get(name)
    if (!file && name > last)
      throw new SchemaMismatch(`The database was migrated by a newer version of Svc (${name}). Upgrade the program.`)
    if (file?.checksum !== checksum) {
      throw new SchemaMismatch(
        `The migration ${name} of the database is not one of this version. It was changed after it had been applied, ` +
          'or the database is older than the first release and cannot be migrated. Use the version that created it, ' +
          'or start with an empty database (embedded: stop Svc and move the folder of SVC_DATA_DIR away).',
      )
    }
  }
  const done = new Set(applied.migrations.map(({ name }) => name))
  const checksums = new Map(applied.functions.map(({ name, checksum }) => [name, checksum]))
  const names = new Set(schema.functions.map(({ name }) => name))
  return {
    migrations: schema.migrations.filter(({ name }) => !done.has(name)),
    functions: schema.functions.filter(({ name, checksum }) => checksums.get(name) !== checksum),
    obsolete: [...checksums.keys()].filter((name) => !names.has(name)),
  }
}

/** A table that does not exist yet holds nothing: the database is empty, or an older version made it. */
async function readApplied(database: Queryable): Promise<AppliedSchema> {
  const [exist] = await database.query<{ migrations: boolean; functions: boolean }>({
    text: `select to_regclass('svc.migrations') is not null as migrations,
                  to_regclass('svc.functions') is not null as functions`,
  })
  const read = async (isThere: boolean | undefined, text: string) => (isThere ? database.query<Applied>({ text }) : [])
  return {
    migrations: await read(exist?.migrations, 'select name, checksum from svc.migrations order by name'),
    functions: await read(exist?.functions, 'select name, checksum from svc.functions order by name'),
  }
}

/** Returns the names of the files that it applied. */
async function apply(client: pg.Client, { migrations, functions, obsolete }: Pending): Promise<string[]> {
  let current = ''
  try {
    await client.query('begin')
    for (const { name, sql, checksum } of migrations) {
      current = `Migration ${name}`
      await client.query(sql)
      await client.query('insert into svc.migrations (name, checksum) values ($1, $2)', [name, checksum])
    }
    for (const name of obsolete) {
      current = `Dropping function svc.${name}`
      await dropFunction(client, name)
      await client.query('delete from svc.functions where name = $1', [name])
    }
    for (const file of functions) {
      current = `Function svc.${file.name}`
      await replaceFunction(client, file)
    }
    await client.query('commit')
    return [...migrations.map(({ name }) => name), ...functions.map(({ name }) => `functions/${name}.sql`)]
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new Error(`${current} failed and was rolled back: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Replaces a function in place, so that running calls keep its identity. With other arguments or another result
 * PostgreSQL cannot replace it (42P13) or keeps both (42725 in the file's grants): then the function is dropped first.
 */
async function replaceFunction(client: pg.Client, { name, sql, checksum }: SqlFile): Promise<void> {
  await client.query('savepoint before_function')
  const isReplaced = await client.query(sql).then(
    async () => (await listVariants(client, name)).length === 1,
    (error: { code?: string }) => {
      if (error.code !== '42P13' && error.code !== '42725') throw error
      return false
    },
  )
  if (!isReplaced) {
    await client.query('rollback to savepoint before_function')
    await dropFunction(client, name)
    await client.query(sql)
  }
  await client.query(
    `insert into svc.functions (name, checksum) values ($1, $2)
         on conflict (name) do update set checksum = excluded.checksum, applied_at = clock_timestamp()`,
    [name, checksum],
  )
}

async function dropFunction(client: pg.Client, name: string): Promise<void> {
  for (const variant of await listVariants(client, name)) await client.query(`drop function ${variant}`)
}

/** Lists the variants of a function with their argument types, as `drop function` takes them. */
async function listVariants(client: pg.Client, name: string): Promise<string[]> {
  const { rows } = await client.query<{ variant: string }>(
    `select oid::regprocedure::text as variant from pg_proc
      where pronamespace = 'svc'::regnamespace and proname = $1`,
    [name],
  )
  return rows.map(({ variant }) => variant)
}

const addressOf: Record<string, string> = { [appRole]: 'DATABASE_URL', [signerRole]: 'DATABASE_SIGNER_URL' }

/**
 * Creates a role that Svc's processes run as. Roles belong to the whole server, so the migration of another database
 * may create it at the same time. The owner's login becomes a member of the role, because DATABASE_URL alone may serve
 * every process; an existing signer role may have its own login instead.
 */
async function ensureRole(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query(
    `select rolsuper or rolbypassrls as is_privileged, pg_has_role(current_user, oid, 'member') as usable
       from pg_roles where rolname = $1`,
    [role],
  )
  try {
    if (rows.length === 0) {
      await client.query(`create role ${role} nologin`).catch((error: { code?: string }) => {
        if (error.code !== '42710' && error.code !== '23505') throw error // another migration created it
      })
    }
    if (rows[0]?.is_privileged) throw new Error('it is a superuser or bypasses row security')
    const mustBeUsable = role === appRole || rows.length === 0
    if (mustBeUsable && !rows[0]?.usable) await client.query(`grant ${role} to current_user`)
  } catch (error) {
    throw new SchemaMismatch(
      `Svc runs as the role ${role}, which could not be set up: ${(error as Error).message}. As an administrator: ` +
        `create role ${role} nologin; grant ${role} to <the user of ${addressOf[role]}>;`,
      { cause: error },
    )
  }
}
