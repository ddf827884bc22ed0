import type { Transitions } from '../lib/transitions.ts'

export const customerStatuses = [
  'CREATED',
  'UNDER_REVIEW',
  'NEEDS_ADDITIONAL_INFORMATION',
  'ACTIVE',
  'REJECTED',
  'DEACTIVATED',
] as const
export type CustomerStatus = (typeof customerStatuses)[number]

export const customerTypes = ['INDIVIDUAL', 'BUSINESS'] as const
export type CustomerType = (typeof customerTypes)[number]

/** The whole life of a customer. A move that is not in this table cannot happen. */
export const customerMoves = {
  submitData: { from: ['CREATED', 'NEEDS_ADDITIONAL_INFORMATION'], to: 'UNDER_REVIEW' },
  approve: { from: ['UNDER_REVIEW'], to: 'ACTIVE' },
  requestInformation: { from: ['UNDER_REVIEW'], to: 'NEEDS_ADDITIONAL_INFORMATION' },
  reject: { from: ['UNDER_REVIEW', 'NEEDS_ADDITIONAL_INFORMATION', 'ACTIVE'], to: 'REJECTED' },
  deactivate: { from: ['ACTIVE'], to: 'DEACTIVATED' },
  reactivate: { from: ['DEACTIVATED'], to: 'ACTIVE' },
} as const satisfies Transitions<CustomerStatus>

export type CustomerMove = keyof typeof customerMoves

/** In these an answer shows verificationIssues, maybe empty; in the others never. */
export const statusesWithIssues: readonly CustomerStatus[] = [
  'UNDER_REVIEW',
  'NEEDS_ADDITIONAL_INFORMATION',
  'REJECTED',
]

/** What is to be corrected, as the contract shows it. Holds no personal data. */
export type VerificationIssue = { code: string; message: string; timestamp: string }

/** Who a customer is, sealed at rest. */
export type Profile = { firstName?: string; lastName?: string; businessName?: string; email: string }

/** A customer as it is stored: who it is can be read with its own key only. */
export type Customer = {
  organizationId: string
  customerId: string
  customerType: CustomerType
  status: CustomerStatus
  version: number
  submission: number
  dataKeyId: string
  sealedProfile: Buffer
  sealedIdentity: Buffer | null
  issues: VerificationIssue[]
  linkVersion: number
  createdAt: Date
  updatedAt: Date
  /** Nobody can read any more who it was. */
  erasedAt: Date | null
}
