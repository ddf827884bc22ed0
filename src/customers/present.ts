import { type CustomerStatus, type CustomerType, statusesWithIssues, type VerificationIssue } from './customer.ts'

/** A customer as the interface shows it, in answers and in events alike. */
export type CustomerView = {
  customerId: string
  customerStatus: CustomerStatus
  customerType: CustomerType
  name: string
  email: string
  verificationLink?: string
  updatedAt: string
  organizationId: string
  availablePaymentMethods?: string[]
  verificationIssues?: VerificationIssue[]
  verification?: object
}

/** What is sealed of a customer besides the submission, and what a list needs without opening that. */
export type StoredProfile = {
  firstName?: string
  lastName?: string
  businessName?: string
  email: string
  name: string
  residence?: string
}

export type PresentedRow = {
  organizationId: string
  customerId: string
  customerType: CustomerType
  status: CustomerStatus
  issues: VerificationIssue[]
  updatedAt: Date
}

/** After an erasure nobody can read who it was: the key is gone, and these stand in. */
const erased = { name: '', email: 'erased@invalid.example' }

export function presentCustomer(
  row: PresentedRow,
  profile: StoredProfile | undefined,
  verificationLink: string | undefined,
): CustomerView {
  const { name, email } = profile ?? erased
  return {
    customerId: row.customerId,
    customerStatus: row.status,
    customerType: row.customerType,
    name,
    email,
    ...(verificationLink === undefined ? {} : { verificationLink }),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    ...(statusesWithIssues.includes(row.status) ? { verificationIssues: row.issues } : {}),
  }
}
