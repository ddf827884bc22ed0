import type { CustomerType, Profile } from './customer.ts'
import type { Identity } from './identity/identity.ts'

/** First and last name, or the business name; else the legal name that was submitted; else nothing. */
export function nameOf(customerType: CustomerType, profile: Profile, { kycData, kybData }: Identity): string {
  const { businessInfo } = kybData ?? {}
  if (customerType === 'BUSINESS') return joined(profile.businessName) || joined(businessInfo?.legalBusinessName)
  return joined(profile.firstName, profile.lastName) || joined(kycData?.legalFirstName, kycData?.legalLastName)
}

function joined(...parts: (string | undefined)[]): string {
  return parts
    .map((part) => part?.trim())
    .filter(Boolean)
    .join(' ')
}

/** Where a customer lives or is registered, which decides the rails it can use. */
export function residenceOf({ kycData, kybData }: Identity): string | undefined {
  return (
    kycData?.address?.countryCode ??
    kybData?.businessRegisteredAddress?.countryCode ??
    kybData?.businessInfo?.registrationCountry
  )
}
