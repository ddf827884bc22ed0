import { makeApplicant } from '../applicants.ts'
import type { Kind } from './kind.ts'

type Applicant = ReturnType<typeof makeApplicant>
type Document = Record<string, unknown>

const named = { firstName: 'Ada', lastName: 'Example' }

/** The applicant's data without these fields. */
function without(...names: (keyof Applicant)[]): object {
  return Object.fromEntries(
    Object.entries(makeApplicant()).filter(([name]) => !names.includes(name as keyof Applicant)),
  )
}

/** An applicant whose passport has these changes; a field set to undefined is left out. */
function withDocument(changes: Document, more: object = {}): object {
  const applicant = makeApplicant(more)
  const [passport] = applicant.documents
  return { ...applicant, documents: [{ ...passport, ...changes }] }
}

function withProof(changes: Document): object {
  const applicant = makeApplicant()
  const [passport] = applicant.documents
  const proof = {
    type: 'PROOF_OF_ADDRESS',
    issuanceDate: daysAgo(20),
    proofOfAddressImage: passport?.frontIdImage,
    ...changes,
  }
  return { ...applicant, documents: [passport, proof] }
}

const image = makeApplicant().documents[0]?.frontIdImage
const address = (changes: object) => ({ address: { ...makeApplicant().address, ...changes } })

/** A date in the past by the calendar of this machine, which the sandbox starts with. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

const asked = 'NEEDS_ADDITIONAL_INFORMATION'
const reviewed = 'with a reviewer'
const restOfPerson = ['API_DATA_REQUIREMENTS_NOT_MET', 'MISSING_ID_DETAILS', 'NO_GOVERNMENT_ID']
const bothOurs = 'names are compared only where both were given'
const correctable = 'the contract puts ID_DATA_MISMATCH under "review and correct the information"'
const sameSsn = '219-45-8765'

// biome-ignore format: a table is read by column
export const individuals: readonly Kind[] = [
  { kind: 'complete', profile: named, data: makeApplicant(), ends: 'ACTIVE', codes: [] },

  // Names
  { kind: 'the first name alone', profile: named, data: { legalFirstName: 'Ada' }, ends: asked, codes: ['MISSING_NAME', ...restOfPerson], why: bothOurs },
  { kind: 'the last name alone', profile: named, data: { legalLastName: 'Example' }, ends: asked, codes: ['MISSING_NAME', ...restOfPerson], why: bothOurs },
  { kind: 'complete but for the last name', profile: named, data: without('legalLastName'), ends: asked, codes: ['MISSING_NAME'], why: bothOurs },
  { kind: 'complete but for the first name', profile: named, data: without('legalFirstName'), ends: asked, codes: ['MISSING_NAME'], why: bothOurs },
  { kind: 'no name on creation, the first name alone', data: { legalFirstName: 'Ada' }, ends: asked, codes: ['MISSING_NAME', ...restOfPerson] },
  { kind: 'both legal names alone', profile: named, data: { legalFirstName: 'Ada', legalLastName: 'Example' }, ends: asked, codes: restOfPerson },
  { kind: 'a phone number alone', profile: named, data: { phoneNumber: '+14155550123' }, ends: asked, codes: ['MISSING_NAME', ...restOfPerson] },
  { kind: 'another name than on creation', profile: named, data: makeApplicant({ legalFirstName: 'Zoe', legalLastName: 'Quill' }), ends: asked, codes: ['ID_DATA_MISMATCH'], why: correctable },
  { kind: 'a married name', profile: named, data: makeApplicant({ legalLastName: 'Quill' }), ends: asked, codes: ['ID_DATA_MISMATCH'], why: correctable },
  { kind: 'another name and no document', profile: named, data: makeApplicant({ legalFirstName: 'Zoe', legalLastName: 'Quill', documents: [] }), ends: asked, codes: ['ID_DATA_MISMATCH', 'NO_GOVERNMENT_ID'], why: correctable },
  { kind: 'a nickname on creation', profile: { firstName: 'Bill', lastName: 'Example' }, data: makeApplicant({ legalFirstName: 'William' }), ends: 'ACTIVE', codes: [] },
  { kind: 'a nickname that shares no letters', profile: { firstName: 'Peggy', lastName: 'Example' }, data: makeApplicant({ legalFirstName: 'Margaret' }), ends: 'ACTIVE', codes: [], why: 'Peggy is a known short form of Margaret' },
  { kind: 'first and last name swapped', profile: named, data: makeApplicant({ legalFirstName: 'Example', legalLastName: 'Ada' }), ends: 'ACTIVE', codes: [] },

  // Documents
  { kind: 'an expired document', data: withDocument({ expirationDate: '2024-02-28' }), ends: asked, codes: ['DOCUMENT_EXPIRED'] },
  { kind: 'no document', data: makeApplicant({ documents: [] }), ends: asked, codes: ['NO_GOVERNMENT_ID'] },
  { kind: 'an identity card without its back', data: withDocument({ subtype: 'NATIONAL_ID' }), ends: asked, codes: ['DOCUMENT_MISSING_BACK'] },
  { kind: 'a document without pictures', data: withDocument({ frontIdImage: undefined }), ends: asked, codes: ['DOCUMENT_MISSING_FRONT'] },
  { kind: 'a document without number', data: withDocument({ documentIdNumber: undefined }), ends: asked, codes: ['MISSING_DOCUMENT_NUMBER'] },
  { kind: 'a document without dates', data: withDocument({ issuanceDate: undefined, expirationDate: undefined }), ends: asked, codes: ['MISSING_EXPIRY_DATE', 'MISSING_ISSUE_DATE'] },
  { kind: 'document number 00000000', data: withDocument({ documentIdNumber: '00000000' }), ends: asked, codes: ['ID_NUMBER_NOT_VERIFIED'], why: 'the customer can enter the number that the document shows' },
  { kind: 'a passport of another country than the nationality', data: withDocument({ countryCode: 'FR' }), ends: asked, codes: ['ID_COUNTRY_MISMATCH'] },
  { kind: 'a driving licence, DRIVERS_LICENSE', data: withDocument({ subtype: 'DRIVERS_LICENSE', backIdImage: image }), ends: 'ACTIVE', codes: [] },
  { kind: 'a driving licence, DRIVING_LICENSE', data: withDocument({ subtype: 'DRIVING_LICENSE', backIdImage: image }), ends: 'ACTIVE', codes: [] },

  // Addresses
  { kind: 'only a post office box', data: makeApplicant(address({ streetLine1: 'PO Box 123' })), ends: asked, codes: ['ID_REQUIRES_ADDITIONAL_VERIFICATION'], why: 'an address issue of the contract: the customer gives the street' },
  { kind: 'a post office box and no document', data: makeApplicant({ ...address({ streetLine1: 'PO Box 123' }), documents: [] }), ends: asked, codes: ['ID_REQUIRES_ADDITIONAL_VERIFICATION', 'NO_GOVERNMENT_ID'] },
  { kind: 'a postal code of another state', data: makeApplicant(address({ postalCode: '10001' })), ends: asked, codes: ['DATABASE_CHECK_FAILED_ON_POSTAL_CODE'], why: 'an address issue of the contract' },
  { kind: 'a street of four spaces', data: makeApplicant(address({ streetLine1: '    ' })), ends: asked, codes: ['API_DATA_REQUIREMENTS_NOT_MET'], why: 'blanks are not content' },
  { kind: 'a street of digits', data: makeApplicant(address({ streetLine1: '1234' })), ends: 'ACTIVE', codes: [], why: 'the contract asks for four characters' },
  { kind: 'no postal code', data: makeApplicant(address({ postalCode: undefined })), ends: asked, codes: ['API_DATA_REQUIREMENTS_NOT_MET'] },
  { kind: 'no proof of address', data: makeApplicant(), ends: 'ACTIVE', codes: [], why: 'the flow does not require one' },
  { kind: 'an old proof of address', data: withProof({ issuanceDate: daysAgo(200) }), ends: asked, codes: ['ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY'] },
  { kind: 'a recent proof of address without subtype', data: withProof({}), ends: 'ACTIVE', codes: [] },
  { kind: 'a utility bill', data: withProof({ subtype: 'UTILITY_BILL' }), ends: 'ACTIVE', codes: [] },
  { kind: 'a passport as proof of address', data: withProof({ subtype: 'PASSPORT' }), ends: asked, codes: ['INCORRECT_ID_TYPE'] },
  { kind: 'a proof of address and no government id', data: { ...withProof({}), documents: [{ type: 'PROOF_OF_ADDRESS', issuanceDate: daysAgo(20), proofOfAddressImage: image }] }, ends: asked, codes: ['NO_GOVERNMENT_ID'] },

  // Age and phone
  { kind: 'seventeen years old', data: makeApplicant({ dateOfBirth: daysAgo(17 * 365.25 + 100) }), ends: reviewed, codes: ['ADDITIONAL_WARNING'], why: 'no correction makes a minor older, and a question would invite a false birth date' },
  { kind: 'born in the future', data: makeApplicant({ dateOfBirth: daysAgo(-30) }), ends: asked, codes: ['INVALID_PARAMETERS'] },
  { kind: '130 years old', data: makeApplicant({ dateOfBirth: daysAgo(130 * 365.25) }), ends: asked, codes: ['INVALID_PARAMETERS'] },
  { kind: 'a phone number of another country', data: makeApplicant({ phoneNumber: '+4930901820' }), ends: 'ACTIVE', codes: [] },
  { kind: 'an impossible phone number', data: makeApplicant({ phoneNumber: '+10005550123' }), ends: asked, codes: ['INVALID_PARAMETERS'], why: 'the customer can correct it' },
  { kind: 'an impossible phone number and no document', data: makeApplicant({ phoneNumber: '+10005550123', documents: [] }), ends: asked, codes: ['INVALID_PARAMETERS', 'NO_GOVERNMENT_ID'] },

  // Numbers and codes
  { kind: 'an impossible SSN', data: makeApplicant({ nationalIdNumber: '000-45-6789' }), ends: asked, codes: ['ID_NUMBER_NOT_VERIFIED'] },
  { kind: 'an unknown kind of national id', data: makeApplicant({ nationalIdType: 'FOO_ID' }), ends: reviewed, codes: ['VERIFICATION_ISSUE'], why: 'the United States have rules, which an unknown kind would evade' },
  { kind: 'a number of a country without rules', data: makeApplicant({ nationalIdIssuingCountry: 'TG', nationalIdType: 'TIN', nationalIdNumber: '1000123456' }), ends: 'ACTIVE', codes: [] },
  { kind: 'no national id but a passport', data: without('nationalIdType', 'nationalIdNumber', 'nationalIdIssuingCountry'), ends: 'ACTIVE', codes: [] },
  { kind: 'employment FREELANCER', data: makeApplicant({ employmentStatus: 'FREELANCER' }), ends: 'ACTIVE', codes: [] },
  { kind: 'funds from CROWDFUNDING', data: makeApplicant({ sourceOfFunds: 'CROWDFUNDING' }), ends: 'ACTIVE', codes: [] },
  { kind: 'no employment, source of funds or purpose', data: without('employmentStatus', 'sourceOfFunds', 'accountPurpose', 'expectedMonthlyPaymentsUsd'), ends: 'ACTIVE', codes: [] },
  { kind: 'nationality IR', data: withDocument({ countryCode: 'IR' }, { nationality: 'IR' }), ends: reviewed, codes: ['ADDITIONAL_WARNING'], why: 'an embargo: nothing to correct, a reviewer judges' },
  { kind: 'acts for others', data: makeApplicant({ isIntermediary: true }), ends: 'ACTIVE', codes: [] },
  { kind: 'an SSN for the first time', data: makeApplicant({ nationalIdNumber: sameSsn }), ends: 'ACTIVE', codes: [] },
]

/** Submitted after the others have ended. */
// biome-ignore format: a table is read by column
export const afterwards: readonly Kind[] = [
  { kind: 'the SSN of another customer', data: makeApplicant({ nationalIdNumber: sameSsn }), ends: reviewed, codes: ['ID_PREVIOUSLY_SEEN'], why: 'seen before comes first' },
  { kind: 'the SSN of another customer and no document', data: makeApplicant({ nationalIdNumber: sameSsn, documents: [] }), ends: reviewed, codes: ['ID_PREVIOUSLY_SEEN', 'NO_GOVERNMENT_ID'], why: 'seen before comes first' },
]
