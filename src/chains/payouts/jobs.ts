import type { Job } from '../../db/work.ts'

/** Short, because a payout ends only after this. */
const pollMs = 200

/** Looks after the relayer of one network, in a loop of its own. */
export function relayUpkeepJob(network: string, keepUp: () => Promise<number>): Job {
  return { name: `relay upkeep ${network}`, pollMs, runBatch: keepUp }
}
