/** When a session ends: without activity, and in any case. */
export type Closing = { atMs: number; latestMs: number }

/** `secondsLeft`: until the session ends without activity. `mostSecondsLeft`: until it ends in any case. */
export type TimesLeft = { secondsLeft: number; mostSecondsLeft: number }

/** A session lasts this long without activity, as in src/forms/session.ts. Without a connection the page counts itself. */
export const idleMs = 30 * 60_000

const warnMs = 2 * 60_000
/** The last end of a session cannot be moved, so the customer hears of it in time to finish a page. */
const warnOfLastMs = 10 * 60_000
/** Polls take their time, so that the same end comes out a little different each time. */
const jitterMs = 60_000

/** Reads the answer of a poll. The last end stays as it was first told, so that its notice does not change. */
export function readClosing(before: Closing | undefined, left: TimesLeft, nowMs: number): Closing {
  const latestMs = nowMs + left.mostSecondsLeft * 1_000
  const isSame = before !== undefined && Math.abs(before.latestMs - latestMs) < jitterMs
  return { atMs: nowMs + left.secondsLeft * 1_000, latestMs: isSame ? before.latestMs : latestMs }
}

/** The end of a session that activity has just moved, until a poll tells it. */
export function moveClosing({ latestMs }: Closing, nowMs: number): Closing {
  return { atMs: Math.min(nowMs + idleMs, latestMs), latestMs }
}

/** The end of a session that has just begun, until the first poll tells it. */
export function firstClosing(nowMs: number): Closing {
  return { atMs: nowMs + idleMs, latestMs: nowMs + idleMs }
}

/** Which end to warn of: one that the customer can put off comes before the last one. */
export function findNotice({ atMs, latestMs }: Closing, nowMs: number): 'idle' | 'last' | undefined {
  const isBeforeLast = latestMs - atMs > 5_000
  if (isBeforeLast && atMs - nowMs < warnMs) return 'idle'
  return latestMs - nowMs < warnOfLastMs ? 'last' : undefined
}
