import type { Due, Job } from '../../db/work.ts'

/**
 * Short, because a payout ends only after this. A look costs one question to a node while there is no new block. A network
 * that has made none for a second is asked less often.
 */
const pollMs = { soonAfterBlock: 50, later: 200 }
/** The pause between two upkeeps at the same block. */
const sameBlockMs = 1_000

const fundsPollMs = 60_000

/** Measures our funds on one network. */
export function fundsJob(network: string, measure: () => Promise<void>): Job {
  const runBatch = async () => {
    await measure()
    return 0
  }
  return { name: `measure funds ${network}`, pollMs: fundsPollMs, runBatch }
}

export type RelayUpkeep = {
  network: string
  due: Due
  /** Names the network's latest block. */
  readHead(): Promise<string>
  /** Answers how many nonces it ended. */
  keepUp(): Promise<number>
}

/** Looks after the relayer of one network, in a loop of its own. The network's payouts record at once what it ends. */
export function relayUpkeepJob({ network, due, readHead, keepUp }: RelayUpkeep): Job {
  let last = { head: '', atMs: Number.NEGATIVE_INFINITY, newAtMs: Number.NEGATIVE_INFINITY }
  const runBatch = async () => {
    const atMs = performance.now()
    const head = await readHead()
    // Without a new block nothing has become final. The rest of the upkeep is about seconds that have passed.
    if (head === last.head && atMs - last.atMs < sameBlockMs) return 0
    const ended = await keepUp()
    last = { head, atMs, newAtMs: head === last.head ? last.newAtMs : atMs }
    return ended
  }
  const pauseMs = () => (performance.now() - last.newAtMs < sameBlockMs ? pollMs.soonAfterBlock : pollMs.later)
  return { name: `relay upkeep ${network}`, pauseMs, due, runBatch, wakes: `payouts: chain ${network}` }
}
