import type { Job } from '../../db/work.ts'

/** Short, because a payout ends only after this. */
const pollMs = 200

export function relayUpkeepJob(keepUp: () => Promise<number>): Job {
  return { name: 'relay upkeep', pollMs, runBatch: keepUp }
}
