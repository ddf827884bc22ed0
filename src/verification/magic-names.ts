import { isIssueCode } from '../catalog/issues/verification-issues.ts'
import { findingOfIssue, needsReview, type SandboxVerdict, verdictOf } from './submission.ts'

const issueWord = /^Issue-(.+)$/

/**
 * Reads the outcome that a last name or legal business name forces in the sandbox: Approve, Reject, Review, or
 * "Issue-DOCUMENT_EXPIRED Issue-MISSING_NAME". Any other name, such as one with an unknown code, is ordinary.
 */
export function readMagicName(name: string | undefined): SandboxVerdict | undefined {
  if (name === 'Approve') return { outcome: 'approve' }
  if (name === 'Reject') return { outcome: 'reject', findings: [needsReview('VERIFICATION_ISSUE')] }
  if (name === 'Review') return { outcome: 'review', findings: [needsReview('VERIFICATION_ISSUE')] }
  const codes = (name ?? '')
    .trim()
    .split(/ +/)
    .map((word) => issueWord.exec(word)?.[1] ?? '')
  return codes.every(isIssueCode) ? verdictOf(codes.map((code) => findingOfIssue(code))) : undefined
}
