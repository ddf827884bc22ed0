/** A parsed schedule: five fields, UTC, to the minute. */
export type Cron = {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly daysOfMonth: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** 0 is Sunday. */
  readonly daysOfWeek: ReadonlySet<number>
  /** Both day fields are restricted: a day that matches either of them fires. */
  readonly matchesEitherDay: boolean
}

export type ParsedCron = { ok: true; value: Cron } | { ok: false; message: string }

/** `count` is the number of distinct values: in the day of the week, 0 and 7 are both Sunday. */
type Field = { name: string; lowest: number; highest: number; count: number; names?: readonly string[] }

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

// biome-ignore format: a table is read by column
const fields = {
  minute:     { name: 'the minute',           lowest: 0, highest: 59, count: 60 },
  hour:       { name: 'the hour',             lowest: 0, highest: 23, count: 24 },
  dayOfMonth: { name: 'the day of the month', lowest: 1, highest: 31, count: 31 },
  month:      { name: 'the month',            lowest: 1, highest: 12, count: 12, names: monthNames },
  dayOfWeek:  { name: 'the day of the week',  lowest: 0, highest: 7,  count: 7,  names: dayNames },
} satisfies Record<string, Field>
type FieldName = keyof typeof fields

/** Longer than a schedule that writes out every value of every field. */
export const maxCronLength = 400

/**
 * Parses a crontab(5) schedule: numbers, names, lists, ranges, steps on `*` or on a range. It refuses seconds, macros
 * and the letters of other dialects, so that no rule fires at a time its author did not mean. A valid schedule may
 * still never fire: see nextRunAfter.
 */
export function parseCron(text: string): ParsedCron {
  if (text.length > maxCronLength) return { ok: false, message: `must have at most ${maxCronLength} characters` }
  const parts = text.replace(/^[ \t]+|[ \t]+$/g, '').split(/[ \t]+/)
  const names = Object.keys(fields) as FieldName[]
  if (parts.length !== names.length || parts.includes('')) {
    return { ok: false, message: 'must have five fields: minute, hour, day of the month, month, day of the week' }
  }
  const values = {} as Record<FieldName, ReadonlySet<number>>
  for (const [at, name] of names.entries()) {
    const read = readField(parts[at] ?? '', fields[name])
    if (typeof read === 'string') return { ok: false, message: read }
    values[name] = read
  }
  const isStarred = (name: FieldName) => parts[names.indexOf(name)]?.startsWith('*')
  const inOrder = (set: ReadonlySet<number>) => [...set].sort((a, b) => a - b)
  return {
    ok: true,
    value: {
      minutes: inOrder(values.minute),
      hours: inOrder(values.hour),
      daysOfMonth: values.dayOfMonth,
      months: values.month,
      daysOfWeek: new Set([...values.dayOfWeek].map((day) => day % 7)),
      // As in Vixie cron: a field that begins with *, even `*/2`, counts as unrestricted.
      matchesEitherDay: !isStarred('dayOfMonth') && !isStarred('dayOfWeek'),
    },
  }
}

/** Returns the values of a field, or a message for the caller. */
function readField(text: string, field: Field): ReadonlySet<number> | string {
  const values = new Set<number>()
  for (const item of text.split(',')) {
    const range = readItem(item.toLowerCase(), field)
    if (typeof range === 'string') return range
    for (let value = range.first; value <= range.last; value += range.step) values.add(value)
  }
  return values
}

const itemForm = /^(?:(?<all>\*)|(?<first>\d{1,2}|[a-z]{3})(?:-(?<last>\d{1,2}|[a-z]{3}))?)(?:\/(?<step>\d{1,2}))?$/

function readItem(text: string, field: Field): { first: number; last: number; step: number } | string {
  const { name, lowest, highest, count, names } = field
  const values = `${lowest}–${highest}${names ? ` or ${names[0]}–${names.at(-1)}` : ''}`
  const parts = itemForm.exec(text)?.groups
  if (!parts) return `must use only *, ${values}, lists, ranges and steps in ${name}`
  const isRange = parts.all !== undefined || parts.last !== undefined
  if (parts.step !== undefined && !isRange) return `must have * or a range before a step in ${name}`
  const step = Number.parseInt(parts.step ?? '1', 10)
  if (step < 1 || step > count) return `must use a step of 1–${count} in ${name}`
  if (parts.all !== undefined) return { first: lowest, last: lowest + count - 1, step }
  const first = readValue(parts.first ?? '', field)
  let last = readValue(parts.last ?? parts.first ?? '', field)
  // In a range such as mon-sun, Sunday is the last day.
  if (parts.last === 'sun' && first !== undefined && first > 0) last = 7
  if (first === undefined || last === undefined) return `must use values of ${values} in ${name}`
  if (first > last) return `must use ranges in ${name} that end after they begin`
  return { first, last, step }
}

function readValue(text: string, { lowest, highest, names }: Field): number | undefined {
  const named = names?.indexOf(text) ?? -1
  const value = named >= 0 ? named + lowest : Number.parseInt(text, 10)
  return value >= lowest && value <= highest ? value : undefined
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** The longest wait: 29 February on a given weekday, across a century without a leap year. */
const longestWaitYears = 40

/** Finds the first minute after `after` at which the schedule fires; undefined if it never does. */
export function nextRunAfter(cron: Cron, after: Date): Date | undefined {
  const from = new Date(Math.floor(after.getTime() / minuteMs) * minuteMs + minuteMs)
  const day = new Date(Math.floor(from.getTime() / dayMs) * dayMs)
  const today = firesOn(cron, day) ? timeFrom(cron, from.getUTCHours(), from.getUTCMinutes()) : undefined
  if (today !== undefined) return new Date(day.getTime() + today * minuteMs)
  const lastYear = day.getUTCFullYear() + longestWaitYears
  do {
    if (cron.months.has(day.getUTCMonth() + 1)) day.setUTCDate(day.getUTCDate() + 1)
    else day.setUTCMonth(day.getUTCMonth() + 1, 1)
  } while (!firesOn(cron, day) && day.getUTCFullYear() <= lastYear)
  const first = firesOn(cron, day) ? timeFrom(cron, 0, 0) : undefined
  return first === undefined ? undefined : new Date(day.getTime() + first * minuteMs)
}

/** Finds the first firing time of a day at or after hour:minute, in minutes of the day. */
function timeFrom({ hours, minutes }: Cron, hour: number, minute: number): number | undefined {
  for (const each of hours) {
    const past = each > hour ? minutes[0] : each === hour ? minutes.find((at) => at >= minute) : undefined
    if (past !== undefined) return each * 60 + past
  }
  return undefined
}

function firesOn(cron: Cron, day: Date): boolean {
  const byMonth = cron.daysOfMonth.has(day.getUTCDate())
  const byWeek = cron.daysOfWeek.has(day.getUTCDay())
  return cron.months.has(day.getUTCMonth() + 1) && (cron.matchesEitherDay ? byMonth || byWeek : byMonth && byWeek)
}
