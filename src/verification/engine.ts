import { checkBusinessAddresses } from './checks/address.ts'
import { checkBusinessRecords } from './checks/business.ts'
import { checkCompleteness } from './checks/completeness.ts'
import { checkIdentitySeen } from './checks/identity-seen.ts'
import { checkOwnership } from './checks/ownership.ts'
import { checkPersons } from './checks/persons.ts'
import { checkProfileName } from './checks/profile-name.ts'
import { checkProhibited } from './checks/prohibited.ts'
import { checkUnknownCodes } from './checks/unknown-codes.ts'
import { checkWatchListMatches } from './checks/watch-list-matches.ts'
import { type Check, type Submission, type Verdict, verdictOf } from './submission.ts'

/** In the order in which findings are told: what to fill in and mend first. */
const checks: readonly Check[] = [
  checkCompleteness,
  checkPersons,
  checkBusinessAddresses,
  checkBusinessRecords,
  checkOwnership,
  checkProhibited,
  checkProfileName,
  checkUnknownCodes,
  checkIdentitySeen,
  checkWatchListMatches,
]

/** What the built-in checks say about a submission: approve it, ask for more, or let a person look. */
export function verifySubmission(submission: Submission): Verdict {
  return verdictOf(checks.flatMap((check) => check(submission)))
}
