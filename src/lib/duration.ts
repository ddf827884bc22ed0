/** A calendar duration: the length of a month depends on the date that it is added to. */
export type Duration = {
  readonly years: number
  readonly months: number
  readonly days: number
  readonly hours: number
  readonly minutes: number
  readonly seconds: number
  readonly milliseconds: number
}

export type ParsedDuration = ({ ok: true } & Duration) | { ok: false }

// ISO 8601-1: weeks stand alone, and both P and T must be followed by a part.
const weeksText = /^P(?<weeks>\d{1,9})W$/
const dateParts = String.raw`(?:(?<years>\d{1,9})Y)?(?:(?<months>\d{1,9})M)?(?:(?<days>\d{1,9})D)?`
const secondsPart = String.raw`(?:(?<seconds>\d{1,9})(?:\.(?<fraction>\d{1,3}))?S)?`
const timeParts = String.raw`(?:T(?=\d)(?:(?<hours>\d{1,9})H)?(?:(?<minutes>\d{1,9})M)?${secondsPart})?`
const durationText = new RegExp(`^P(?=[\\dT])${dateParts}${timeParts}$`)

/** Reads "PT5M1S", "P1D", "P2W", "P1Y2M", "PT0.250S". Signs, commas and fractions of other parts are refused. */
export function parseDuration(text: unknown): ParsedDuration {
  if (typeof text !== 'string') return { ok: false }
  const parts = (weeksText.exec(text) ?? durationText.exec(text))?.groups
  if (!parts) return { ok: false }
  const count = (digits: string | undefined) => Number.parseInt(digits ?? '0', 10)
  return {
    ok: true,
    years: count(parts.years),
    months: count(parts.months),
    days: count(parts.weeks) * 7 + count(parts.days),
    hours: count(parts.hours),
    minutes: count(parts.minutes),
    seconds: count(parts.seconds),
    milliseconds: count(parts.fraction?.padEnd(3, '0')),
  }
}

/**
 * Adds in UTC and in PostgreSQL's order: months first, with the day clamped to the end of the month (January 31 plus a
 * month is the end of February), then days, then time. Throws a RangeError beyond the last instant that a Date can
 * hold.
 */
export function addDuration(at: Date, duration: Duration): Date {
  const moved = new Date(at)
  moved.setUTCMonth(at.getUTCMonth() + duration.years * 12 + duration.months)
  // A missing day overflows into the next month; day 0 of that month is the last day of the intended one.
  if (moved.getUTCDate() !== at.getUTCDate()) moved.setUTCDate(0)
  const hours = duration.days * 24 + duration.hours
  const seconds = (hours * 60 + duration.minutes) * 60 + duration.seconds
  const result = new Date(moved.getTime() + seconds * 1000 + duration.milliseconds)
  if (Number.isNaN(result.getTime())) throw new RangeError('The duration ends after the last date')
  return result
}
