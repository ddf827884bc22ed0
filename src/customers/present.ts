import { type CustomerStatus, type CustomerType, statusesWithIssues, type VerificationIssue } from './customer.ts'

/** A customer as answers and events show it. */
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

/** The sealed profile of a customer. It holds what a list shows, so that a list need not open the submission. */
export type StoredProfile = {
  firstName?: string
  lastName?: string
  businessName?: string
  email: string
  name: string
  residence?: string
}

export type PresentableCustomer = {
  organizationId: string
  customerId: string
  customerType: CustomerType
  status: CustomerStatus
  issues: VerificationIssue[]
  updatedAt: Date
}

/** Stand-ins after an erasure: without the key the profile cannot be opened. */
const erased = { name: '', email: 'erased@invalid.example' }

export function presentCustomer(
  customer: PresentableCustomer,
  profile: StoredProfile | undefined,
  verificationLink: string | undefined,
): CustomerView {
  const { name, email } = profile ?? erased
  return {
    customerId: customer.customerId,
    customerStatus: customer.status,
    customerType: customer.customerType,
    name,
    email,
    ...(verificationLink === undefined ? {} : { verificationLink }),
    updatedAt: customer.updatedAt.toISOString(),
    organizationId: customer.organizationId,
    ...(statusesWithIssues.includes(customer.status) ? { verificationIssues: customer.issues } : {}),
  }
}
