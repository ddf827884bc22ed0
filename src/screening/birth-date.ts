import type { BirthRange } from './screening.ts'

/** What a birth date says about whether two are one person. */
export type BirthEvidence = 'agrees' | 'near' | 'unknown' | 'contradicts'

// Dates of birth on the list are often guessed, and some calendars are a few years' work to convert.
const nearYears = 3

/** A party's day of birth against all that the list has of an entry. */
export function compareBirth(dateOfBirth: string | undefined, births: readonly BirthRange[]): BirthEvidence {
  if (!dateOfBirth || !/^\d{4}-\d{2}-\d{2}$/.test(dateOfBirth) || births.length === 0) return 'unknown'
  if (births.some((range) => isExactly(dateOfBirth, range))) return 'agrees'
  const year = Number(dateOfBirth.slice(0, 4))
  const isNear = births.some(
    ({ from, to }) => year >= Number(from.slice(0, 4)) - nearYears && year <= Number(to.slice(0, 4)) + nearYears,
  )
  return isNear ? 'near' : 'contradicts'
}

/** The very day, or the day with day and month exchanged, or a listed year or month that has the day. */
function isExactly(dateOfBirth: string, { from, to }: BirthRange): boolean {
  const [year, month, day] = dateOfBirth.split('-')
  if (from === to) return dateOfBirth === from || `${year}-${day}-${month}` === from
  // A guess that spans years agrees with many; only a stretch within one year is a date.
  return from.slice(0, 4) === to.slice(0, 4) && from <= dateOfBirth && dateOfBirth <= to
}
