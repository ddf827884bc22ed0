import type { Queryable } from './database.ts'

/**
 * One thing that must always hold. The statement returns one row per violation, with a `violation` text that names
 * rows by id and never shows personal data.
 */
export type Check = { name: string; sql: string }

export type CheckResult = { name: string; ok: boolean; violations: string[] }
export type Verification = { ok: boolean; checkedAt: Date; checks: CheckResult[] }

const mostViolationsShown = 20

/** Runs every check; used by `svc verify`, by the hourly duty and by the fault tests. */
export async function verify(database: Queryable, checks: readonly Check[]): Promise<Verification> {
  const results: CheckResult[] = []
  for (const { name, sql } of checks) {
    const text = `select violation from (${sql}) as violations limit ${mostViolationsShown}`
    const rows = await database.query<{ violation: string }>({ text })
    results.push({ name, ok: rows.length === 0, violations: rows.map((row) => row.violation) })
  }
  return { ok: results.every((result) => result.ok), checkedAt: new Date(), checks: results }
}

/** How many invariants the last hourly check of the whole deployment found violated; NaN when nobody knows. */
export async function readLastViolations(database: Queryable): Promise<number> {
  const rows = await database
    .query<{ violated: number }>({
      text: `select jsonb_array_length(jsonb_path_query_array(outcome, '$.checks[*] ? (@.ok == false)')) as violated
               from svc.duties where duty = 'verify' and outcome is not null`,
    })
    .catch(() => [])
  return rows[0]?.violated ?? Number.NaN
}

/** What must hold of the database itself, whatever it stores. */
export const databaseChecks: readonly Check[] = [
  {
    name: 'processes run without special powers',
    sql: `select format('role %s may do anything', rolname) as violation
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
    name: 'production time is real time',
    sql: `select 'the clock of a production deployment was moved' as violation
            from svc.clock, svc.deployment
           where environment = 'production' and (ahead <> '0' or frozen_at is not null)`,
  },
]
