import { findImages } from '../../../customers/identity/document-fields.ts'
import type { StoredImage } from '../../../customers/identity/identity.ts'
import { type Finding, needsInformation, needsReview, type Submission } from '../../submission.ts'

// Our judgement of a page can be wrong: an honest customer meets a person at the third attempt.
const mostAttempts = 2

/**
 * Asks for another file where one shows no page that a person could read. The sandbox only records the signs, and an
 * outside provider judges documents itself.
 */
export function checkPlausibility({ identity, version, documentPolicy }: Submission): Finding[] {
  if (!documentPolicy?.mustBePlausible) return []
  const unreadable = findImages(identity).filter(({ value }) => ((value as StoredImage).pageSigns ?? []).length > 0)
  const makeFinding = version > mostAttempts ? needsReview : needsInformation
  return unreadable.map(({ field }) => makeFinding('UNREADABLE_DOCUMENT', field))
}

/** Leaves the documents to a reviewer where no outside provider has checked them and ours alone may not approve. */
export function checkOutsideEvidence({ customerType, documentPolicy }: Submission): Finding[] {
  if (!documentPolicy || documentPolicy.mayApprove) return []
  const field = customerType === 'BUSINESS' ? 'kybData.associatedPersons' : 'kycData.documents'
  return [needsReview('VERIFICATION_ISSUE', field)]
}
