import type { Job } from '../../db/work.ts'
import type { Turn } from './holding.ts'
import type { Scanner } from './service.ts'

/** The pause after each kind of turn. An idle pause grows to the longest one, so that a quiet network costs little. */
const pauses: Readonly<Record<Turn, number>> = { MOVED: 100, IDLE: 250, PROBLEM: 1_000, HALTED: 5_000, NOT_HELD: 2_000 }
const growth = 1.5
/** A network that was in use a minute ago is looked at more often: blocks become final without any news. */
const restless = { forMs: 60_000, longestIdleMs: 4_000 }

export type ScanPace = {
  longestIdleMs: number
  /** Receives the function that lets the scanner look at once: the network may have a new block. */
  onNews(look: () => void): void
}

/** Scans a network for ever, in a loop of its own: one whose nodes hang delays no other. */
export function scanJob({ network, turn, release }: Scanner, { longestIdleMs, onNews }: ScanPace): Job {
  let idleMs = pauses.IDLE
  let pauseMs = 0
  let hasNews = false
  let movedAtMs = Number.NEGATIVE_INFINITY
  return {
    name: `scan ${network}`,
    pauseMs: () => pauseMs,
    onStart: (wake) =>
      onNews(() => {
        hasNews = true
        wake()
      }),
    runBatch: async () => {
      const isWoken = hasNews
      hasNews = false
      pauseMs = pauses.PROBLEM
      const outcome = await turn()
      const isQuiet = outcome === 'IDLE' && !isWoken
      if (!isQuiet) movedAtMs = performance.now()
      const isRestless = performance.now() - movedAtMs < restless.forMs
      const longestMs = isRestless ? Math.min(restless.longestIdleMs, longestIdleMs) : longestIdleMs
      idleMs = isQuiet ? Math.min(idleMs * growth, longestMs) : pauses.IDLE
      pauseMs = outcome === 'IDLE' ? idleMs : pauses[outcome]
      return 0
    },
    release,
  }
}
