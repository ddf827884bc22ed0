import type { ScreenedName } from '../../screening/screening.ts'
import type { Person, Submission } from '../submission.ts'

type Named = Pick<Submission, 'customerType' | 'identity' | 'profile'>

/**
 * Lists the names of a submission to screen: each person and business by the legal name and the name on creation. The
 * customer declares the type, and a listed person may be declared a business, so its names are compared as both.
 */
export function namesToScreen({ customerType, identity, profile }: Named): ScreenedName[] {
  const { kycData, kybData } = identity
  const { firstName, lastName, businessName } = profile
  const { legalBusinessName, dbaName } = kybData?.businessInfo ?? {}
  const birth = kycData?.dateOfBirth
  const names =
    customerType === 'INDIVIDUAL'
      ? [personOf(kycData, 'kycData'), individual([firstName, lastName], birth, 'name')]
      : [
          ...businessAndPerson(legalBusinessName, 'kybData.businessInfo.legalBusinessName'),
          ...businessAndPerson(dbaName, 'kybData.businessInfo.dbaName'),
          ...businessAndPerson(businessName, 'businessName'),
          ...(kybData?.associatedPersons ?? []).map((each, at) => personOf(each, `kybData.associatedPersons[${at}]`)),
        ]
  const seen = new Set<string>()
  // The name on creation is mostly the legal one: screen each name once.
  return names.filter(({ kind, name, dateOfBirth = '' }) => {
    const key = `${kind} ${name.toLowerCase()} ${dateOfBirth}`
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
  return { kind: 'INDIVIDUAL', name: joinWords(words), field, ...(dateOfBirth ? { dateOfBirth } : {}) }
}

function businessAndPerson(given: string | undefined, field: string): ScreenedName[] {
  const name = joinWords([given])
  return [
    { kind: 'BUSINESS', name, field },
    { kind: 'INDIVIDUAL', name, field },
  ]
}

function joinWords(words: readonly (string | undefined)[]): string {
  return words
    .map((word) => word?.trim())
    .filter(Boolean)
    .join(' ')
}
