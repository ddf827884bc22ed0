import type { Queryable, Tx } from '../../../src/db/database.ts'

/** Lets a test pass a pool where a database transaction is expected: each statement then commits by itself. */
export function asTx(database: Queryable): Tx {
  return { isTx: true, query: (statement) => database.query(statement) }
}
