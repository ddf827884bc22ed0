import { documentTypes } from '../../../catalog/coded-fields.ts'
import { documentKindOf } from '../../../catalog/codes/identity-documents.ts'
import type { IdentityDocument, StoredImage } from '../../../customers/identity/identity.ts'
import { dayOf, isRealDay } from '../../../lib/calendar.ts'
import { type Finding, isBlank, needsInformation, type Person } from '../../submission.ts'
import { documentsWithPaths, hasTwoSides, isGovernmentId } from './document-kinds.ts'

/** National ids of these countries show no date of expiry, or are issued for life. */
const cardsWithoutExpiry: readonly string[] = ['BR', 'CO', 'HK', 'ID', 'IN', 'KE', 'KR', 'MY', 'NG', 'SG', 'TW', 'ZA']

/** Checks every document, and that one of them is a photo ID of a government. */
export function checkDocuments({ documents }: Person, path: string, now: Date): Finding[] {
  const each = documentsWithPaths(documents, path)
  const known: readonly string[] = documentTypes
  return [
    ...(each.some(({ document }) => isGovernmentId(document))
      ? []
      : [needsInformation('NO_GOVERNMENT_ID', `${path}.documents`)]),
    ...each
      .filter(({ document }) => !known.includes(document.type ?? ''))
      .map((unknown) => needsInformation('INCORRECT_ID_TYPE', `${unknown.path}.type`)),
    ...each
      .filter(({ document }) => isGovernmentId(document))
      .flatMap((id) => [
        ...checkDetails(id.document, id.path),
        ...checkSides(id.document, id.path),
        ...checkDates(id.document, id.path, dayOf(now)),
      ]),
    ...each.flatMap(({ document, path: at }) => [
      ...checkScreen(document.frontIdImage, `${at}.frontIdImage`),
      ...checkScreen(document.backIdImage, `${at}.backIdImage`),
      ...checkScreen(document.proofOfAddressImage, `${at}.proofOfAddressImage`),
    ]),
  ]
}

function checkDetails(document: IdentityDocument, path: string): Finding[] {
  const { subtype, countryCode, documentIdNumber } = document
  const plain = (documentIdNumber ?? '').replaceAll(/[^\p{L}\p{N}]/gu, '')
  // A card of a school or an employer.
  const isOtherCard = documentKindOf(subtype ?? '') === 'OTHER_CARD'
  const isMadeUp = plain.length > 3 && new Set(plain).size === 1
  return [
    ...(isBlank(subtype) ? [needsInformation('MISSING_ID_DETAILS', `${path}.subtype`)] : []),
    ...(isBlank(countryCode) ? [needsInformation('MISSING_ID_DETAILS', `${path}.countryCode`)] : []),
    ...(isOtherCard ? [needsInformation('ID_NOT_ALLOWED', `${path}.subtype`)] : []),
    ...(plain === '' ? [needsInformation('MISSING_DOCUMENT_NUMBER', `${path}.documentIdNumber`)] : []),
    // People type 00000000 to get past a form.
    ...(isMadeUp ? [needsInformation('ID_NUMBER_NOT_VERIFIED', `${path}.documentIdNumber`)] : []),
  ]
}

function checkSides({ subtype, frontIdImage, backIdImage }: IdentityDocument, path: string): Finding[] {
  const needsBack = hasTwoSides(subtype ?? '')
  return [
    ...(frontIdImage ? [] : [needsInformation('DOCUMENT_MISSING_FRONT', `${path}.frontIdImage`)]),
    ...(backIdImage || !needsBack ? [] : [needsInformation('DOCUMENT_MISSING_BACK', `${path}.backIdImage`)]),
  ]
}

/** A document is valid until the end of its last day, in UTC. */
function checkDates(document: IdentityDocument, path: string, today: string): Finding[] {
  const { issuanceDate, expirationDate } = document
  const [issued, expires] = [readDate(issuanceDate), readDate(expirationDate)]
  const contradicts = issued.day !== undefined && (issued.day > today || issued.day > (expires.day ?? issued.day))
  return [
    ...(issued.isMissing ? [needsInformation('MISSING_ISSUE_DATE', `${path}.issuanceDate`)] : []),
    ...(expires.isMissing && !neverExpires(document)
      ? [needsInformation('MISSING_EXPIRY_DATE', `${path}.expirationDate`)]
      : []),
    ...(issued.isWrong ? [needsInformation('INVALID_PARAMETERS', `${path}.issuanceDate`)] : []),
    ...(expires.isWrong ? [needsInformation('INVALID_PARAMETERS', `${path}.expirationDate`)] : []),
    ...(contradicts ? [needsInformation('INCONSISTENT_DETAILS', `${path}.issuanceDate`)] : []),
    ...((expires.day ?? today) < today ? [needsInformation('DOCUMENT_EXPIRED', `${path}.expirationDate`)] : []),
  ]
}

function readDate(text: string | undefined): { day: string | undefined; isMissing: boolean; isWrong: boolean } {
  const isMissing = isBlank(text)
  const isReal = !isMissing && isRealDay(text)
  return { day: isReal ? text : undefined, isMissing, isWrong: !isMissing && !isReal }
}

function neverExpires({ subtype, countryCode }: IdentityDocument): boolean {
  return documentKindOf(subtype ?? '') === 'NATIONAL_ID' && cardsWithoutExpiry.includes(countryCode ?? '')
}

/** Flags screenshots and photos of screens, as the contract asks. The upload recorded the hints. */
export function checkScreen(image: StoredImage | undefined, field: string): Finding[] {
  return (image?.screenHints?.length ?? 0) > 0 ? [needsInformation('SCREEN_DETECTED', field)] : []
}
