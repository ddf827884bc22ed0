import { uuidv7 } from '../../lib/ids.ts'
import type { Queryable } from '../database.ts'

/**
 * Ids are made before the commit, so a row may appear below ids that a check has read already. A mark is the number of a
 * database transaction: once all with a lower number have ended, no row with an id from before that moment can appear
 * any more. This needs no limit on how long a database transaction may last.
 */
export type Mark = { mark: string; markedAt: string }

/** How far the clocks of processes may differ from the database's, and how long an id may wait for its statement. */
const skewMs = 60_000

export async function takeMark(queryable: Queryable): Promise<Mark> {
  const [taken] = await queryable.query<Mark>({
    text: `select pg_current_xact_id()::text as mark, clock_timestamp()::text as "markedAt"`,
  })
  if (!taken) throw new Error('PostgreSQL returned no snapshot')
  return taken
}

/** Finds the id below which no new row can appear; undefined while an older database transaction is open. */
export async function findSettledId(queryable: Queryable, { mark, markedAt }: Mark): Promise<string | undefined> {
  const [found] = await queryable.query<{ isSettled: boolean; atMs: string }>({
    text: `select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as "isSettled",
                  floor(extract(epoch from $2::timestamptz) * 1000)::bigint as "atMs"`,
    values: [mark, markedAt],
  })
  if (found?.isSettled) return idAt(Number(found.atMs) - skewMs)
  await queryable.query({ text: 'select pg_sleep(0.05)' })
  return undefined
}

/** The lowest id of a millisecond. */
export function idAt(ms: number): string {
  return uuidv7(Math.max(0, ms), new Uint8Array(10))
}
