import { type Cron, nextRunAfter } from './cron.ts'

const minuteMs = 60_000
/** How far to look back, step by step: a schedule that fires often is met at once, a rare one has few minutes to pass. */
const looksBackMs = [2, 60, 24 * 60, 32 * 24 * 60].map((minutes) => minutes * minuteMs)

/**
 * The minute that a run of this moment stands for, when the schedule has been due since `dueSince`: the latest one that
 * has come. Minutes before it were missed while nothing ran, and are not made up for.
 */
export function latestDueMinute(cron: Cron, dueSince: Date, now: Date): Date {
  for (const backMs of looksBackMs) {
    const from = now.getTime() - backMs
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
