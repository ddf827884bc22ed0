import { type Metadata, presentOwnData } from '../lib/resources/own-data.ts'
import {
  type CustomerStatus,
  type CustomerType,
  type Requirement,
  statusesOpenToData,
  statusesWithIssues,
  type VerificationIssue,
} from './customer.ts'

/** A customer as answers and events show it. */
export type CustomerView = {
  customerId: string
  customerStatus: CustomerStatus
  customerType: CustomerType
  name: string
  email: string
  verificationLink?: string
  createdAt: string
  updatedAt: string
  organizationId: string
  availablePaymentMethods?: string[]
  verificationIssues?: VerificationIssue[]
  requirements?: { due: Requirement[] }
  review?: { openedAt: string; dueAt: string }
  verification?: object
  externalId?: string
  metadata?: Metadata
}

/** The sealed profile of a customer. It holds what a list shows, so that a list need not open the submission. */
export type StoredProfile = {
  firstName?: string
  lastName?: string
  businessName?: string
  email: string
  name: string
  residence?: string
  metadata?: Metadata
}

export type PresentableCustomer = {
  organizationId: string
  customerId: string
  customerType: CustomerType
  status: CustomerStatus
  issues: VerificationIssue[]
  createdAt: Date
  updatedAt: Date
  reviewOpenedAt: Date | null
  externalId: string | null
}

/** The parts of the answer that follow from the rules of verification. */
export type CustomerRules = {
  /** Lists what is due, for a customer who can submit data. */
  findDue(): Requirement[]
  /** The time by which a reviewer has promised a decision. */
  reviewDue(openedAt: Date): Date
}

/** Stand-ins after an erasure: without the key the profile cannot be opened. */
const erased = { name: '', email: 'erased@invalid.example' }

export function presentCustomer(
  customer: PresentableCustomer,
  profile: StoredProfile | undefined,
  verificationLink: string | undefined,
  rules: CustomerRules,
): CustomerView {
  const { name, email } = profile ?? erased
  const { status, reviewOpenedAt: openedAt } = customer
  return {
    customerId: customer.customerId,
    customerStatus: status,
    customerType: customer.customerType,
    name,
    email,
    ...(verificationLink === undefined ? {} : { verificationLink }),
    createdAt: customer.createdAt.toISOString(),
    updatedAt: customer.updatedAt.toISOString(),
    organizationId: customer.organizationId,
    ...presentOwnData({ externalId: customer.externalId, metadata: profile?.metadata ?? null }),
    ...(statusesWithIssues.includes(status) ? { verificationIssues: customer.issues } : {}),
    ...(profile && statusesOpenToData.includes(status) ? { requirements: { due: rules.findDue() } } : {}),
    // Says that a person decides, never why.
    ...(status === 'UNDER_REVIEW' && openedAt
      ? { review: { openedAt: openedAt.toISOString(), dueAt: rules.reviewDue(openedAt).toISOString() } }
      : {}),
  }
}
