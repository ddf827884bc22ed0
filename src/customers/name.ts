import type { CustomerType, Profile } from './customer.ts'
import type { Identity } from './identity.ts'

/** First and last name, or the business name; else the legal name that was submitted; else nothing. */
export function nameOf(customerType: CustomerType, profile: Profile, { kycData, kybData }: Identity): string {
  if (customerType === 'BUSINESS') return profile.businessName ?? kybData?.businessInfo?.legalBusinessName ?? ''
  const given = [profile.firstName, profile.lastName].filter(Boolean).join(' ')
  return given || [kycData?.legalFirstName, kycData?.legalLastName].filter(Boolean).join(' ')
}

/** Where a customer lives or is registered, which decides the rails it can use. */
export function residenceOf({ kycData, kybData }: Identity): string | undefined {
  return (
    kycData?.address?.countryCode ??
    kybData?.businessRegisteredAddress?.countryCode ??
    kybData?.businessInfo?.registrationCountry
  )
}
