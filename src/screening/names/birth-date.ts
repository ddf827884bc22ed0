import type { BirthRange } from '../screening.ts'

/** The evidence of a birth date that two names are one person. */
export type BirthEvidence = 'agrees' | 'close' | 'same year' | 'near' | 'unknown' | 'contradicts'

// Listed birth dates are often estimates, and conversions between calendars miss by a few years.
const nearYears = 3

/** Compares a birth date with the listed birth dates of an entry. */
export function compareBirth(dateOfBirth: string | undefined, births: readonly BirthRange[]): BirthEvidence {
  if (!dateOfBirth || !/^\d{4}-\d{2}-\d{2}$/.test(dateOfBirth) || births.length === 0) return 'unknown'
  if (births.some(({ from, to }) => from === to && isSameDay(dateOfBirth, from))) return 'agrees'
  if (births.some(({ from, to }) => from === to && isClose(dateOfBirth, from))) return 'close'
  if (births.some((range) => isWithinYear(dateOfBirth, range))) return 'same year'
  const year = Number(dateOfBirth.slice(0, 4))
  const isNear = births.some(
    ({ from, to }) => year >= Number(from.slice(0, 4)) - nearYears && year <= Number(to.slice(0, 4)) + nearYears,
  )
  return isNear ? 'near' : 'contradicts'
}

/** True for the same day, also with day and month swapped. */
function isSameDay(dateOfBirth: string, listed: string): boolean {
  const [year, month, day] = dateOfBirth.split('-')
  return dateOfBirth === listed || `${year}-${day}-${month}` === listed
}

const dayMs = 86_400_000
const closeDays = 3

/** True for a few days apart, and for another year of the same day: slips of a pen and of calendars. */
function isClose(dateOfBirth: string, listed: string): boolean {
  const days = Math.abs(Date.parse(dateOfBirth) - Date.parse(listed)) / dayMs
  const years = Math.abs(Number(dateOfBirth.slice(0, 4)) - Number(listed.slice(0, 4)))
  return days <= closeDays || (dateOfBirth.slice(4) === listed.slice(4) && (years <= 2 || years === 10))
}

/** True when a listed year or month holds the day. An estimate over several years agrees with too many dates. */
function isWithinYear(dateOfBirth: string, { from, to }: BirthRange): boolean {
  return from.slice(0, 4) === to.slice(0, 4) && from <= dateOfBirth && dateOfBirth <= to
}
