import { isIssueCode } from '../../catalog/issues/verification-issues.ts'
import { type Finding, findingOfIssue, needsReview } from '../submission.ts'
import type { DecidedStatus, ProviderIssue } from './provider.ts'

// Only a path of a field is kept: a provider may write anything there.
const fieldPath = /^(?:kycData|kybData)(?:\.[A-Za-z]{1,64}\d?|\[\d{1,3}\]){0,10}$/

/**
 * Turns a provider's answer into findings. The customer is asked only when there is something to correct. A reviewer
 * judges rejections and answers that are contradictory or unknown: no customer is rejected automatically.
 */
export function findingsOf(status: DecidedStatus, issues: readonly ProviderIssue[]): Finding[] {
  if (status === 'APPROVED' && issues.length === 0) return []
  const found = issues.map(({ code, field }) => findingOf(code, field))
  if (status === 'NEEDS_INFORMATION' && found.length > 0) return found
  const doubts = found.filter(({ leadsTo }) => leadsTo === 'review')
  const others = found.filter(({ leadsTo }) => leadsTo !== 'review')
  const forReviewer = doubts.length > 0 ? doubts : [needsReview('VERIFICATION_ISSUE')]
  return [...others, ...forReviewer.map((finding) => ({ ...finding, comesFirst: true as const }))]
}

function findingOf(code: string, field: string | undefined): Finding {
  const place = field !== undefined && fieldPath.test(field) ? field : undefined
  return isIssueCode(code) ? findingOfIssue(code, place) : needsReview('VERIFICATION_ISSUE', place)
}
