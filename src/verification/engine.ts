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
import { type Submission, type SubmissionCheck, type Verdict, verdictOf } from './submission.ts'

/** The checks in the order of their findings: first the fields that the customer must fill in or correct. */
const checks: readonly SubmissionCheck[] = [
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

/** Runs the built-in checks: approve, ask the customer for information, or leave it to a reviewer. */
export function verifySubmission(submission: Submission): Verdict {
  return verdictOf(checks.flatMap((check) => check(submission)))
}
