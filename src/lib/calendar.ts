/** Days are strings such as 2025-11-21: they sort by date and have no time zone. */

export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}

/** There was no year 0, and PostgreSQL reads none. */
export function isRealDay(text: string): boolean {
  if (text.startsWith('0000') || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
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

/** Adds days, or subtracts a negative number of them. */
export function daysAfter(day: string, days: number): string {
  return dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000))
}

const zoneFormats = new Map<string, Intl.DateTimeFormat>()

/** Reads the clock on the wall of a time zone such as America/New_York: a day, and a time such as 16:45. */
export function zonedTime(at: Date, zone: string): { day: string; time: string } {
  let format = zoneFormats.get(zone)
  if (!format) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
    format = new Intl.DateTimeFormat('en-CA', { ...parts, hourCycle: 'h23', timeZone: zone })
    zoneFormats.set(zone, format)
  }
  const found = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return { day: `${found.year}-${found.month}-${found.day}`, time: `${found.hour}:${found.minute}` }
}

/** Finds the moment at which the clocks of a time zone show a day and time. A time that is skipped in spring is moved. */
export function zonedInstant(day: string, time: string, zone: string): Date {
  const wanted = Date.parse(`${day}T${time}:00Z`)
  let guess = wanted
  for (let pass = 0; pass < 2; pass += 1) {
    const shown = zonedTime(new Date(guess), zone)
    guess += wanted - Date.parse(`${shown.day}T${shown.time}:00Z`)
  }
  return new Date(guess)
}
