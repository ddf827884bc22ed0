import { createHash } from 'node:crypto'
import { type Cursor, firstSize, nextSize, runSlice, type SlicedCheck } from './checks/slices.ts'
import { type FoundRow, selectFound, toViolation, type Violation } from './checks/violation.ts'
import { type Database, describeFailure, queryWithTimeout, type Statement } from './database.ts'

/**
 * An invariant of the stored data. The statement returns one row per violation, with a `violation` text that names
 * rows by id and shows no personal data, and where they are known `organization_id` and `asset`. `find` serves
 * invariants that one statement cannot check, and `slice` those of tables that grow with every payment.
 */
export type Check = {
  name: string
  /** True for an invariant of money: a violation halts payouts. */
  isMoney?: boolean
  /** True for a statement over a small table, which runs each minute. */
  isQuick?: boolean
} & ({ sql: string } | { find(database: Database): Promise<readonly (string | Violation)[]> } | SlicedCheck)

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

export const mostViolationsShown = 20

/** The time limit of a check that is one statement. */
const statementLimitMs = 120_000

/** Runs every check to its end, each on its own: a check that cannot run hides no other. */
export async function verify(
  database: Database,
  checks: readonly Check[],
  onResult: (result: CheckResult) => void = () => {},
): Promise<InvariantReport> {
  const prepared = prepareEach(database)
  const results: CheckResult[] = []
  for (const check of checks) {
    const result = await runCheck(database, prepared, check)
    onResult(result)
    results.push(result)
  }
  return { ok: results.every((result) => result.ok), checkedAt: new Date(), checks: results }
}

/** Prepares every statement once per connection: a caller that verifies often parses and plans none of them twice. */
function prepareEach(database: Database): Database {
  const named = (statement: Statement): Statement => {
    const name = createHash('sha1').update(statement.text).digest('hex')
    return { name: `verify ${name}`, ...statement }
  }
  return {
    ...database,
    query: (statement) => database.query(named(statement)),
    inTx: (work) => database.inTx((tx) => work({ ...tx, query: (statement) => tx.query(named(statement)) })),
  }
}

async function runCheck(database: Database, prepared: Database, check: Check): Promise<CheckResult> {
  const started = performance.now()
  const result = (state: CheckState, found: Violation[], error?: unknown): CheckResult => ({
    name: check.name,
    isMoney: check.isMoney ?? false,
    ok: state === 'OK',
    state,
    violations: found.slice(0, mostViolationsShown).map(({ violation }) => violation),
    found,
    error: error === undefined ? undefined : describeFailure(error),
    durationMs: Math.round(performance.now() - started),
  })
  try {
    const found = 'slice' in check ? await findInSlices(database, prepared, check) : await findAtOnce(prepared, check)
    return result(found.length === 0 ? 'OK' : 'VIOLATED', found)
  } catch (error) {
    return result('NOT_CHECKED', [], error)
  }
}

/** Runs a check that has no slices. */
export async function findAtOnce(database: Database, check: Exclude<Check, SlicedCheck>): Promise<Violation[]> {
  if ('find' in check) {
    const found = await check.find(database)
    return found.map((each) => (typeof each === 'string' ? { violation: each } : each))
  }
  const text = selectFound(check.sql)
  return (await queryWithTimeout<FoundRow>(database, { text }, statementLimitMs)).map(toViolation)
}

/** Slices of a large table need plans of their own; PostgreSQL makes one for each of the first five calls alone. */
const fewSlices = 5

async function findInSlices(database: Database, prepared: Database, check: SlicedCheck): Promise<Violation[]> {
  const found: Violation[] = []
  let after: Cursor | undefined
  let size = firstSize
  let taken = 0
  do {
    const slice = await runSlice(taken < fewSlices ? prepared : database, check, after, size)
    taken += 1
    found.push(...slice.found)
    after = slice.next
    size = nextSize(slice)
  } while (after)
  return found
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
