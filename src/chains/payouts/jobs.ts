import type { Due, Job } from '../../db/work.ts'

/** Short, because a payout ends only after this. */
const pollMs = 100

const fundsPollMs = 60_000

/** Measures our funds on one network. */
export function fundsJob(network: string, measure: () => Promise<void>): Job {
  const runBatch = async () => {
    await measure()
    return 0
  }
  return { name: `measure funds ${network}`, pollMs: fundsPollMs, runBatch }
}

/** Looks after the relayer of one network, in a loop of its own. The network's payouts record at once what it ends. */
export function relayUpkeepJob(network: string, due: Due, keepUp: () => Promise<number>): Job {
  return { name: `relay upkeep ${network}`, pollMs, due, runBatch: keepUp, wakes: `payouts: chain ${network}` }
}
