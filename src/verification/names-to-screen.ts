import type { ScreenedName } from '../screening/screening.ts'
import type { Person, Submission } from './submission.ts'

type Named = Pick<Submission, 'customerType' | 'identity' | 'profile'>

/** Everybody whom a submission names, to be held against watch lists: under the legal name and under the given one. */
export function namesToScreen({ customerType, identity, profile }: Named): ScreenedName[] {
  const { kycData, kybData } = identity
  const { firstName, lastName, businessName } = profile
  const { legalBusinessName, dbaName } = kybData?.businessInfo ?? {}
  const birth = kycData?.dateOfBirth
  const parties =
    customerType === 'INDIVIDUAL'
      ? [personOf(kycData, 'kycData'), individual([firstName, lastName], birth, 'name')]
      : [
          business(legalBusinessName, 'kybData.businessInfo.legalBusinessName'),
          business(dbaName, 'kybData.businessInfo.dbaName'),
          business(businessName, 'businessName'),
          ...(kybData?.associatedPersons ?? []).map((each, at) => personOf(each, `kybData.associatedPersons[${at}]`)),
        ]
  const seen = new Set<string>()
  // The name on creation is mostly the legal one again.
  return parties.filter(({ name, dateOfBirth = '' }) => {
    const key = `${name.toLowerCase()} ${dateOfBirth}`
    const isNew = name !== '' && !seen.has(key)
    seen.add(key)
    return isNew
  })
}

function personOf(person: Person | undefined, path: string): ScreenedName {
  const { legalFirstName, legalMiddleName, legalLastName, dateOfBirth } = person ?? {}
  return individual([legalFirstName, legalMiddleName, legalLastName], dateOfBirth, `${path}.legalLastName`)
}

function individual(
  words: readonly (string | undefined)[],
  dateOfBirth: string | undefined,
  field: string,
): ScreenedName {
  return { kind: 'INDIVIDUAL', name: joined(words), field, ...(dateOfBirth ? { dateOfBirth } : {}) }
}

function business(name: string | undefined, field: string): ScreenedName {
  return { kind: 'BUSINESS', name: joined([name]), field }
}

function joined(words: readonly (string | undefined)[]): string {
  return words
    .map((word) => word?.trim())
    .filter(Boolean)
    .join(' ')
}
