import type { Database } from '../../db/database.ts'
import type { Duty } from '../../db/duties.ts'
import * as store from './store.ts'

const hourMs = 3_600_000
const attemptsPerBatch = 5_000

/** Deletes old attempts, some thousands at a time. */
export function expireAttemptsDuty(database: Database, keptDays: number): Duty {
  return {
    name: 'expire webhook attempts',
    everyMs: hourMs,
    due: store.hasOldAttempts(keptDays),
    run: () => store.deleteOldAttempts(database, keptDays, attemptsPerBatch),
    pauseMs: (deleted) => (deleted === attemptsPerBatch ? 0 : hourMs),
  }
}
