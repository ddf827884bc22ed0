import { describeIssue, type IssueCode, isAlarm, messageAbout } from '../catalog/issues/verification-issues.ts'

/** The fields in the customer's words. */
const labels: Readonly<Record<string, string>> = {
  legalFirstName: 'the legal first name',
  legalMiddleName: 'the legal middle name',
  legalLastName: 'the legal last name',
  phoneNumber: 'the phone number',
  dateOfBirth: 'the date of birth',
  nationality: 'the nationality',
  address: 'the address',
  countryCode: 'the country',
  streetLine1: 'the street and house number',
  streetLine2: 'the second line of the street',
  city: 'the city',
  stateRegionProvince: 'the state, region or province',
  postalCode: 'the postal code',
  nationalIdType: 'the type of the national ID',
  nationalIdNumber: 'the number of the national ID',
  nationalIdIssuingCountry: 'the country that issued the national ID',
  documents: 'the identity documents',
  type: 'the type',
  subtype: 'the kind',
  documentIdNumber: 'the number',
  issuanceDate: 'the date of issue',
  expirationDate: 'the date of expiry',
  frontIdImage: 'a picture of the front',
  backIdImage: 'a picture of the back',
  proofOfAddressImage: 'the picture',
  documentImage: 'the picture',
  legalBusinessName: 'the legal name of the business',
  registrationCountry: 'the country of registration',
  formationDate: 'the date of formation',
  businessRegistrationNumber: 'the registration number of the business',
  businessRegisteredAddress: 'the registered address',
  businessOperatingAddress: 'the operating address',
  associatedPersons: 'the people who own or control the business, with their shares',
  businessDocuments: 'a document of the business',
  sourceOfFunds: 'the source of funds',
  accountPurpose: 'the purpose of the account',
  highRiskActivitiesExplanation: 'an explanation of the high-risk activities',
  conductsMoneyServicesDescription: 'a description of the money services',
  conductsMoneyServicesThroughSvc: 'the answers about money services',
}

/** Objects that a field lies in. People are counted from one: an issue holds no personal data, and so no name. */
const places: Readonly<Record<string, (number: number) => string>> = {
  address: () => 'the address',
  businessRegisteredAddress: () => 'the registered address',
  businessOperatingAddress: () => 'the operating address',
  documents: (number) => `document ${number}`,
  businessDocuments: (number) => `business document ${number}`,
  associatedPersons: (number) => `person ${number}`,
}

const wrongShares =
  'Please check the shares of the people who own the business: together at most 100 %, all as percentages or all as ' +
  'fractions of one.'

/** Tells the customer what to correct, naming the field and the person. */
export function messageOf(code: IssueCode, field?: string): string {
  const what = field === undefined ? undefined : wordsOf(field)
  if (what === undefined || isAlarm(code)) return describeIssue(code).message
  if (code === 'INCONSISTENT_INFORMATION' && field === 'kybData.associatedPersons') return wrongShares
  if (code === 'INVALID_PARAMETERS' && /\.phoneNumber$/.test(field ?? '')) return unknownNumber(what)
  const isName = /(?:legalFirstName|legalLastName|legalBusinessName)$/.test(field ?? '')
  return code === 'ID_DATA_MISMATCH' && isName ? otherName(what) : messageAbout(code, what)
}

function otherName(what: string): string {
  return `Please check ${what}: it differs from the name that the customer was created with. Correct the one that is wrong.`
}

function unknownNumber(what: string): string {
  return `Please check ${what}: its country has no such number, as far as we know. If it is right, send it again.`
}

/** Writes a path in words: "the date of expiry of document 1 of person 2". Undefined for a field without words. */
export function wordsOf(field: string): string | undefined {
  const steps = field.split('.').slice(1)
  const last = steps.at(-1) ?? ''
  const label = labels[last] ?? (/\[\d+\]$/.test(last) ? placeOf(last) : undefined)
  const around = steps
    .slice(0, -1)
    .reverse()
    .flatMap((step) => placeOf(step) ?? [])
  return label === undefined ? undefined : [label, ...around].join(' of ')
}

function placeOf(step: string): string | undefined {
  const [, name = '', index = '0'] = /^(\w+?)(?:\[(\d+)\])?$/.exec(step) ?? []
  return places[name]?.(Number.parseInt(index, 10) + 1)
}
