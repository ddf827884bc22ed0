import type { Queryable } from '../../db/database.ts'
import type { Due } from '../../db/work.ts'
import { businessNow, firstOf } from '../../db/workers/due.ts'

/** Holds while there is an attempt older than this. */
export const hasOldAttempts = (keptDays: number): Due =>
  firstOf(
    `svc.webhook_attempts where attempted_at < ${businessNow} - interval '${keptDays} days' order by attempted_at`,
  )

/** Deletes the oldest attempts that are older than this, and answers how many. Their deliveries stay. */
export async function deleteOldAttempts(database: Queryable, keptDays: number, limit: number): Promise<number> {
  const [expired] = await database.query<{ deleted: number }>({
    name: 'expire webhook attempts',
    text: 'select svc.expire_webhook_attempts($1, $2)::integer as deleted',
    values: [keptDays, limit],
  })
  return expired?.deleted ?? 0
}
