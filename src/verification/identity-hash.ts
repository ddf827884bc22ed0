import { createHmac } from 'node:crypto'
import { documentKindOf } from '../catalog/codes/identity-documents.ts'
import { nationalIdTypeOf } from '../catalog/codes/national-id-types.ts'
import type { Identity, IdentityDocument, NationalId } from '../customers/identity/identity.ts'
import { normalizeDocumentNumber } from '../screening/document-number.ts'
import { isGovernmentId } from './checks/documents/document-kinds.ts'

/** Normalizes a national id in any words for its kind: US|SSN|123456789. Undefined when a part is missing. */
export function nationalIdText(id: NationalId): string | undefined {
  const { nationalIdIssuingCountry: country = '', nationalIdType: type = '' } = id
  return join(country, nationalIdTypeOf(country, type) ?? type, id.nationalIdNumber)
}

/** Normalizes a government id: DOCUMENT|US|PASSPORT|X1234567. Undefined for other documents. */
export function documentText(document: IdentityDocument): string | undefined {
  const { subtype = '' } = document
  const text = join(document.countryCode, documentKindOf(subtype) ?? subtype, document.documentIdNumber)
  return text !== undefined && isGovernmentId(document) ? `DOCUMENT|${text}` : undefined
}

/** Lists the identifiers in a submission that belong to one person or business alone, each once. */
export function identityTexts({ kycData, kybData }: Identity): string[] {
  const people = [kycData ?? {}, ...(kybData?.associatedPersons ?? [])]
  const { registrationCountry } = kybData?.businessInfo ?? {}
  const texts = [
    ...people.map(nationalIdText),
    ...people.flatMap(({ documents }) => (documents ?? []).map(documentText)),
    join(registrationCountry, 'BUSINESS_REGISTRATION', kybData?.businessRegistrationNumber),
  ]
  return [...new Set(texts.filter((text) => text !== undefined))]
}

/** Hashes the identifiers with a key: a plain hash of a national id could be guessed by trying all numbers. */
export function identityHashes(key: Buffer, identity: Identity): Buffer[] {
  return identityTexts(identity).map((text) => createHmac('sha256', key).update(text).digest())
}

function join(country: string | undefined, type: string | undefined, number: string | undefined): string | undefined {
  const plainCode = (code = '') => code.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '')
  const [where, what, which] = [plainCode(country), plainCode(type), normalizeDocumentNumber(number ?? '')]
  return where === '' || what === '' || which === '' ? undefined : `${where}|${what}|${which}`
}
