import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Queryable } from '../database.ts'
import type { Due, WorkTable } from '../work.ts'

/** Business time in a condition. All conditions of a statement share it: `svc.now()` reads a table at each call. */
export const businessNow = '(select now from clock)'

/**
 * Real time, read once for a statement. PostgreSQL evaluates a bare `clock_timestamp()` for each row, so that no index can
 * end at it: a search for due rows would read all that are due later.
 */
export const realNow = '(select clock_timestamp())'

/** Narrows due rows to those whose text column has one of these values. */
type Only = { column: string; values: readonly string[] }

/** Holds while the table has a due row without a lease. It reads the rows in the order of the index that claims use. */
export function dueIn({ table, dueBy }: WorkTable, only?: Only): Due {
  const now = dueBy === 'business time' ? businessNow : realNow
  const firstDue = (filter: string) =>
    firstOf(`${table} where ${filter} due_at <= ${now}
       and (lease_until is null or lease_until < clock_timestamp()) order by due_at`)
  if (!only) return firstDue('')
  return anyDue(...only.values.map((value) => firstDue(`${only.column} = ${literal(value)} and`)))
}

/**
 * Holds while this selection, in the order of an index, has a row. PostgreSQL ignores the order inside `exists`, and may
 * then read a whole table in search of a row that is not there.
 */
export const firstOf = (selection: string): Due => `coalesce((select true from ${selection} limit 1), false)`

/** Writes a value of ours as a literal. */
export const literal = (value: string): string => pg.escapeLiteral(value)

/** Holds while one of these conditions holds; never when there are none. */
export const anyDue = (...conditions: readonly Due[]): Due => `(${['false', ...conditions].join(' or ')})`

/** Holds while all these conditions hold. */
export const allDue = (...conditions: readonly Due[]): Due => `(${['true', ...conditions].join(' and ')})`

/** Asks with one statement which of these conditions hold, in their order. */
export function createDueReader(database: Queryable, conditions: readonly Due[]): () => Promise<boolean[]> {
  if (conditions.length === 0) return async () => []
  const text = `with clock as materialized (select svc.now() as now) select array[${conditions.join(',\n')}] as due`
  const name = `find due work ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
  return async () => {
    const [row] = await database.query<{ due: boolean[] }>({ name, text })
    return row?.due ?? []
  }
}

/** Tells whether one condition holds. */
export async function isDue(database: Queryable, due: Due): Promise<boolean> {
  const [holds] = await createDueReader(database, [due])()
  return holds ?? false
}
