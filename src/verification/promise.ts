const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Checks that need no person take less than ten minutes. */
export function automaticPromise(now: Date): Date {
  return new Date(now.getTime() - 10 * minuteMs)
}

/** A person decides within three business days: submissions older than this instant are late. */
export function manualPromise(now: Date): Date {
  let at = now.getTime()
  for (let left = 3; left > 0; ) {
    at -= dayMs
    const day = new Date(at).getUTCDay()
    if (day !== 0 && day !== 6) left -= 1
  }
  return new Date(at)
}
