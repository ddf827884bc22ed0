/** Days are strings such as 2025-11-21: they sort by date and have no time zone. */

export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}

export function isRealDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && dayOf(new Date(time)) === text
}

/** Adds years to a day. The result may be February 29 of a common year: as a string it still sorts before March 1. */
export function yearsAfter(day: string, years: number): string {
  return `${String(Number.parseInt(day, 10) + years).padStart(4, '0')}${day.slice(4)}`
}

/** Subtracts calendar months; in a shorter month the result is its last day. */
export function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 0, dayOfMonth = 0] = day.split('-').map((part) => Number.parseInt(part, 10))
  const first = new Date(Date.UTC(year, month - 1 - months, 1))
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  first.setUTCDate(Math.min(dayOfMonth, lastDay))
  return dayOf(first)
}
