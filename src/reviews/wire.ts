import Type, { type Static } from 'typebox'
import { describeIssue, issueCodes } from '../catalog/issues/verification-issues.ts'
import { customerStatuses, customerTypes } from '../customers/customer.ts'
import type { Note as CustomerNote } from '../customers/notes/service.ts'
import { oneOf, pageOf, pageQuery, requestBody, resource, Timestamp, Uuid } from '../http/wire.ts'
import { manualDue } from '../verification/promise.ts'
import type { Finding } from '../verification/submission.ts'
import { type Review, reviewDecisions, reviewReasons, reviewStatuses } from './review.ts'

const Actor = Type.String({ examples: ['api_key:0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'] })

const WatchListEntry = resource('WatchListEntry', {
  listVersion: Type.Optional(Type.Integer({ examples: [3] })),
  entryNumber: Type.Optional(
    Type.String({ description: 'Absent when the name could not be compared with the list', examples: ['306'] }),
  ),
  listedName: Type.Optional(Type.String({ examples: ['EXAMPLE, Ada'] })),
  score: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, examples: [92] })),
  strength: Type.Optional(
    oneOf(
      ['match', 'possible'],
      '`match`: practically the same name; `possible`: close enough for a reviewer to judge',
    ),
  ),
  reasons: Type.Optional(Type.Array(Type.String({ examples: ['a word differs in one letter'] }))),
})

const Code = Type.String({ examples: ['AML_WARNING'] })

const ReviewFinding = resource('ReviewFinding', {
  code: Code,
  message: Type.String({ description: 'The text that the customer would read', examples: ['Please contact support.'] }),
  field: Type.Optional(Type.String({ examples: ['kycData'] })),
  watchList: Type.Optional(WatchListEntry),
})

const Note = resource('CustomerNote', {
  act: Type.String({ examples: ['customer.deactivated'] }),
  text: Type.String({ examples: ['Asked to leave'] }),
  writtenAt: Timestamp,
})

export const ReviewAnswer = resource('Review', {
  reviewId: Uuid,
  customerId: Uuid,
  organizationId: Uuid,
  customerType: oneOf(customerTypes),
  customerStatus: oneOf(customerStatuses),
  reviewStatus: oneOf(reviewStatuses),
  reason: oneOf(reviewReasons, 'Why the review was opened'),
  version: Type.Integer({ description: 'Increases with each new finding', examples: [1] }),
  submission: Type.Integer({ description: "The number of the customer's submission under review", examples: [1] }),
  findings: Type.Array(ReviewFinding),
  openedAt: Timestamp,
  dueAt: { ...Timestamp, description: 'Three business days after openedAt' },
  isLate: Type.Boolean({ description: 'True when dueAt has passed, or had passed at the decision' }),
  claimedBy: Type.Optional({ ...Actor, description: 'The reviewer who alone can decide until claimedUntil' }),
  claimedUntil: Type.Optional(Timestamp),
  decision: Type.Optional(oneOf(reviewDecisions)),
  issues: Type.Optional(Type.Array(Code, { description: 'The issue codes that the customer was given' })),
  decidedAt: Type.Optional(Timestamp),
  decidedBy: Type.Optional(Actor),
  notes: Type.Optional(
    Type.Array(Note, {
      description:
        'Only when one review is read: the recorded reasons of earlier acts on the customer, newest first. ' +
        'Empty after an erasure.',
    }),
  ),
})

export const ReviewPage = pageOf('ReviewPage', 'reviews', ReviewAnswer)

export const ReviewQuery = Type.Object(
  {
    ...pageQuery,
    status: Type.Optional({ ...oneOf(reviewStatuses), default: 'OPEN' }),
    customerId: Type.Optional({ ...Uuid, description: 'Only reviews of this customer' }),
    organizationId: Type.Optional({ ...Uuid, description: 'Only reviews of this organization' }),
  },
  { additionalProperties: false },
)

export const DecideBody = requestBody(
  'DecideReview',
  {
    decision: oneOf(reviewDecisions),
    issues: Type.Optional(
      Type.Array(oneOf(issueCodes), {
        maxItems: 100,
        description: 'The issue codes that the customer is given; required for NEEDS_INFO',
      }),
    ),
    reason: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Stored encrypted with the customer and shown to reviewers',
      examples: ['Another person by birth date and nationality'],
    }),
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The version you judged: the decision is refused when the review has a newer one',
      }),
    ),
  },
  { examples: [{ decision: 'APPROVE', reason: 'Another person by birth date and nationality', version: 1 }] },
)

export const ClaimBody = requestBody('ClaimReview', {
  minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 480,
      default: 30,
      description: 'How long the claim lasts, from now',
      examples: [30],
    }),
  ),
})

export function presentReview(review: Review): Static<typeof ReviewAnswer> {
  const dueAt = manualDue(review.openedAt)
  return {
    reviewId: review.reviewId,
    customerId: review.customerId,
    organizationId: review.organizationId,
    customerType: review.customerType,
    customerStatus: review.customerStatus,
    reviewStatus: review.status,
    reason: review.reason,
    version: review.version,
    submission: review.submission,
    findings: review.findings.map(presentFinding),
    openedAt: review.openedAt.toISOString(),
    dueAt: dueAt.toISOString(),
    isLate: dueAt < (review.decidedAt ?? review.now),
    ...(review.claimedBy && review.claimedUntil
      ? { claimedBy: review.claimedBy, claimedUntil: review.claimedUntil.toISOString() }
      : {}),
    ...(review.decision && review.decidedAt && review.decidedBy
      ? {
          decision: review.decision,
          issues: review.issues,
          decidedAt: review.decidedAt.toISOString(),
          decidedBy: review.decidedBy,
        }
      : {}),
  }
}

export function presentReviewWithNotes({ review, notes }: { review: Review; notes: readonly CustomerNote[] }) {
  const shown = notes.map(({ act, text, writtenAt }) => ({ act, text, writtenAt: writtenAt.toISOString() }))
  return { ...presentReview(review), notes: shown }
}

function presentFinding({ code, field, watchList }: Finding): Static<typeof ReviewFinding> {
  return {
    code,
    message: describeIssue(code).message,
    ...(field === undefined ? {} : { field }),
    ...(watchList ? { watchList } : {}),
  }
}
