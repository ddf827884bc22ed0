const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const businessDays = 3

/** The checks decide within ten minutes: an undecided submission from before this instant is late. */
export function automaticLateBefore(now: Date): Date {
  return new Date(now.getTime() - 10 * minuteMs)
}

/** Adds three business days, Monday to Friday in UTC. A review that opens on a weekend counts from Monday. */
export function manualDue(openedAt: Date): Date {
  let at = openedAt.getTime()
  while (isWeekend(at)) at = startOfDay(at) + dayMs
  return new Date(step(at, dayMs))
}

/** The inverse of manualDue: an open review from before this instant is late. */
export function manualLateBefore(now: Date): Date {
  let at = now.getTime()
  // No review becomes late on a weekend: count from the end of Friday.
  while (isWeekend(at - 1)) at = startOfDay(at - 1)
  return new Date(step(at, -dayMs))
}

function step(from: number, byMs: number): number {
  let at = from
  for (let left = businessDays; left > 0; ) {
    at += byMs
    if (!isWeekend(byMs < 0 ? at - 1 : at)) left -= 1
  }
  return at
}

function startOfDay(at: number): number {
  return Math.floor(at / dayMs) * dayMs
}

function isWeekend(at: number): boolean {
  const day = new Date(at).getUTCDay()
  return day === 0 || day === 6
}
