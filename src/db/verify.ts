import type { Database, Queryable } from './database.ts'

/**
 * An invariant of the stored data. The statement returns one row per violation, with a `violation` text that names
 * rows by id and shows no personal data. `find` serves invariants that one statement cannot check.
 */
export type Check = { name: string } & ({ sql: string } | { find(database: Database): Promise<string[]> })

export type CheckResult = { name: string; ok: boolean; violations: string[] }
export type InvariantReport = { ok: boolean; checkedAt: Date; checks: CheckResult[] }

const mostViolationsShown = 20

/** Runs every check, for `svc verify`, the hourly duty and the fault tests. */
export async function verify(database: Database, checks: readonly Check[]): Promise<InvariantReport> {
  const results: CheckResult[] = []
  for (const check of checks) {
    const found = 'sql' in check ? await runStatement(database, check.sql) : await check.find(database)
    const violations = found.slice(0, mostViolationsShown)
    results.push({ name: check.name, ok: violations.length === 0, violations })
  }
  return { ok: results.every((result) => result.ok), checkedAt: new Date(), checks: results }
}

async function runStatement(database: Queryable, sql: string): Promise<string[]> {
  const text = `select violation from (${sql}) as violations limit ${mostViolationsShown}`
  return (await database.query<{ violation: string }>({ text })).map((row) => row.violation)
}

/** Counts the invariants that the last hourly check found violated; NaN before the first check. */
export async function readLastViolations(database: Queryable): Promise<number> {
  const rows = await database
    .query<{ violated: number }>({
      text: `select jsonb_array_length(jsonb_path_query_array(outcome, '$.checks[*] ? (@.ok == false)')) as violated
               from svc.duties where duty = 'verify' and outcome is not null`,
    })
    .catch(() => [])
  return rows[0]?.violated ?? Number.NaN
}

/** The invariants of the database itself, regardless of its content. */
export const databaseChecks: readonly Check[] = [
  {
    name: 'processes run without special privileges',
    sql: `select format('role %s has special privileges', rolname) as violation
            from pg_roles where rolname = current_user and (rolsuper or rolbypassrls or rolcreaterole)`,
  },
  {
    name: 'processes own nothing',
    sql: `select format('%s owns %s', current_user, relname) as violation
            from pg_class where relowner = (select oid from pg_roles where rolname = current_user)`,
  },
  {
    name: 'history cannot be rewritten',
    sql: `select format('%s may delete from %s', current_user, relname) as violation
            from pg_class
           where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p')
             and has_table_privilege(current_user, oid, 'delete, truncate')`,
  },
  {
    name: 'business time is real time in production',
    sql: `select 'the clock of this production deployment was moved' as violation
            from svc.clock, svc.deployment
           where environment = 'production' and (ahead <> '0' or frozen_at is not null)`,
  },
]
