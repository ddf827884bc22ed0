import type { Metadata } from '../lib/resources/own-data.ts'
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

/** The statuses in which an answer shows verificationIssues, possibly empty. */
export const statusesWithIssues: readonly CustomerStatus[] = [
  'UNDER_REVIEW',
  'NEEDS_ADDITIONAL_INFORMATION',
  'REJECTED',
]

/** The statuses in which data can be submitted. */
export const statusesOpenToData: readonly CustomerStatus[] = customerMoves.submitData.from

/** A correction that the customer has to make, as the contract shows it. Holds no personal data. */
export type VerificationIssue = {
  code: string
  message: string
  timestamp: string
  /** The path of the field, such as kybData.associatedPersons[1].dateOfBirth. */
  field?: string
}

/** Data that the customer still has to give or correct, by the rules of verification. */
export type Requirement = { field: string; code: string; message: string }

/** The name and email of a customer, sealed at rest. */
export type Profile = {
  firstName?: string
  lastName?: string
  businessName?: string
  email: string
  /** The caller's own pairs. */
  metadata?: Metadata
}

/** A customer as stored. Only its own key opens the personal data. */
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
  /** Business time since which the newest submission waits for a reviewer; null when it does not. */
  reviewOpenedAt: Date | null
  linkVersion: number
  createdAt: Date
  updatedAt: Date
  /** Business time of the read. */
  readAt: Date
  /** The caller's own id. */
  externalId: string | null
  /** Set when the customer's key was destroyed. */
  erasedAt: Date | null
}
