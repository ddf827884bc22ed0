/** The longest pause between two replays: the answers of a slow endpoint are pause enough. */
const longestPauseMs = 1_000

/** The pause of all replays to an endpoint that failed one of them and named no time. */
const pauseAfterFailureMs = 5_000

/** The longest pause that an endpoint can request for all replays with Retry-After. */
const longestRequestedPauseMs = 3_600_000

export type Pace = ReturnType<typeof createPace>

/**
 * Paces replays by the endpoint's own rate: one at a time, and after each answer a pause of the time that the answer
 * took, so that half of the endpoint's time is left. Never more than `perSecond`. Times are real time, in milliseconds.
 */
export function createPace(perSecond: number) {
  let nextAtMs = Number.NEGATIVE_INFINITY
  return {
    delayMs: (nowMs: number): number => Math.max(0, nextAtMs - nowMs),
    answered: (startedAtMs: number, nowMs: number): void => {
      const pauseMs = Math.min(nowMs - startedAtMs, longestPauseMs)
      nextAtMs = Math.max(startedAtMs + 1_000 / perSecond, nowMs + pauseMs)
    },
  }
}

/** The pause of all replays after a failed one. It keeps a replay of thousands from opening the circuit. */
export function pauseAfter(retryAfterMs: number | undefined): number {
  return Math.min(Math.max(retryAfterMs ?? 0, pauseAfterFailureMs), longestRequestedPauseMs)
}
