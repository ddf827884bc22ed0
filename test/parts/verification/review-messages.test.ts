import { expect, test } from 'vitest'
import { contactSupport } from '../../../src/catalog/issues/facts.ts'
import type { Review } from '../../../src/reviews/review.ts'
import { presentReview } from '../../../src/reviews/wire.ts'
import { needsInformation, needsReview } from '../../../src/verification/submission.ts'

const review: Review = {
  organizationId: 'o',
  customerId: 'c',
  reviewId: 'r',
  version: 1,
  reason: 'MANUAL_SUBMISSION',
  submission: 1,
  status: 'OPEN',
  findings: [
    needsInformation('INVALID_PARAMETERS', 'kybData.associatedPersons[1].phoneNumber'),
    needsReview('AML_MATCH', 'kycData.nationalIdNumber'),
  ],
  hasMatch: true,
  openedAt: new Date(0),
  claimedBy: null,
  claimedUntil: null,
  decision: null,
  issues: [],
  decidedAt: null,
  decidedBy: null,
  customerType: 'BUSINESS',
  customerStatus: 'UNDER_REVIEW',
  now: new Date(0),
}

test('a reviewer reads of each finding what the customer would read, and an alarm reveals nothing', () => {
  const { findings } = presentReview(review)
  expect(findings.map(({ message }) => message)).toEqual([
    'Please check the phone number of person 2: its country has no such number, as far as we know. If it is right, send it again.',
    contactSupport,
  ])
})
