import type { Job } from '../../db/work.ts'
import type { Scanner, Turn } from './service.ts'

/** The pause after each kind of turn. An idle pause grows to the longest one, so that a quiet network costs little. */
const pauses: Readonly<Record<Turn, number>> = { MOVED: 100, IDLE: 250, PROBLEM: 1_000, HALTED: 5_000, NOT_HELD: 2_000 }
const growth = 1.5
const tickMs = 100

/** Scans a network for ever, in a loop of its own: one whose nodes hang delays no other. */
export function scanJob({ network, turn, release }: Scanner, longestIdleMs: number, wakeCalls: () => number): Job {
  let nextMs = 0
  let idleMs = pauses.IDLE
  let seenWakeCalls = 0
  return {
    name: `scan ${network}`,
    pollMs: tickMs,
    runBatch: async () => {
      const calls = wakeCalls()
      if (performance.now() < nextMs && calls === seenWakeCalls) return 0
      const isWoken = calls !== seenWakeCalls
      seenWakeCalls = calls
      const outcome = await turn().catch((error: unknown) => {
        nextMs = performance.now() + pauses.PROBLEM
        throw error
      })
      idleMs = outcome === 'IDLE' && !isWoken ? Math.min(idleMs * growth, longestIdleMs) : pauses.IDLE
      nextMs = performance.now() + (outcome === 'IDLE' ? idleMs : pauses[outcome])
      return 0
    },
    release,
  }
}
