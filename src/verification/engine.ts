import { checkBusinessAddresses } from './checks/address.ts'
import { checkBusinessRecords } from './checks/business.ts'
import { checkCompleteness } from './checks/completeness.ts'
import { checkMachineZones } from './checks/documents/machine-zone.ts'
import { checkOutsideEvidence, checkPlausibility } from './checks/documents/plausibility.ts'
import { checkIdentitySeen } from './checks/identity-seen.ts'
import { checkOwnership } from './checks/ownership.ts'
import { checkPersons } from './checks/persons.ts'
import { checkProfileName } from './checks/profile-name.ts'
import { checkProhibited } from './checks/prohibited.ts'
import { checkUnknownCodes } from './checks/unknown-codes.ts'
import { checkWatchListMatches } from './checks/watch-list-matches.ts'
import {
  type Finding,
  needsReview,
  type Submission,
  type SubmissionCheck,
  type Verdict,
  verdictOf,
} from './submission.ts'

/** The checks in the order of their findings: first the fields that the customer must fill in or correct. */
const checks: readonly SubmissionCheck[] = [
  checkCompleteness,
  checkPersons,
  checkPlausibility,
  checkMachineZones,
  checkBusinessAddresses,
  checkBusinessRecords,
  checkOwnership,
  checkProhibited,
  checkProfileName,
  checkUnknownCodes,
  checkIdentitySeen,
  checkWatchListMatches,
  ({ keptWarnings }) => [...(keptWarnings ?? [])],
]

type Data = Pick<Submission, 'customerType' | 'identity' | 'profile' | 'now' | 'documentPolicy'>

/** Runs the checks that need the data alone, without a look at other customers and lists. */
export function findProblems(about: Data): Finding[] {
  const nothingSeen = { sameOrganizationActive: false, attempted: false }
  const submission = { ...about, organizationId: '', customerId: '', version: 0, seenBefore: nothingSeen }
  return checks.flatMap((check) => check(submission))
}

export type Judgements = {
  /** True for a doubt that a reviewer has settled for the same data. */
  isSettled(finding: Finding): boolean
  /** True when the customer was asked about the same data before. */
  isConfirmed(finding: Finding): boolean
}

const never = () => false

/**
 * Runs the built-in checks: approve, ask the customer for information, or leave it to a reviewer. Doubts that a reviewer
 * has settled are left out. The look at the documents is never settled by a question: the reviewer who asked expects to
 * see the answer, and the customer may have put another name over the same documents. Nor are open questions of a
 * reviewer: the last decision tells which these are.
 */
export function verifySubmission(
  submission: Submission,
  { isSettled = never, isConfirmed = never }: Partial<Judgements> = {},
): Verdict {
  const findings = checks
    .flatMap((check) => check(submission))
    .map((finding) => (isConfirmed(finding) ? needsReview(finding.code, finding.field) : finding))
  const verdict = verdictOf(findings.filter((finding) => !isSettled(finding)))
  const own = verdict.outcome === 'approve' ? checkOutsideEvidence(submission) : verdict.findings
  const asked = (submission.openQuestions ?? []).map((code) => ({ ...needsReview(code), wasAsked: true as const }))
  return verdictOf([...own, ...asked])
}
