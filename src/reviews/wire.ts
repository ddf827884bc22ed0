import Type, { type Static } from 'typebox'
import { issueCodes } from '../catalog/issues/verification-issues.ts'
import { customerStatuses, customerTypes } from '../customers/customer.ts'
import type { Note as CustomerNote } from '../customers/notes/service.ts'
import { exampleReview } from '../http/examples/customers.ts'
import { oneOf, pageOf, pageQuery, requestBody, resource, Timestamp, Uuid } from '../http/wire.ts'
import { messageOf } from '../verification/issue-messages.ts'
import { manualDue } from '../verification/promise.ts'
import type { Finding } from '../verification/submission.ts'
import type { ReviewDocument as DocumentFacts } from './documents.ts'
import { type Review, reviewDecisions, reviewReasons, reviewStatuses } from './review.ts'

const Actor = Type.String({ examples: ['api_key:0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'] })

export const WatchListEntry = resource('WatchListEntry', {
  list: Type.Optional(Type.String({ description: 'The name of the watch list', examples: ['ofac-sdn'] })),
  listVersion: Type.Optional(Type.Integer({ examples: [3] })),
  programs: Type.Optional(
    Type.Array(Type.String({ examples: ['SDGT'] }), { description: 'The sanctions programs of the entry' }),
  ),
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
  wasAsked: Type.Optional(
    Type.Boolean({ description: 'True when a reviewer asked the customer for it earlier: judge the answer' }),
  ),
  watchList: Type.Optional(WatchListEntry),
})

const Note = resource('CustomerNote', {
  act: Type.String({ examples: ['customer.deactivated'] }),
  text: Type.String({ examples: ['Asked to leave'] }),
  writtenAt: Timestamp,
})

const mediaTypes = ['image/jpeg', 'image/png', 'application/pdf'] as const

const ReviewDocument = resource('ReviewDocument', {
  n: Type.Integer({ description: 'The number that opens the document', examples: [1] }),
  field: Type.String({ examples: ['kycData.documents[0].frontIdImage'] }),
  mediaType: oneOf(mediaTypes),
  byteLength: Type.Integer({ description: 'The length of the file as it was sent', examples: [240_000] }),
  width: Type.Optional(Type.Integer({ description: 'In pixels; absent for a PDF', examples: [1_200] })),
  height: Type.Optional(Type.Integer({ examples: [800] })),
  signs: Type.Array(Type.String({ examples: ['NOISE'] }), {
    description:
      'What Svc noticed. BLANK_PAGE, NOISE, NO_TEXT: the file shows no page that a person could read. ' +
      'SCREENSHOT_NAMED_IN_METADATA, SCREEN_SIZE_WITHOUT_CAMERA: it may be a screenshot. ' +
      'MRZ_BIRTH_DATE, MRZ_NUMBER, MRZ_EXPIRY_DATE, MRZ_COUNTRY, MRZ_NAMES, each with _AGREES or _DIFFERS: the ' +
      'machine-readable zone of the document compared with the data at the submission',
  }),
})

/** A file. Its content is not described further. */
export const DocumentFile = Type.Unsafe<string>({ type: 'string', format: 'binary' })
export const documentTypes = mediaTypes

export const ReviewAnswer = resource(
  'Review',
  {
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
    documents: Type.Optional(
      Type.Array(ReviewDocument, {
        description: 'Only when one review is read: the documents of the customer. Empty after an erasure.',
      }),
    ),
  },
  exampleReview,
)

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

type WholeReview = { review: Review; notes: readonly CustomerNote[]; documents: readonly DocumentFacts[] }

export function presentWholeReview({ review, notes, documents }: WholeReview): Static<typeof ReviewAnswer> {
  return {
    ...presentReview(review),
    notes: notes.map(({ act, text, writtenAt }) => ({ act, text, writtenAt: writtenAt.toISOString() })),
    documents: documents.map(({ blobId: _, ...shown }) => shown),
  }
}

function presentFinding({ code, field, wasAsked, watchList }: Finding): Static<typeof ReviewFinding> {
  return {
    code,
    message: messageOf(code, field),
    ...(field === undefined ? {} : { field }),
    ...(wasAsked ? { wasAsked } : {}),
    ...(watchList ? { watchList } : {}),
  }
}
