import type { Queryable } from '../../../src/db/database.ts'

/** Counts the rows of our tables that this connection has read. PostgreSQL resets the count between transactions. */
export async function countRowsRead(queryable: Queryable): Promise<number> {
  const [counted] = await queryable.query<{ rows: number }>({
    text: `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_all_tables
            where schemaname = 'svc'`,
  })
  return counted?.rows ?? 0
}
