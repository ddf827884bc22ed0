import { type Finding, needsReview, type Submission } from '../submission.ts'

/** One person, one customer: whoever comes again is looked at by a person. */
export function checkIdentitySeen({ seenBefore }: Submission): Finding[] {
  if (seenBefore.sameOrganizationActive) return [needsReview('ID_PREVIOUSLY_SEEN')]
  return seenBefore.attempted ? [needsReview('ID_PREVIOUSLY_ATTEMPTED')] : []
}
