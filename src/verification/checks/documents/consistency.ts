import type { IdentityDocument } from '../../../customers/identity/identity.ts'
import { dayOf } from '../../../lib/calendar.ts'
import { normalizeDocumentNumber } from '../../../screening/document-number.ts'
import { type Finding, isBlank, needsInformation, type Person } from '../../submission.ts'
import { documentsWithPaths, isGovernmentId, isPassport, provesAddress } from './document-kinds.ts'

/**
 * Cards of these countries have a number of their own besides the number of the person, so that the two differ
 * (Council of the European Union, PRADO; the registries of the others).
 */
const cardsWithOwnNumber: readonly string[] = (
  'AL AT BA BE BG CH CY CZ DE DK EE FI FR GR HR HU IE IS IT LI LT LU LV MD ME MK MT NL NO PL PT RO RS SE SI SK UA ' +
  'AE BR CL GE JP KZ MX TR'
).split(' ')

/** Compares the documents with the data of the person. */
export function checkConsistency(person: Person, path: string, now: Date): Finding[] {
  const ids = documentsWithPaths(person.documents, path).filter(({ document }) => isGovernmentId(document))
  return ids.flatMap(({ document, path: at }) => [
    ...(provesAddress(document.subtype ?? '') ? [needsInformation('INCORRECT_ID_TYPE', `${at}.subtype`)] : []),
    ...(isFromElsewhere(document, person) ? [needsInformation('ID_COUNTRY_MISMATCH', `${at}.countryCode`)] : []),
    ...(hasOtherNumber(document, person) ? [needsInformation('ID_DATA_MISMATCH', `${at}.documentIdNumber`)] : []),
    ...(isOlderThanPerson(document, person, dayOf(now))
      ? [needsInformation('INCONSISTENT_DETAILS', `${at}.issuanceDate`)]
      : []),
  ])
}

/** A passport proves a nationality; residents get other ids too. A person with two nationalities may use both. */
function isFromElsewhere({ countryCode, subtype }: IdentityDocument, person: Person): boolean {
  if (isBlank(countryCode) || isBlank(subtype) || isBlank(person.nationality)) return false
  const residence = isPassport(subtype) ? undefined : person.address?.countryCode
  return ![person.nationality, person.nationalIdIssuingCountry, residence].includes(countryCode)
}

function hasOtherNumber(document: IdentityDocument, person: Person): boolean {
  const { countryCode, subtype, documentIdNumber } = document
  const { nationalIdType, nationalIdNumber, nationalIdIssuingCountry } = person
  if (isBlank(documentIdNumber) || isBlank(nationalIdNumber) || isBlank(countryCode)) return false
  const areSameKind = subtype === 'NATIONAL_ID' && nationalIdType?.toUpperCase() === 'NATIONAL_ID'
  if (!areSameKind || countryCode !== nationalIdIssuingCountry || cardsWithOwnNumber.includes(countryCode)) return false
  return normalizeDocumentNumber(documentIdNumber) !== normalizeDocumentNumber(nationalIdNumber)
}

/** A birth date in the future is wrong by itself and says nothing about the document. */
function isOlderThanPerson({ issuanceDate }: IdentityDocument, { dateOfBirth }: Person, today: string): boolean {
  return !isBlank(issuanceDate) && !isBlank(dateOfBirth) && dateOfBirth <= today && issuanceDate < dateOfBirth
}
