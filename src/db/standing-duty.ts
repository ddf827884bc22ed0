import type { Database, Queryable, Tx } from './database.ts'
import { dutiesTable, insertDuties } from './duties.ts'
import { claimWork, type Due, type Job, LeaseLost, requireFence } from './work.ts'
import { isDue } from './workers/due.ts'

/** A duty that one worker of the whole deployment runs all the time. Each batch is one database transaction. */
export type StandingDuty = {
  name: string
  due: Due
  runBatch(tx: Tx): Promise<number>
}

/** Short enough that new rows are processed well within a second of their commit. */
const pollMs = 200

/** Keeps the lease while there is work. Another worker takes over once the lease is released or expires. */
export function standingDutyJob(database: Database, { name, due, runBatch }: StandingDuty, leaseMs: number): Job {
  let isEntered = false
  let renewAtMs = 0
  let fence: string | undefined
  const claim = async () => {
    if (!isEntered) await insertDuties(database, [name])
    isEntered = true
    const only = { column: 'duty', values: [name] }
    const [claimed] = await claimWork(database, dutiesTable, { limit: 1, leaseMs, only })
    return claimed?.fence
  }
  const runFenced = (held: string) =>
    database.inTx(async (tx) => {
      await lockDuty(tx, name, held, leaseMs)
      return runBatch(tx)
    })
  return {
    name,
    pollMs,
    due,
    runBatch: async () => {
      if (fence === undefined || performance.now() >= renewAtMs) {
        renewAtMs = performance.now() + leaseMs / 3
        fence = (fence && (await setLease(database, name, fence, leaseMs))) ?? (await claim())
      }
      if (fence === undefined || !(await isDue(database, due))) return 0
      return runFenced(fence).catch((error: unknown) => {
        if (error instanceof LeaseLost) fence = undefined
        throw error
      })
    },
    release: async () => {
      if (fence !== undefined) await setLease(database, name, fence, 0)
      fence = undefined
    },
  }
}

/** Renews a lease, or ends it with 0. Undefined when another worker has taken the duty over. */
async function setLease(
  database: Queryable,
  duty: string,
  fence: string,
  leaseMs: number,
): Promise<string | undefined> {
  const [kept] = await database.query<{ fence: string }>({
    name: 'set duty lease',
    text: `update svc.duties set lease_until = clock_timestamp() + $3 * interval '1 millisecond'
            where duty = $1 and fence = $2 returning fence`,
    values: [duty, fence, leaseMs],
  })
  return kept?.fence
}

/**
 * Locks the duty's row for this database transaction: no other worker takes the duty over meanwhile, and a worker that
 * lost it fails here. A worker that freezes loses its connection, and so the lock, after the length of the lease.
 */
async function lockDuty(tx: Tx, duty: string, fence: string, leaseMs: number): Promise<void> {
  const locked = await tx.query({
    name: 'lock duty',
    text: `select set_config('idle_in_transaction_session_timeout', $3, true) from svc.duties
            where duty = $1 and fence = $2 for update`,
    values: [duty, fence, String(leaseMs)],
  })
  requireFence(locked)
}
