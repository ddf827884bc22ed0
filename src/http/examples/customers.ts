import { payout, records, story } from './story.ts'

const name = { name: 'Ada Example', email: 'ada@example.com' }
const link = 'https://pay.example.com/forms/verify/AZnzonwefVWMG1oPax9KEQAAAAH'

const known = {
  customerId: story.customerId,
  customerStatus: 'CREATED',
  customerType: 'INDIVIDUAL',
  ...name,
  verificationLink: link,
  createdAt: story.createdAt,
  updatedAt: story.createdAt,
  organizationId: story.organizationId,
}

const birthDate = {
  field: 'kycData.dateOfBirth',
  code: 'API_DATA_REQUIREMENTS_NOT_MET',
  message: 'Please provide the date of birth.',
}

/** Ada after her creation. */
export const exampleCustomer = { ...known, requirements: { due: [birthDate] } }

const submittedAt = '2025-11-21T10:01:00.000Z'
const decidedAt = '2025-11-21T10:04:30.000Z'

const expired = {
  field: 'kycData.documents[0].expirationDate',
  code: 'DOCUMENT_EXPIRED',
  message:
    'The document has expired. Please upload one that is still valid. This concerns the date of expiry of document 1.',
}

/** Ada after a check has found an expired document. */
export const exampleCorrection = {
  ...known,
  customerStatus: 'NEEDS_ADDITIONAL_INFORMATION',
  updatedAt: decidedAt,
  verificationIssues: [{ ...expired, timestamp: decidedAt }],
  requirements: { due: [expired] },
}

const submitted = { ...known, customerStatus: 'UNDER_REVIEW', updatedAt: submittedAt, verificationIssues: [] }
const active = { ...known, customerStatus: 'ACTIVE', updatedAt: decidedAt }

/** The review of Ada: a listed person has a similar name. */
export const exampleReview = {
  reviewId: records.reviewId,
  customerId: story.customerId,
  organizationId: story.organizationId,
  customerType: 'INDIVIDUAL',
  customerStatus: 'UNDER_REVIEW',
  reviewStatus: 'OPEN',
  reason: 'MANUAL_SUBMISSION',
  version: 1,
  submission: 1,
  findings: [
    {
      code: 'AML_WARNING',
      message: 'Please contact support.',
      field: 'kycData',
      watchList: {
        list: 'ofac-sdn',
        listVersion: 3,
        programs: ['SDGT'],
        entryNumber: '306',
        listedName: 'EXAMPLE, Adam',
        score: 92,
        strength: 'possible',
        reasons: ['a word differs in one letter'],
      },
    },
  ],
  openedAt: submittedAt,
  dueAt: '2025-11-26T10:01:00.000Z',
  isLate: false,
}

const claimed = {
  ...exampleReview,
  claimedBy: 'api_key:0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a23',
  claimedUntil: '2025-11-21T10:33:00.000Z',
}

export const customerOperations = {
  updateCustomer: { answer: submitted },
  deactivateCustomer: { answer: { ...active, customerStatus: 'DEACTIVATED', updatedAt: payout.returnedAt } },
  reactivateCustomer: {
    request: { reason: 'Asked to come back' },
    answer: { ...active, updatedAt: '2025-11-27T09:00:00.000Z' },
  },
  revokeCustomerVerificationLink: {
    request: { reason: 'Sent to the wrong person' },
    answer: { ...exampleCustomer, verificationLink: link.replace(/AAAAAH$/, 'AAAAAI') },
  },
  eraseCustomer: {
    answer: { ...active, customerStatus: 'DEACTIVATED', name: '', email: 'erased@invalid.example' },
  },
  decideSandboxVerification: { request: { outcome: 'APPROVE' }, answer: active },
  getReview: {
    answer: {
      ...exampleReview,
      notes: [],
      documents: [
        {
          n: 1,
          field: 'kycData.documents[0].frontIdImage',
          mediaType: 'image/jpeg',
          byteLength: 240_000,
          width: 1_200,
          height: 800,
          signs: ['MRZ_NAMES_AGREES'],
        },
      ],
    },
  },
  getReviewDocument: { answer: '(the bytes of the file)' },
  claimReview: { answer: claimed },
  receiveVerificationCallback: { request: { reference: records.submissionId } },
  decideReview: {
    answer: {
      ...claimed,
      customerStatus: 'ACTIVE',
      reviewStatus: 'DECIDED',
      decision: 'APPROVE',
      issues: [],
      decidedAt,
      decidedBy: claimed.claimedBy,
    },
  },
}
