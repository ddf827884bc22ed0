import { checkBusinessAddresses } from './address.ts'
import { checkBusinessRecords } from './business.ts'
import { checkCompleteness } from './completeness.ts'
import { checkIdentitySeen } from './identity-seen.ts'
import { checkOwnership } from './ownership.ts'
import { checkPersons } from './persons.ts'
import { checkProfileName } from './profile-name.ts'
import { checkProhibited } from './prohibited.ts'
import { type Check, type Submission, type Verdict, verdictOf } from './submission.ts'
import { checkUnknownCodes } from './unknown-codes.ts'
import { checkWatchListHits } from './watch-list-hits.ts'

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
  checkWatchListHits,
]

/** What the built-in checks say about a submission: approve it, ask for more, or let a person look. */
export function verifySubmission(submission: Submission): Verdict {
  return verdictOf(checks.flatMap((check) => check(submission)))
}
