import type { Requirement } from '../customers/customer.ts'
import type { AssociatedPerson, Identity, IdentityDocument, KycData } from '../customers/identity/identity.ts'

/**
 * Lists the fields that a page marks as required, by the rules of verification: what would be due if only the choices
 * that the rules depend on were made.
 */
export function findRequired(identity: Identity, findDue: (identity: Identity) => Requirement[]): string[] {
  const skeleton = skeletonOf(identity)
  const due = [...findDue(skeleton), ...findDue(withoutChoices(skeleton))].map(({ field }) => field)
  // A number on an identity document stands for the national id, so that the form requires the first alone.
  return [...new Set(due)].filter((field) => !/\.nationalId\w+$/.test(field))
}

/** The same documents and addresses before the choices were made: these are required as well. */
function withoutChoices({ kycData, kybData }: Identity): Identity {
  const bare = (person: KycData | AssociatedPerson) => ({
    ...person,
    address: {},
    documents: (person.documents ?? []).map(({ type }) => (type ? { type } : {})),
  })
  if (!kybData) return { kycData: bare(kycData ?? {}) }
  return {
    kybData: {
      ...kybData,
      businessRegisteredAddress: {},
      ...(kybData.businessOperatingAddress ? { businessOperatingAddress: {} } : {}),
      associatedPersons: (kybData.associatedPersons ?? []).map(bare),
    },
  }
}

function skeletonOf({ kycData, kybData }: Identity): Identity {
  if (!kybData) return { kycData: personSkeleton(kycData ?? {}) }
  const { conductsMoneyServices = false, highRiskActivities = [] } = kybData
  return {
    kybData: {
      conductsMoneyServices,
      highRiskActivities,
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
