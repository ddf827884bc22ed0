import { isCountryCode } from '../../catalog/countries.ts'
import { postalCodeProblem } from '../../catalog/postal-codes/postal-codes.ts'
import { isPostalCodeInRegion } from '../../catalog/postal-codes/postal-regions.ts'
import { regionProblem } from '../../catalog/regions.ts'
import type { Address } from '../../customers/identity/identity.ts'
import { type Finding, isBlank, needsInformation, needsReview, type Person, type Submission } from '../submission.ts'
import { isProofOfAddress } from './documents/document-kinds.ts'

/** The contract's minimum length of a street line. */
const minLength = 4

// English, French, Spanish, Portuguese, Italian, German and Dutch.
// biome-ignore format: a list of words
const boxWords = [
  'p\\.? ?o\\.? ?box', 'post ?office ?box', 'g\\.?p\\.?o\\.? ?box', 'locked bag', 'private (?:mail )?bag', 'bo[iî]te postale',
  'b\\.?p\\.? ?\\d+', 'apartado', 'casilla', 'caixa postal', 'casella postale', 'postfach', 'postbus',
]
const postOfficeBox = new RegExp(`\\b(?:${boxWords.join('|')})\\b`, 'iu')

export function checkPersonAddress({ address, documents = [] }: Person, path: string): Finding[] {
  const at = `${path}.address`
  const box = findPostOfficeBox(address)
  if (box === undefined) return checkAddress(address, at)
  // A customer who has nothing but the box has proved it: a reviewer judges whether that is enough.
  const isProved = documents.some((each) => isProofOfAddress(each) && each.proofOfAddressImage)
  const doubt = isProved
    ? needsReview('ADDITIONAL_WARNING', `${at}.${box}`)
    : needsInformation('ID_REQUIRES_ADDITIONAL_VERIFICATION', `${at}.${box}`)
  return [...checkAddress(address, at), doubt]
}

export function checkBusinessAddresses({ customerType, identity: { kybData } }: Submission): Finding[] {
  if (customerType !== 'BUSINESS') return []
  const { businessRegisteredAddress: registered, businessOperatingAddress: operating } = kybData ?? {}
  const place = operating === undefined ? 'businessRegisteredAddress' : 'businessOperatingAddress'
  // A business may be registered at a box if it operates elsewhere.
  const box = findPostOfficeBox(operating ?? registered)
  return [
    ...checkAddress(registered, 'kybData.businessRegisteredAddress'),
    ...checkAddress(operating, 'kybData.businessOperatingAddress'),
    ...(box === undefined ? [] : [needsInformation('ID_REQUIRES_ADDITIONAL_VERIFICATION', `kybData.${place}.${box}`)]),
  ]
}

/**
 * Returns the street line with the box, if the address has no other line: the rule asks for the residence
 * (31 CFR 1020.220(a)(2)(i)(A)(3)), and no customer lives in a box.
 */
function findPostOfficeBox({ streetLine1, streetLine2 }: Address = {}): string | undefined {
  const lines = Object.entries({ streetLine1, streetLine2 }).filter(([, line]) => !isBlank(line))
  return lines.every(([, line]) => postOfficeBox.test(line ?? '')) ? lines[0]?.[0] : undefined
}

/** Checks the given parts of an address; completeness.ts asks for the missing ones. */
export function checkAddress(address: Address | undefined, path: string): Finding[] {
  if (address === undefined) return []
  return [...checkStreet(address, path), ...checkCity(address, path), ...checkPlace(address, path)]
}

function checkStreet({ streetLine1, streetLine2 }: Address, path: string): Finding[] {
  const lines = { streetLine1, streetLine2 }
  const given = Object.entries(lines).filter(([, line]) => !isBlank(line))
  const tooShort = given.filter(
    ([, line]) => (line?.trim().length ?? 0) < minLength || !/[\p{L}\p{N}]/u.test(line ?? ''),
  )
  return tooShort.map(([name]) => needsInformation('ADDRESS_TOO_SHORT', `${path}.${name}`))
}

function checkCity({ city }: Address, path: string): Finding[] {
  return isBlank(city) || /\p{L}/u.test(city) ? [] : [needsInformation('INVALID_PARAMETERS', `${path}.city`)]
}

function checkPlace({ countryCode, postalCode, stateRegionProvince: region }: Address, path: string): Finding[] {
  if (isBlank(countryCode)) return []
  if (!isCountryCode(countryCode)) return [needsInformation('INVALID_PARAMETERS', `${path}.countryCode`)]
  const isWrongCode = !isBlank(postalCode) && postalCodeProblem(countryCode, postalCode) !== undefined
  const isWrongRegion = !isBlank(region) && regionProblem(countryCode, region) !== undefined
  if (isWrongCode || isWrongRegion) {
    return [
      ...(isWrongCode ? [needsInformation('INVALID_PARAMETERS', `${path}.postalCode`)] : []),
      ...(isWrongRegion ? [needsInformation('INVALID_PARAMETERS', `${path}.stateRegionProvince`)] : []),
    ]
  }
  const fits = isBlank(postalCode) || isBlank(region) || isPostalCodeInRegion(countryCode, postalCode, region)
  return fits ? [] : [needsInformation('DATABASE_CHECK_FAILED_ON_POSTAL_CODE', `${path}.postalCode`)]
}
