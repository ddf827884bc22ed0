/** When a schedule fires: five fields, UTC, to the minute. */
export type Cron = {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly daysOfMonth: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** 0 is Sunday. */
  readonly daysOfWeek: ReadonlySet<number>
  /** Both day fields are restricted: a day that either of them names will do. */
  readonly eitherDay: boolean
}

export type ParsedCron = { ok: true; value: Cron } | { ok: false; message: string }

/** `count` is of different values: 7 is another name for Sunday. */
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

/** Every value of every field written out is shorter. */
export const longestCron = 400

/**
 * Reads what crontab(5) calls a schedule: numbers, names, lists, ranges, steps on `*` or on a range. Seconds, macros
 * and the letters of other dialects are refused, so that no rule fires at a time that its author did not mean. Whether
 * it ever fires is another question: nextRunAfter answers it.
 */
export function parseCron(text: string): ParsedCron {
  if (text.length > longestCron) return { ok: false, message: `must have at most ${longestCron} characters` }
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
      // As in cron since Vixie's: a field that begins with * restricts nothing, `*/2` included.
      eitherDay: !isStarred('dayOfMonth') && !isStarred('dayOfWeek'),
    },
  }
}

/** The values that a field names, or what is wrong with it. */
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
  const known = names ? ` or ${names[0]}–${names.at(-1)}` : ''
  const parts = itemForm.exec(text)?.groups
  if (!parts) return `has something in ${name} other than *, ${lowest}–${highest}${known}, a list, a range or a step`
  const ranges = parts.all !== undefined || parts.last !== undefined
  if (parts.step !== undefined && !ranges) return `has a step in ${name} that follows neither * nor a range`
  const step = Number.parseInt(parts.step ?? '1', 10)
  if (step < 1 || step > count) return `has a step in ${name} outside 1–${count}`
  if (parts.all !== undefined) return { first: lowest, last: lowest + count - 1, step }
  const first = readValue(parts.first ?? '', field)
  let last = readValue(parts.last ?? parts.first ?? '', field)
  // A week that is written from its first day ends on Sunday.
  if (parts.last === 'sun' && first !== undefined && first > 0) last = 7
  if (first === undefined || last === undefined) return `has a value in ${name} outside ${lowest}–${highest}${known}`
  if (first > last) return `has a range in ${name} that ends before it begins`
  return { first, last, step }
}

function readValue(text: string, { lowest, highest, names }: Field): number | undefined {
  const named = names?.indexOf(text) ?? -1
  const value = named >= 0 ? named + lowest : Number.parseInt(text, 10)
  return value >= lowest && value <= highest ? value : undefined
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** No longer is the wait between two days of the same date and weekday: 29 February, around a century. */
const longestWaitYears = 40

/**
 * The first minute after this instant at which the schedule fires; undefined when there is none. It walks months and
 * days and ends by itself, whatever the schedule says.
 */
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

/** The first time of day that is not before this one, in minutes of the day. */
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
  return cron.months.has(day.getUTCMonth() + 1) && (cron.eitherDay ? byMonth || byWeek : byMonth && byWeek)
}
