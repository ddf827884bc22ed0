import { type Finding, needsReview, type Submission } from '../submission.ts'

/** One person, one customer: a reviewer judges a person who comes again. */
export function checkIdentitySeen({ seenBefore }: Submission): Finding[] {
  if (seenBefore.sameOrganizationActive) return [needsReview('ID_PREVIOUSLY_SEEN')]
  return seenBefore.attempted ? [needsReview('ID_PREVIOUSLY_ATTEMPTED')] : []
}
