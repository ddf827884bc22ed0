import { isCountryCode } from '../../catalog/countries.ts'
import { postalCodeProblem } from '../../catalog/postal-codes/postal-codes.ts'
import { isPostalCodeInRegion } from '../../catalog/postal-codes/postal-regions.ts'
import { regionProblem } from '../../catalog/regions.ts'
import type { Address } from '../../customers/identity/identity.ts'
import { type Finding, isBlank, needsInformation, needsReview, type Person, type Submission } from '../submission.ts'

/** The contract's minimum length of a street line. */
const minLength = 4

// English, French, Spanish, Portuguese, Italian, German and Dutch.
// biome-ignore format: a list of words
const boxWords = [
  'p\\.? ?o\\.? ?box', 'post ?office ?box', 'g\\.?p\\.?o\\.? ?box', 'locked bag', 'private (?:mail )?bag', 'bo[iî]te postale',
  'b\\.?p\\.? ?\\d+', 'apartado', 'casilla', 'caixa postal', 'casella postale', 'postfach', 'postbus',
]
const postOfficeBox = new RegExp(`\\b(?:${boxWords.join('|')})\\b`, 'iu')

export function checkPersonAddress({ address }: Person, path: string): Finding[] {
  return checkAddress(address, `${path}.address`)
}

export function checkBusinessAddresses({ customerType, identity: { kybData } }: Submission): Finding[] {
  if (customerType !== 'BUSINESS') return []
  return [
    ...checkAddress(kybData?.businessRegisteredAddress, 'kybData.businessRegisteredAddress'),
    ...checkAddress(kybData?.businessOperatingAddress, 'kybData.businessOperatingAddress'),
  ]
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
  // The rule asks for the residence (31 CFR 1020.220(a)(2)(i)(A)(3)), and no customer lives in a box.
  const isBox = given.length > 0 && given.every(([, line]) => postOfficeBox.test(line ?? ''))
  return [
    ...tooShort.map(([name]) => needsInformation('ADDRESS_TOO_SHORT', `${path}.${name}`)),
    ...(isBox ? [needsReview('ID_REQUIRES_ADDITIONAL_VERIFICATION', `${path}.${given[0]?.[0]}`)] : []),
  ]
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
  return fits ? [] : [needsReview('ID_REQUIRES_ADDITIONAL_VERIFICATION', `${path}.postalCode`)]
}
