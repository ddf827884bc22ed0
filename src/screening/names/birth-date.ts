import type { BirthRange } from '../screening.ts'

/** What a birth date says about whether two are one person. */
export type BirthEvidence = 'agrees' | 'same year' | 'near' | 'unknown' | 'contradicts'

// Dates of birth on the list are often guessed, and some calendars are a few years' work to convert.
const nearYears = 3

/** A party's day of birth against all that the list has of an entry. */
export function compareBirth(dateOfBirth: string | undefined, births: readonly BirthRange[]): BirthEvidence {
  if (!dateOfBirth || !/^\d{4}-\d{2}-\d{2}$/.test(dateOfBirth) || births.length === 0) return 'unknown'
  if (births.some(({ from, to }) => from === to && isSameDay(dateOfBirth, from))) return 'agrees'
  if (births.some((range) => isWithinYear(dateOfBirth, range))) return 'same year'
  const year = Number(dateOfBirth.slice(0, 4))
  const isNear = births.some(
    ({ from, to }) => year >= Number(from.slice(0, 4)) - nearYears && year <= Number(to.slice(0, 4)) + nearYears,
  )
  return isNear ? 'near' : 'contradicts'
}

/** The very day, or the day with day and month exchanged. */
function isSameDay(dateOfBirth: string, listed: string): boolean {
  const [year, month, day] = dateOfBirth.split('-')
  return dateOfBirth === listed || `${year}-${day}-${month}` === listed
}

/** A listed year or month that has the day. A guess that spans years agrees with too many. */
function isWithinYear(dateOfBirth: string, { from, to }: BirthRange): boolean {
  return from.slice(0, 4) === to.slice(0, 4) && from <= dateOfBirth && dateOfBirth <= to
}
