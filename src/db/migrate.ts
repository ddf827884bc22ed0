import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { appRole, type Connection, clientConfig, type Queryable, signerRole } from './database.ts'

const migrationsFolder = path.join(import.meta.dirname, '..', '..', 'migrations')
// Any constant serves: it only has to be the same in every process that migrates.
const migrationLock = 7_268_203

export type Migration = { name: string; sql: string; checksum: string }
export type AppliedMigration = { name: string; checksum: string }

/** The database is not one that this version of the program may run on. */
export class SchemaMismatch extends Error {}

export function readMigrations(folder = migrationsFolder): Migration[] {
  const names = readdirSync(folder).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
  return names.sort().map((name) => {
    const sql = readFileSync(path.join(folder, name), 'utf8')
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
}

/** Brings the schema up to date, one transaction a file. Safe to start many times at once: the others wait. */
export async function migrate(owner: Connection, migrations = readMigrations()): Promise<string[]> {
  const client = new pg.Client(clientConfig({ connection: owner, statementTimeoutMs: 0 }))
  client.on('error', () => {}) // the running statement reports it
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    for (const role of [appRole, signerRole]) await ensureRole(client, role)
    await client.query(`create schema if not exists svc; grant usage on schema svc to ${appRole};
      create table if not exists svc.migrations (
        name text primary key, checksum text not null, applied_at timestamptz not null default clock_timestamp());
      grant select on svc.migrations to ${appRole}`)
    const pending = pendingMigrations(migrations, await readApplied(client))
    for (const migration of pending) await apply(client, migration)
    return pending.map((migration) => migration.name)
  } finally {
    await client.end()
  }
}

/** Refuses to run on a schema that is behind, ahead of, or different from the files of this program. */
export async function requireCurrentSchema(database: Queryable, migrations = readMigrations()): Promise<void> {
  const [exists] = await database.query<{ found: boolean }>({
    text: `select to_regclass('svc.migrations') is not null as found`,
  })
  const applied = exists?.found ? await readAppliedRows(database) : []
  const pending = pendingMigrations(migrations, applied)
  if (pending.length === 0) return
  throw new SchemaMismatch(
    `The database lacks ${pending.length} migration(s), first ${pending[0]?.name}. Run "svc migrate" before this.`,
  )
}

/** What is still to be applied, in order; forward only, so anything that does not fit is refused. */
export function pendingMigrations(files: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const known = new Map(files.map((file) => [file.name, file]))
  for (const { name, checksum } of applied) {
    const file = known.get(name)
    if (!file)
      throw new SchemaMismatch(`The database was migrated by a newer version of Svc (${name}). Upgrade the program.`)
    if (file.checksum !== checksum) throw new SchemaMismatch(`Migration ${name} was changed after it had been applied.`)
  }
  const done = new Set(applied.map((each) => each.name))
  return files.filter((file) => !done.has(file.name))
}

function readAppliedRows(database: Queryable): Promise<AppliedMigration[]> {
  return database.query<AppliedMigration>({ text: 'select name, checksum from svc.migrations order by name' })
}

function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  return readAppliedRows({ query: async (statement) => (await client.query(statement)).rows })
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('insert into svc.migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new Error(`Migration ${name} failed and left nothing behind: ${(error as Error).message}`, { cause: error })
  }
}

const addressOf: Record<string, string> = { [appRole]: 'DATABASE_URL', [signerRole]: 'DATABASE_SIGNER_URL' }

/**
 * A role our processes run as. Roles belong to the whole server, so another database may have made it just now. With one
 * address for everything the owner's login must be able to take on each; a signer with an address of its own needs no
 * more than that the role exists.
 */
async function ensureRole(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query(
    `select rolsuper or rolbypassrls as all_powerful, pg_has_role(current_user, oid, 'member') as usable
       from pg_roles where rolname = $1`,
    [role],
  )
  try {
    if (rows.length === 0) {
      await client.query(`create role ${role} nologin`).catch((error: { code?: string }) => {
        if (error.code !== '42710' && error.code !== '23505') throw error // it exists by now
      })
    }
    if (rows[0]?.all_powerful) throw new Error('it is a superuser or bypasses row security')
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
