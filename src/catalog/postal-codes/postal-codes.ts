import { postalCodesOfAfrica } from './africa.ts'
import { postalCodesOfTheAmericas } from './americas.ts'
import { postalCodesOfAsiaAndThePacific } from './asia-pacific.ts'
import { postalCodesOfEurope } from './europe.ts'
import type { PostalCodeTable } from './table.ts'

export const postalCodes: PostalCodeTable = {
  ...postalCodesOfAfrica,
  ...postalCodesOfTheAmericas,
  ...postalCodesOfAsiaAndThePacific,
  ...postalCodesOfEurope,
}

/**
 * Countries without postal codes (Universal Postal Union, addressing sheets). Foreign forms ask their residents for one
 * anyway, so they enter a box number, 00000 or "none".
 */
// biome-ignore format: a list of codes is read in lines
export const countriesWithoutPostalCodes: readonly string[] = [
  'AE', 'HK', 'MO', 'QA', 'SY', 'YE',
  'AO', 'BF', 'BI', 'BJ', 'BW', 'CF', 'CG', 'CM', 'DJ', 'ER', 'GA', 'GM', 'GQ', 'KM', 'ML', 'MR', 'MW', 'RW',
  'SC', 'ST', 'TD', 'TG', 'UG', 'ZW',
  'AG', 'AW', 'BS', 'BZ', 'CW', 'DM', 'GD', 'GY', 'KN', 'SR', 'SX',
  'FJ', 'KI', 'NR', 'SB', 'TK', 'TO', 'TV', 'VU',
]

/**
 * Countries where a complete address needs a postal code: those for which libaddressinput, the address data of Android
 * and Chrome, requires one, and the rest of the European Union except Ireland, where Eircodes are optional.
 */
// biome-ignore format: a list of codes is read in lines
const countriesThatRelyOnPostalCodes: readonly string[] = [
  'AD', 'AT', 'AX', 'BE', 'BG', 'CH', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FO', 'FR', 'GB', 'GG', 'GR',
  'HR', 'HU', 'IM', 'IS', 'IT', 'JE', 'LI', 'LT', 'LU', 'LV', 'MC', 'MT', 'NL', 'NO', 'PL', 'PT', 'RO', 'SE',
  'SI', 'SJ', 'SK', 'SM', 'TR', 'UA', 'VA',
  'AS', 'BL', 'BR', 'CA', 'GF', 'GL', 'GP', 'GU', 'MF', 'MP', 'MQ', 'MX', 'PM', 'PR', 'US', 'VI',
  'AU', 'CN', 'IN', 'JP', 'KR', 'MY', 'NC', 'NZ', 'PF', 'RU', 'SG', 'TH', 'TW', 'WF',
  'RE', 'YT', 'ZA',
]

/** Tells whether a complete address in that country needs a postal code. */
export function needsPostalCode(countryCode: string): boolean {
  return countriesThatRelyOnPostalCodes.includes(countryCode)
}

/** Describes the problem of a postal code in a country; undefined when it is valid. Never quotes the code. */
export function postalCodeProblem(countryCode: string, postalCode: string): string | undefined {
  if (postalCode.trim() === '' || postalCode.length > 20) return 'must have 1 to 20 characters'
  if (countriesWithoutPostalCodes.includes(countryCode)) return undefined
  const known = Object.hasOwn(postalCodes, countryCode) ? postalCodes[countryCode] : undefined
  if (known === undefined) {
    return /^[\p{L}\p{Nd} -]+$/u.test(postalCode) ? undefined : 'must have only letters, digits, spaces and hyphens'
  }
  const [pattern, example] = known
  return pattern.test(postalCode) ? undefined : `must be a postal code as written in ${countryCode}, such as ${example}`
}
