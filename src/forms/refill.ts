import { type IssueCode, isAlarm, isIssueCode } from '../catalog/issues/verification-issues.ts'
import type { CustomerType, Requirement } from '../customers/customer.ts'
import type { AssociatedPerson, Identity, KycData } from '../customers/identity/identity.ts'
import { isCountryOfAddress, parsePath, schemaAt } from './paths.ts'

/** A correction that the form asks for, with the fields that it opens. */
export type Correction = {
  /** The issue, for which the pages have words. Absent for an alarm: its code would tip the customer off. */
  issue?: string
  /** The field that the issue names. */
  about?: string
  opens: string[]
  /** True when the customer can only contact support. */
  isForSupport: boolean
  /** True when only a new picture can answer the issue. */
  needsFile: boolean
}

/** The parts of a form that an issue without a field is about. */
type Part =
  | 'names'
  | 'firstName'
  | 'lastName'
  | 'birthDate'
  | 'nationality'
  | 'nationalId'
  | 'address'
  | 'street'
  | 'city'
  | 'region'
  | 'postalCode'
  | 'front'
  | 'back'
  | 'number'
  | 'issued'
  | 'expires'
  | 'documentKind'
  | 'proof'

const wholeDocument: readonly Part[] = ['documentKind', 'number', 'issued', 'expires', 'front', 'back']
const pictures: readonly Part[] = ['front', 'back']
const everything: readonly Part[] = ['names', 'birthDate', 'address', 'nationalId', ...wholeDocument]

/** The parts that each issue opens when it names no field. An issue that is not here can only be told. */
// biome-ignore format: a table is read by column
const partsByCode: Partial<Record<IssueCode, readonly Part[]>> = {
  DOCUMENT_MISSING_BACK:                           ['back'],
  DOCUMENT_BACK_MISSING:                           ['back'],
  DOCUMENT_MISSING_FRONT:                          ['front'],
  DOCUMENT_FRONT_OR_BACK_MISSING:                  pictures,
  DOCUMENT_NUMBER_UNREADABLE:                      ['number', ...pictures],
  DOC_QUALITY_POOR:                                pictures,
  NAME_UNREADABLE:                                 pictures,
  NO_FACE_PORTRAIT:                                ['front'],
  SCREEN_DETECTED:                                 pictures,
  MISSING_ID_DETAILS:                              ['documentKind', 'number', 'issued', 'expires'],
  DOCUMENT_EXPIRED:                                wholeDocument,
  NO_GOVERNMENT_ID:                                wholeDocument,
  DOCUMENT_NOT_FOUND:                              wholeDocument,
  UNREADABLE_DOCUMENT:                             pictures,
  UNRECOGNIZED_DOCUMENT:                           wholeDocument,
  MISSING_DOCUMENT_NUMBER:                         ['number'],
  MISSING_ISSUE_DATE:                              ['issued'],
  MISSING_EXPIRY_DATE:                             ['expires'],
  ID_REQUIRES_ADDITIONAL_VERIFICATION:             ['address', 'proof'],
  DATABASE_CHECK_FAILED_ON_STREET_NAME:            ['street'],
  DATABASE_CHECK_FAILED_ON_CITY:                   ['city'],
  DATABASE_CHECK_FAILED_ON_SUBDIVISION:            ['region'],
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE:            ['postalCode'],
  ADDRESS_TOO_SHORT:                               ['street'],
  ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY:   ['proof'],
  ADDRESS_DOCUMENT_MISSING_NAME:                   ['proof'],
  ADDRESS_DOCUMENT_MISSING_ADDRESS:                ['proof'],
  ADDRESS_DOCUMENT_UNRECOGNIZED_DOCUMENT:          ['proof'],
  ADDRESS_DOCUMENT_NAME_VERIFICATION_FAILED:       ['proof'],
  ID_DATA_MISMATCH:                                ['names', 'birthDate', 'nationalId', 'number'],
  INVALID_PARAMETERS:                              everything,
  INCORRECT_ID_TYPE:                               wholeDocument,
  ID_COUNTRY_MISMATCH:                             ['nationality', 'documentKind', ...pictures],
  GOVERNMENT_ID_VERIFICATION_FAILED:               wholeDocument,
  DATABASE_CHECK_FAILED_ON_NAME_FIRST:             ['firstName'],
  DATABASE_CHECK_FAILED_ON_NAME_LAST:              ['lastName'],
  DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER: ['nationalId'],
  INCONSISTENT_INFORMATION:                        everything,
  INCONSISTENT_DETAILS:                            everything,
  NAME_VERIFICATION_FAILED:                        ['names', ...pictures],
  ID_TYPE_MISMATCH:                                ['documentKind', ...pictures],
  BIRTH_DATE_MISMATCH:                             ['birthDate'],
  ID_NUMBER_NOT_VERIFIED:                          ['nationalId', 'number'],
  MISSING_NAME:                                    ['names'],
  ID_NOT_ALLOWED:                                  wholeDocument,
  API_DATA_REQUIREMENTS_NOT_MET:                   everything,
}

/** Tells which fields the form opens for each thing that is due, and nothing else. */
export function findCorrections(
  due: readonly Requirement[],
  customerType: CustomerType,
  identity: Identity,
): Correction[] {
  const open = createOpening(due, customerType, identity)
  return due.map((requirement) => {
    const { field } = requirement
    const issue = issueOf(requirement)
    if (issue && isAlarm(issue)) return { opens: [], isForSupport: true, needsFile: false }
    const opens = open(requirement)
    const needsFile = isWhole(field) && isAboutFiles(issue) && opens.length > 0
    const named = { ...(issue ? { issue } : {}), ...(isWhole(field) ? {} : { about: field }) }
    return { ...named, opens, isForSupport: opens.length === 0, needsFile }
  })
}

function issueOf({ code }: Requirement): IssueCode | undefined {
  return isIssueCode(code) ? code : undefined
}

function isWhole(field: string): boolean {
  return field === 'kycData' || field === 'kybData'
}

function isAboutFiles(code: IssueCode | undefined): boolean {
  const parts = (code && partsByCode[code]) ?? []
  return parts.length > 0 && parts.every((part) => part === 'front' || part === 'back' || part === 'proof')
}

/** Finds the fields that a requirement opens. New documents of a person get a place each. */
function createOpening(due: readonly Requirement[], customerType: CustomerType, identity: Identity) {
  /** The parts of a person that a requirement is about; undefined when it names a field. */
  const partsOf = (requirement: Requirement): { path: string; parts: readonly Part[] } | undefined => {
    const [, owner] = /^(.*)\.documents$/.exec(requirement.field) ?? []
    if (owner !== undefined && parsePath(owner)) return { path: owner, parts: wholeDocument }
    const issue = issueOf(requirement)
    return isWhole(requirement.field)
      ? { path: requirement.field, parts: (issue && partsByCode[issue]) ?? [] }
      : undefined
  }
  const all = due.map((requirement) => ({ requirement, found: partsOf(requirement) }))
  /** Tells whether one of the requirements asks for the identity document of a person. */
  const asksForId = (path: string) =>
    all.some(
      ({ requirement: { field }, found }) =>
        (found?.path === path && found.parts.some((part) => wholeDocument.includes(part))) ||
        field.startsWith(`${path}.documents[`),
    )
  return (requirement: Requirement): string[] => {
    const { field } = requirement
    const found = partsOf(requirement)
    if (found && customerType === 'BUSINESS' && isWhole(field)) return businessFields(found.parts, identity)
    if (found) return personFields(found.parts, found.path, personAt(identity, found.path), asksForId(found.path))
    return namedFields(field)
  }
}

/** The fields that an issue names, with those that are given together with them. */
function namedFields(field: string): string[] {
  const steps = parsePath(field)
  if (steps === undefined) return []
  // Lists of people and of documents are pages of their own.
  if (field === 'kybData.associatedPersons' || field === 'kybData.businessDocuments') return [field]
  const schema = schemaAt(steps)
  if (schema?.properties === undefined) return withNeighbours(field)
  return Object.entries(schema.properties).flatMap(([name, inner]) =>
    inner.properties || inner.items?.properties || name === 'locale' ? [] : [`${field}.${name}`],
  )
}

function personAt({ kycData, kybData }: Identity, path: string): KycData | AssociatedPerson | undefined {
  const at = parsePath(path)?.[2]
  return typeof at === 'number' ? kybData?.associatedPersons?.[at] : kycData
}

/** Fields that are given together: those of a national id, an address in another country, a new document's dates and picture. */
function withNeighbours(field: string): string[] {
  const nationalId = /^(.*\.)nationalId\w+$/.exec(field)
  if (nationalId) return nationalIdFields.map((name) => `${nationalId[1]}${name}`)
  if (isCountryOfAddress(parsePath(field) ?? [])) return addressFields(field.replace(/\.countryCode$/, ''))
  const expires = /^(.*\.)expirationDate$/.exec(field)
  return expires
    ? ['documentIdNumber', 'issuanceDate', 'expirationDate', 'frontIdImage', 'backIdImage'].map(
        (name) => `${expires[1]}${name}`,
      )
    : [field]
}

const nationalIdFields = ['nationalIdIssuingCountry', 'nationalIdType', 'nationalIdNumber']

function personFields(
  parts: readonly Part[],
  path: string,
  person: KycData | AssociatedPerson | undefined,
  asksForId: boolean,
): string[] {
  const documents = person?.documents ?? []
  const find = (type: string) => documents.findIndex((each) => each.type === type)
  const placeOf = (found: number, ifNew: number) => `${path}.documents[${found === -1 ? ifNew : found}]`
  const isNewId = find('GOVERNMENT_ID') === -1
  const id = placeOf(find('GOVERNMENT_ID'), documents.length)
  // A new proof of address comes after a new identity document, if that is asked for as well.
  const proof = placeOf(find('PROOF_OF_ADDRESS'), documents.length + (isNewId && asksForId ? 1 : 0))
  const address = `${path}.address`
  const fields: Record<Part, string[]> = {
    names: [`${path}.legalFirstName`, `${path}.legalMiddleName`, `${path}.legalLastName`],
    firstName: [`${path}.legalFirstName`],
    lastName: [`${path}.legalLastName`],
    birthDate: [`${path}.dateOfBirth`],
    nationality: [`${path}.nationality`],
    nationalId: nationalIdFields.map((name) => `${path}.${name}`),
    address: addressFields(address),
    street: [`${address}.streetLine1`, `${address}.streetLine2`],
    city: [`${address}.city`],
    region: [`${address}.stateRegionProvince`],
    postalCode: [`${address}.postalCode`],
    front: [`${id}.frontIdImage`],
    back: [`${id}.backIdImage`],
    number: [`${id}.documentIdNumber`],
    issued: [`${id}.issuanceDate`],
    expires: [`${id}.expirationDate`],
    documentKind: [`${id}.subtype`, `${id}.countryCode`],
    proof: [`${proof}.subtype`, `${proof}.issuanceDate`, `${proof}.proofOfAddressImage`],
  }
  return [...new Set(parts.flatMap((part) => fields[part]))]
}

function addressFields(address: string): string[] {
  const names = ['countryCode', 'streetLine1', 'streetLine2', 'city', 'stateRegionProvince', 'postalCode']
  return names.map((name) => `${address}.${name}`)
}

/** The parts of a person in the fields of a business: its name, its address, its papers, and the people behind it. */
function businessFields(parts: readonly Part[], { kybData }: Identity): string[] {
  const address = 'kybData.businessRegisteredAddress'
  const fieldsOf = (part: Part): string[] => {
    if (['names', 'firstName', 'lastName'].includes(part)) return ['kybData.businessInfo.legalBusinessName']
    if (part === 'address') return addressFields(address)
    if (part === 'street') return [`${address}.streetLine1`, `${address}.streetLine2`]
    if (part === 'city' || part === 'postalCode') return [`${address}.${part}`]
    if (part === 'region') return [`${address}.stateRegionProvince`]
    if (part === 'proof') return ['kybData.businessDocuments']
    if (part === 'nationalId' || part === 'number') return ['kybData.businessRegistrationNumber']
    return []
  }
  const isAboutPeople = parts.some((part) => [...wholeDocument, 'birthDate', 'nationality'].includes(part))
  const people = isAboutPeople && (kybData?.associatedPersons?.length ?? 0) > 0 ? ['kybData.associatedPersons'] : []
  return [...new Set([...parts.flatMap(fieldsOf), ...people])]
}
