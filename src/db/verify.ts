import { type Database, describeFailure, type Queryable } from './database.ts'

/** A row that violates an invariant. Without an organization or asset, it concerns the whole deployment. */
export type Violation = { violation: string; organizationId?: string; asset?: string }

/**
 * An invariant of the stored data. The statement returns one row per violation, with a `violation` text that names
 * rows by id and shows no personal data, and where they are known `organization_id` and `asset`. `find` serves
 * invariants that one statement cannot check.
 */
export type Check = {
  name: string
  /** True for an invariant of money: a violation halts payouts. */
  isMoney?: boolean
} & ({ sql: string } | { find(database: Database): Promise<readonly (string | Violation)[]> })

/** NOT_CHECKED: the check could not run to its end, so nothing is known. */
export type CheckState = 'OK' | 'VIOLATED' | 'NOT_CHECKED'

export type CheckResult = {
  name: string
  isMoney: boolean
  ok: boolean
  state: CheckState
  violations: string[]
  found: Violation[]
  error: string | undefined
  durationMs: number
}
export type InvariantReport = { ok: boolean; checkedAt: Date; checks: CheckResult[] }

const mostViolationsShown = 20

/** Runs every check, each on its own: a check that cannot run hides no other. */
export async function verify(database: Database, checks: readonly Check[]): Promise<InvariantReport> {
  const results: CheckResult[] = []
  for (const check of checks) results.push(await runCheck(database, check))
  return { ok: results.every((result) => result.ok), checkedAt: new Date(), checks: results }
}

async function runCheck(database: Database, check: Check): Promise<CheckResult> {
  const started = performance.now()
  const result = (state: CheckState, found: Violation[], error?: unknown): CheckResult => ({
    name: check.name,
    isMoney: check.isMoney ?? false,
    ok: state === 'OK',
    state,
    violations: found.map(({ violation }) => violation),
    found,
    error: error === undefined ? undefined : describeFailure(error),
    durationMs: Math.round(performance.now() - started),
  })
  try {
    const found = 'sql' in check ? await runStatement(database, check.sql) : await check.find(database)
    const violations = found.map((each) => (typeof each === 'string' ? { violation: each } : each))
    return result(violations.length === 0 ? 'OK' : 'VIOLATED', violations.slice(0, mostViolationsShown))
  } catch (error) {
    return result('NOT_CHECKED', [], error)
  }
}

async function runStatement(database: Queryable, sql: string): Promise<Violation[]> {
  const rows = await database.query<{ found: { violation: string; organization_id?: string; asset?: string } }>({
    text: `select to_jsonb(violations) as found from (${sql}) as violations limit ${mostViolationsShown}`,
  })
  return rows.map(({ found: { violation, organization_id, asset } }) => ({
    violation,
    ...(organization_id ? { organizationId: organization_id } : {}),
    ...(asset ? { asset } : {}),
  }))
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
