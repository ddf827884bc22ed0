import { describeIssue, isIssueCode } from '../catalog/issues/verification-issues.ts'
import { type Finding, needsInformation, needsReview, type Verdict, verdictOf } from './submission.ts'

export type MagicOutcome = Verdict | { outcome: 'reject'; findings: Finding[] }

const issueWord = /^Issue-(.+)$/

/**
 * In the sandbox a last name or legal business name can decide by itself: Approve, Reject, Review, or
 * "Issue-DOCUMENT_EXPIRED Issue-MISSING_NAME". Anything else, also with an unknown code, is an ordinary name.
 */
export function readMagicName(name: string | undefined): MagicOutcome | undefined {
  if (name === 'Approve') return { outcome: 'approve' }
  if (name === 'Reject') return { outcome: 'reject', findings: [needsReview('VERIFICATION_ISSUE')] }
  if (name === 'Review') return { outcome: 'review', findings: [needsReview('VERIFICATION_ISSUE')] }
  const codes = (name ?? '')
    .trim()
    .split(/ +/)
    .map((word) => issueWord.exec(word)?.[1] ?? '')
  return codes.every(isIssueCode) ? verdictOf(codes.map(findingOf)) : undefined
}

function findingOf(code: Parameters<typeof describeIssue>[0]): Finding {
  return describeIssue(code).leadsTo === 'review' ? needsReview(code) : needsInformation(code)
}
