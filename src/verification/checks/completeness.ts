import type { IssueCode } from '../../catalog/issues/verification-issues.ts'
import { needsPostalCode } from '../../catalog/postal-codes/postal-codes.ts'
import { enforcedRegions } from '../../catalog/regions.ts'
import type { Address, KybData } from '../../customers/identity/identity.ts'
import { type Finding, isBlank, needsInformation, type Person, type Submission } from '../submission.ts'
import { isGovernmentId } from './documents/document-kinds.ts'

const missing: IssueCode = 'API_DATA_REQUIREMENTS_NOT_MET'

/** Asks for the missing fields of the customer itself; checkPersonCompleteness asks for those of each person. */
export function checkCompleteness({ customerType, identity: { kycData, kybData } }: Submission): Finding[] {
  if (customerType === 'BUSINESS') return checkBusiness(kybData ?? {})
  // The contract requires it of individuals alone.
  return require(missing, { 'kycData.phoneNumber': kycData?.phoneNumber })
}

/**
 * Asks for name, birth date, address and identification number, which 31 CFR 1020.220 requires of customers and 31 CFR
 * 1010.230 of the owners and controllers of a business; and for the nationality, which the contract requires.
 */
export function checkPersonCompleteness(person: Person, path: string): Finding[] {
  return [
    ...require('MISSING_NAME', {
      [`${path}.legalFirstName`]: person.legalFirstName,
      [`${path}.legalLastName`]: person.legalLastName,
    }),
    ...require(missing, {
      [`${path}.dateOfBirth`]: person.dateOfBirth,
      [`${path}.nationality`]: person.nationality,
    }),
    ...checkAddressParts(person.address, `${path}.address`),
    ...checkIdDetails(person, path),
  ]
}

/** Asks for all three parts of a national id, unless none is given and a government id has a number. */
function checkIdDetails(person: Person, path: string): Finding[] {
  const parts = {
    [`${path}.nationalIdType`]: person.nationalIdType,
    [`${path}.nationalIdNumber`]: person.nationalIdNumber,
    [`${path}.nationalIdIssuingCountry`]: person.nationalIdIssuingCountry,
  }
  const hasNone = Object.values(parts).every(isBlank)
  const hasOther = (person.documents ?? []).some((each) => isGovernmentId(each) && !isBlank(each.documentIdNumber))
  return hasNone && hasOther ? [] : require('MISSING_ID_DETAILS', parts)
}

function checkBusiness(kybData: KybData): Finding[] {
  const { businessInfo, associatedPersons = [], businessDocuments = [] } = kybData
  const hasControlPerson = associatedPersons.some(({ isControlPerson }) => isControlPerson === true)
  return [
    ...require('MISSING_NAME', { 'kybData.businessInfo.legalBusinessName': businessInfo?.legalBusinessName }),
    ...require(missing, {
      'kybData.businessInfo.registrationCountry': businessInfo?.registrationCountry,
      'kybData.businessInfo.formationDate': businessInfo?.formationDate,
      'kybData.businessRegistrationNumber': kybData.businessRegistrationNumber,
    }),
    ...checkAddressParts(kybData.businessRegisteredAddress, 'kybData.businessRegisteredAddress'),
    // 31 CFR 1010.230(d): each owner of a quarter or more, and one person who controls the business.
    ...(hasControlPerson ? [] : [needsInformation(missing, 'kybData.associatedPersons')]),
    ...(businessDocuments.length > 0 ? [] : [needsInformation(missing, 'kybData.businessDocuments')]),
  ]
}

function checkAddressParts(address: Address | undefined, path: string): Finding[] {
  if (address === undefined) return [needsInformation(missing, path)]
  const { countryCode = '', streetLine1, city, postalCode, stateRegionProvince } = address
  return require(missing, {
    [`${path}.countryCode`]: countryCode,
    [`${path}.streetLine1`]: streetLine1,
    [`${path}.city`]: city,
    ...(needsPostalCode(countryCode) ? { [`${path}.postalCode`]: postalCode } : {}),
    ...(Object.hasOwn(enforcedRegions, countryCode) ? { [`${path}.stateRegionProvince`]: stateRegionProvince } : {}),
  })
}

function require(code: IssueCode, fields: Readonly<Record<string, string | undefined>>): Finding[] {
  return Object.entries(fields)
    .filter(([, value]) => isBlank(value))
    .map(([field]) => needsInformation(code, field))
}
