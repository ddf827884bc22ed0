import type pg from 'pg'
import { appRole, signerRole } from '../../../src/db/database.ts'

// Each rule answers one sentence per violation, which names what to mend.

async function list(client: pg.Client, sql: string): Promise<string[]> {
  const { rows } = await client.query<{ found: string }>(sql)
  return rows.map((row) => row.found)
}

const tenants = `
  select pg_class.oid, relname from pg_class
    join pg_attribute on attrelid = pg_class.oid and attname = 'organization_id' and not attisdropped
   where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p', 'v', 'm')`

/** Every table of the schema that holds the data of organizations. */
export async function readTenantTables(client: pg.Client): Promise<Set<string>> {
  return new Set(await list(client, `select relname as found from (${tenants}) as tenants`))
}

/** A table is a tenant's or is on the list of platform tables: never both, never neither. */
export async function undecidedTables(client: pg.Client, platformTables: readonly string[]): Promise<string[]> {
  const tables = await list(
    client,
    `select relname as found from pg_class where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p', 'v', 'm')`,
  )
  const tenant = await readTenantTables(client)
  const advice = 'give it organization_id, or put it on the list of platform tables with a reason'
  return [
    ...tables
      .filter((name) => !tenant.has(name) && !platformTables.includes(name))
      .map((name) => `svc.${name}: ${advice}`),
    ...platformTables
      .filter((name) => tenant.has(name))
      .map((name) => `svc.${name} has organization_id: it is a tenant table`),
    ...platformTables
      .filter((name) => !tables.includes(name))
      .map((name) => `svc.${name} is gone: take it off the list`),
  ]
}

/** Two organizations can never collide, nor learn about each other from a collision. */
export const keysWithoutTenant = async (client: pg.Client): Promise<string[]> => [
  ...(await list(
    client,
    `select format('%s does not start with organization_id: make it the first column', indexrelid::regclass) as found
       from (${tenants}) as tenants join pg_index on indrelid = tenants.oid
      where (indisunique or indisexclusion)
        and indkey[0] is distinct from
            (select attnum from pg_attribute where attrelid = tenants.oid and attname = 'organization_id')`,
  )),
  ...(await list(
    client,
    `select format('svc.%s has no primary key: make it (organization_id, …)', relname) as found
       from (${tenants}) as tenants
      where not exists (select from pg_index where indrelid = tenants.oid and indisprimary)
        and exists (select from pg_class where pg_class.oid = tenants.oid and relkind in ('r', 'p'))`,
  )),
]

export const triggers = (client: pg.Client): Promise<string[]> =>
  list(
    client,
    `select format('svc.%s has the trigger %s: do it in the service, where it can be read', relname, tgname) as found
       from (${tenants}) as tenants join pg_trigger on tgrelid = tenants.oid where not tgisinternal`,
  )

/** Processes run as these roles: they own nothing, have no special powers, and cannot remove what happened. */
export const processPowers = async (client: pg.Client, appendOnlyTables: readonly string[]): Promise<string[]> =>
  (await Promise.all([appRole, signerRole].map((role) => powersOf(client, role, appendOnlyTables)))).flat()

const powersOf = async (client: pg.Client, role: string, appendOnlyTables: readonly string[]): Promise<string[]> => [
  ...(await list(
    client,
    `select format('%s owns %s: let the owner of the schema make it', '${role}', pg_describe_object(classid, objid, objsubid)) as found
       from pg_shdepend
      where refclassid = 'pg_authid'::regclass and refobjid = '${role}'::regrole and deptype = 'o'
        and dbid in (0, (select oid from pg_database where datname = current_database()))`,
  )),
  ...(await list(
    client,
    `select format('%s may delete from or truncate %s: revoke it, a correction is a new row', '${role}', oid::regclass) as found
       from pg_class
      where relkind in ('r', 'p', 'v', 'f') and relnamespace in ('svc'::regnamespace, 'public'::regnamespace)
        and has_table_privilege('${role}', oid, 'delete, truncate')`,
  )),
  ...(await list(
    client,
    `select format('%s is superuser, bypasses row security or may make roles: take that away', rolname) as found
       from pg_roles where rolname = '${role}' and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb)`,
  )),
  ...(await list(
    client,
    `select format('%s can act as %s: take that membership away', '${role}', roleid::regrole) as found
       from pg_auth_members where member = '${role}'::regrole`,
  )),
  ...(await list(
    client,
    `select format('%s may update %s: revoke it, a correction is a new row', '${role}', relname) as found
       from pg_class
      where relnamespace = 'svc'::regnamespace and relname in (${appendOnlyTables.map((name) => `'${name}'`).join(', ')})
        and has_any_column_privilege('${role}', oid, 'update')`,
  )),
]
