import type { Queryable } from '../database.ts'

/**
 * A wait that takes this much longer than asked for has failed: the clock of the server may have been set back. On a busy
 * machine a wait can take seconds longer.
 */
const graceMs = 10_000

export type CommitWait = ReturnType<typeof createCommitWait>

/**
 * Waits inside PostgreSQL until any process commits: its snapshot is then another one. A wait costs a fraction of what
 * polling costs. The server's other databases count too, which does no harm. `other` is a second connection.
 */
export function createCommitWait(database: Queryable, other: Queryable) {
  let seen: string | undefined
  let isWaiting = false
  return {
    /**
     * True when a process has committed since the last call. The answer is older than what a statement reads
     * afterwards, so a commit in between shows in the next call.
     */
    wait: async (stepMs: number, steps: number): Promise<boolean> => {
      const before = seen
      // After a failure the next call answers at once.
      seen = undefined
      isWaiting = true
      try {
        const [row] = await database.query<{ snapshot: string }>({
          name: 'wait for commit',
          text: 'select svc.await_commit($1, $2, $3) as snapshot',
          values: [before ?? null, stepMs, steps],
          query_timeout: stepMs * steps + graceMs,
        })
        seen = row?.snapshot
        return seen !== before
      } finally {
        isWaiting = false
      }
    },

    /** Ends a wait at its next step, by a commit that writes nothing. It needs no right to cancel statements. */
    end: async (): Promise<void> => {
      if (isWaiting) await other.query({ text: 'select pg_current_xact_id()' }).catch(() => {})
    },
  }
}
