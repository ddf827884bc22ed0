import { type Finding, needsReview, type Submission } from '../submission.ts'

/** One person is one customer: a reviewer judges an identity that another customer has submitted. */
export function checkIdentitySeen({ seenBefore }: Submission): Finding[] {
  if (seenBefore.sameOrganizationActive) return [needsReview('ID_PREVIOUSLY_SEEN')]
  return seenBefore.attempted ? [needsReview('ID_PREVIOUSLY_ATTEMPTED')] : []
}
