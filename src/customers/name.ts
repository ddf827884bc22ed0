import type { CustomerType, Profile } from './customer.ts'
import type { Identity } from './identity/identity.ts'

/** Builds the name from the profile, or else from the submitted legal name; empty without either. */
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

/** The country of residence or registration, which decides the rails that the customer may use. */
export function residenceOf({ kycData, kybData }: Identity): string | undefined {
  return (
    kycData?.address?.countryCode ??
    kybData?.businessRegisteredAddress?.countryCode ??
    kybData?.businessInfo?.registrationCountry
  )
}
