/**
 * An independent, slow and obvious evaluator of schedules, without the service's library: it tests every day and
 * every minute. It reads valid schedules only.
 */
export type Schedule = {
  minutes: ReadonlySet<number>
  hours: ReadonlySet<number>
  isDay(date: Date): boolean
}

const monthNames = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
const dayNames = 'SUN MON TUE WED THU FRI SAT'.split(' ')
const dayMs = 86_400_000
// The next 29 February on a Sunday may be forty years away; a schedule without a fire by then never fires.
const longestWaitDays = 41 * 366

export function readSchedule(text: string): Schedule {
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = text.split(/\s+/)
  const months = valuesOf(month, 1, 12, (name) => monthNames.indexOf(name) + 1)
  const daysOfMonth = valuesOf(dayOfMonth, 1, 31)
  const daysOfWeek = new Set([...valuesOf(dayOfWeek, 0, 6, (name) => dayNames.indexOf(name))].map((day) => day % 7))
  // crontab(5): when both day fields are restricted (do not start with *), a match of either suffices.
  const isEither = !/^\*/.test(dayOfMonth) && !/^\*/.test(dayOfWeek)
  return {
    minutes: valuesOf(minute, 0, 59),
    hours: valuesOf(hour, 0, 23),
    isDay: (date) => {
      const isOfMonth = daysOfMonth.has(date.getUTCDate())
      const isOfWeek = daysOfWeek.has(date.getUTCDay())
      return months.has(date.getUTCMonth() + 1) && (isEither ? isOfMonth || isOfWeek : isOfMonth && isOfWeek)
    },
  }
}

function valuesOf(field: string, lowest: number, highest: number, byName?: (name: string) => number): Set<number> {
  const read = (text: string) => (/^\d+$/.test(text) ? Number(text) : (byName?.(text.toUpperCase()) ?? Number.NaN))
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/')
    const [first, last] = range.split('-')
    const from = range === '*' ? lowest : read(first ?? '')
    // A week may be written from Monday to Sunday.
    const end = /^sun$/i.test(last ?? '') && from > 0 ? 7 : read(last ?? first ?? '')
    const to = range === '*' ? highest : end
    for (let value = from; value <= to; value += Number(step)) values.add(value)
  }
  return values
}

/** Every instant after `from` and up to `to`, oldest first. */
export function* firesBetween({ minutes, hours, isDay }: Schedule, from: Date, to: Date): Generator<Date> {
  for (let day = Math.floor(from.getTime() / dayMs) * dayMs; day <= to.getTime(); day += dayMs) {
    if (!isDay(new Date(day))) continue
    for (let hour = 0; hour < 24; hour += 1) {
      if (!hours.has(hour)) continue
      for (let minute = 0; minute < 60; minute += 1) {
        const at = new Date(day + (hour * 60 + minute) * 60_000)
        if (minutes.has(minute) && at > from && at <= to) yield at
      }
    }
  }
}

/** The first instant after this one, if there is one. */
export function nextFire(schedule: Schedule, after: Date): Date | undefined {
  const end = new Date(after.getTime() + longestWaitDays * dayMs)
  const { value } = firesBetween(schedule, after, end).next()
  return value ?? undefined
}

type Random = () => number
const below = (random: Random, limit: number) => Math.floor(random() * limit)
const oneOf = <Thing>(random: Random, things: readonly Thing[]) => things[below(random, things.length)] as Thing
const within = (random: Random, lowest: number, highest: number) => lowest + below(random, highest - lowest + 1)

/** A random valid schedule of any kind; it may name a day that no month has. */
export function anySchedule(random: Random): string {
  const [months, days] = [monthNames, dayNames].map((names) => names.map((name) => anyCase(random, name)))
  return [
    anyField(random, 0, 59, []),
    anyField(random, 0, 23, []),
    random() < 0.4 ? '*' : anyField(random, 1, 31, []),
    random() < 0.6 ? '*' : anyField(random, 1, 12, ['', ...(months ?? [])]),
    random() < 0.5 ? '*' : anyField(random, 0, 7, [...(days ?? []), 'sun']),
  ].join(' ')
}

const anyCase = (random: Random, name: string) =>
  oneOf(random, [name, name.toLowerCase(), name.charAt(0) + name.slice(1).toLowerCase()])

function anyField(random: Random, lowest: number, highest: number, names: readonly string[]): string {
  const count = random() < 0.7 ? 1 : within(random, 2, 4)
  return Array.from({ length: count }, () => anyPart(random, lowest, highest, names)).join()
}

function anyPart(random: Random, lowest: number, highest: number, names: readonly string[]): string {
  const word = (value: number) =>
    (random() < 0.4 && names[value]) || oneOf(random, [`${value}`, `0${value}`].slice(0, value < 10 ? 2 : 1))
  const step = `/${within(random, 1, Math.ceil((highest - lowest) / 2))}`
  const from = within(random, lowest, highest)
  const range = `${word(from)}-${word(within(random, from, highest))}`
  return oneOf(random, [word(from), word(from), word(from), range, range + step, '*', `*${step}`])
}

/** A random instant; sometimes the last minute of a month or leap year, or exactly a fire. */
export function anyInstant(random: Random): Date {
  const year = within(random, 1999, 2101)
  const month = within(random, 0, 11)
  return oneOf(random, [
    new Date(Date.UTC(year, month, within(random, 1, 28), below(random, 24), below(random, 60), below(random, 60), 7)),
    new Date(Date.UTC(year, month + 1, 1) - oneOf(random, [1, 60_000, 61_000])),
    new Date(Date.UTC(year, month, 1)),
    new Date(Date.UTC(oneOf(random, [2000, 2024, 2096, 2100, year]), 1, within(random, 27, 30), 23, 59)),
  ])
}
