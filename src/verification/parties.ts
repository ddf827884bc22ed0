import type { CustomerType, Profile } from '../customers/customer.ts'
import type { AssociatedPerson, Identity, KycData } from '../customers/identity.ts'

/** Somebody to compare with a watch list. */
export type Party = {
  kind: 'INDIVIDUAL' | 'BUSINESS'
  name: string
  dateOfBirth?: string
  /** Where the name stands, such as kybData.associatedPersons[0]. */
  field?: string
}

/** Everybody a customer is: by legal name, by the name it was created with, and whoever owns or runs a business. */
export function partiesOf(customerType: CustomerType, profile: Profile, { kycData, kybData }: Identity): Party[] {
  if (customerType === 'INDIVIDUAL') {
    const legal = personOf(kycData ?? {}, 'kycData')
    const given = namedOnly(join(profile.firstName, profile.lastName), 'INDIVIDUAL')
    const { dateOfBirth } = kycData ?? {}
    return distinct([...legal, ...given.map((party) => ({ ...party, ...(dateOfBirth ? { dateOfBirth } : {}) }))])
  }
  const { legalBusinessName, dbaName } = kybData?.businessInfo ?? {}
  return distinct([
    ...namedOnly(join(legalBusinessName), 'BUSINESS', 'kybData.businessInfo.legalBusinessName'),
    ...namedOnly(join(dbaName), 'BUSINESS', 'kybData.businessInfo.dbaName'),
    ...namedOnly(join(profile.businessName), 'BUSINESS'),
    ...(kybData?.associatedPersons ?? []).flatMap((person, at) => personOf(person, `kybData.associatedPersons[${at}]`)),
  ])
}

function personOf(person: KycData | AssociatedPerson, field: string): Party[] {
  const { legalFirstName, legalMiddleName, legalLastName, dateOfBirth } = person
  const named = namedOnly(join(legalFirstName, legalMiddleName, legalLastName), 'INDIVIDUAL', field)
  return named.map((party) => ({ ...party, ...(dateOfBirth ? { dateOfBirth } : {}) }))
}

function namedOnly(name: string, kind: Party['kind'], field?: string): Party[] {
  return name === '' ? [] : [{ kind, name, ...(field === undefined ? {} : { field }) }]
}

function join(...parts: (string | undefined)[]): string {
  return parts
    .map((part) => part?.trim())
    .filter(Boolean)
    .join(' ')
}

/** The name a customer was created with is often the legal one again: one hit is enough. */
function distinct(parties: readonly Party[]): Party[] {
  const byName = new Map<string, Party>()
  for (const party of parties) {
    const key = JSON.stringify([party.kind, party.name.toLowerCase(), party.dateOfBirth])
    if (!byName.has(key)) byName.set(key, party)
  }
  return [...byName.values()]
}
