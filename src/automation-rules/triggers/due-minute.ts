import { type Cron, nextRunAfter } from './cron.ts'

const minuteMs = 60_000
/**
 * Search windows, shortest first: a frequent schedule fires in a short one, and a rare schedule has few minutes in a
 * long one.
 */
const windowsMs = [2, 60, 24 * 60, 32 * 24 * 60].map((minutes) => minutes * minuteMs)

/**
 * Finds the minute that a run opened now is scheduled for: the latest due one. Earlier minutes since `dueSince` were
 * missed while no worker ran; they get no run.
 */
export function latestDueMinute(cron: Cron, dueSince: Date, now: Date): Date {
  for (const windowMs of windowsMs) {
    const from = now.getTime() - windowMs
    if (from <= dueSince.getTime()) break
    const latest = lastUntil(cron, new Date(from), now)
    if (latest) return latest
  }
  return lastUntil(cron, dueSince, now) ?? dueSince
}

function lastUntil(cron: Cron, from: Date, now: Date): Date | undefined {
  let last: Date | undefined
  for (let next = nextRunAfter(cron, from); next && next <= now; next = nextRunAfter(cron, next)) last = next
  return last
}
