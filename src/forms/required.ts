import type { Requirement } from '../customers/customer.ts'
import type { AssociatedPerson, Identity, IdentityDocument, KycData } from '../customers/identity/identity.ts'

/**
 * Lists the fields that a page marks as required, by the rules of verification: what would be due if only the choices
 * that the rules depend on were made.
 */
export function findRequired(identity: Identity, findDue: (identity: Identity) => Requirement[]): string[] {
  const due = findDue(skeletonOf(identity)).map(({ field }) => field)
  // A number on an identity document stands for the national id, so that the form requires the first alone.
  return [...new Set(due)].filter((field) => !/\.nationalId\w+$/.test(field))
}

function skeletonOf({ kycData, kybData }: Identity): Identity {
  if (!kybData) return { kycData: personSkeleton(kycData ?? {}) }
  return {
    kybData: {
      businessRegisteredAddress: countryOf(kybData.businessRegisteredAddress),
      ...(kybData.businessOperatingAddress
        ? { businessOperatingAddress: countryOf(kybData.businessOperatingAddress) }
        : {}),
      associatedPersons: (kybData.associatedPersons ?? []).map((person) => ({
        ...personSkeleton(person),
        isControlPerson: true,
      })),
      businessDocuments: (kybData.businessDocuments ?? []).map(() => ({})),
    },
  }
}

function personSkeleton({ address, documents = [] }: KycData | AssociatedPerson): KycData {
  const hasId = documents.some(({ type }) => type === 'GOVERNMENT_ID')
  const shown: IdentityDocument[] = documents.map(({ type, subtype, countryCode }) => ({
    ...(type ? { type } : {}),
    ...(subtype ? { subtype } : {}),
    ...(countryCode ? { countryCode } : {}),
  }))
  return {
    address: countryOf(address),
    documents: hasId ? shown : [...shown, { type: 'GOVERNMENT_ID' }],
  }
}

function countryOf(address: { countryCode?: string } | undefined) {
  return address?.countryCode ? { countryCode: address.countryCode } : {}
}
