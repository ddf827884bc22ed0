import type { Database, Queryable, Tx } from './database.ts'
import { dutiesTable, enterDuties } from './duties.ts'
import { claimWork, type Job, LeaseLost, requireFence } from './work.ts'

/** Something one worker of the whole deployment does all the time. Each batch is one transaction. */
export type StandingDuty = {
  name: string
  /** Asked several times a second, so it must be cheap. */
  hasWork(): Promise<boolean>
  runBatch(tx: Tx): Promise<number>
}

/** Small enough that what needs this duty is done well within a second after its commit. */
const pollMs = 200

/** Keeps the lease for as long as the process lives. Another takes over when it is given back or no longer renewed. */
export function standingDutyJob(database: Database, { name, hasWork, runBatch }: StandingDuty, leaseMs: number): Job {
  let isEntered = false
  let renewAtMs = 0
  let fence: string | undefined
  const claim = async () => {
    if (!isEntered) await enterDuties(database, [name])
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
    runBatch: async () => {
      if (fence === undefined || performance.now() >= renewAtMs) {
        renewAtMs = performance.now() + leaseMs / 3
        fence = (fence && (await setLease(database, name, fence, leaseMs))) ?? (await claim())
      }
      if (fence === undefined || !(await hasWork())) return 0
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

/** Renews a lease, or ends it with 0. Undefined when somebody else has taken the duty over. */
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
 * Nobody can take the duty over while this transaction writes, and a holder that lost it writes nothing. A holder that
 * stops in the middle would keep the lock for ever, so the server ends its connection after as long as the lease.
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
