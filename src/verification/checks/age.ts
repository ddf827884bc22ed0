import { dayOf, isRealDay, yearsAfter } from '../../lib/calendar.ts'
import { type Finding, isBlank, needsInformation, needsReview, type Person } from '../submission.ts'

const minAge = 18
/** Two years less than the longest life on record. Above it a mistyped year is the better explanation. */
const maxAge = 120

/**
 * Checks that the person is old enough to be a customer on this day, in UTC. A person born on February 29 comes of age
 * on March 1 of a common year, the later of the two days that laws use.
 */
export function checkAge({ dateOfBirth }: Person, path: string, now: Date): Finding[] {
  if (isBlank(dateOfBirth)) return []
  const field = `${path}.dateOfBirth`
  const today = dayOf(now)
  const isPossible = isRealDay(dateOfBirth) && dateOfBirth <= today && yearsAfter(dateOfBirth, maxAge + 1) > today
  if (!isPossible) return [needsInformation('INVALID_PARAMETERS', field)]
  // A reviewer judges a minor: a question would invite another birth date.
  return yearsAfter(dateOfBirth, minAge) > today ? [needsReview('ADDITIONAL_WARNING', field)] : []
}
