// Not the package's index, which would also load every subdivision of every country.
import { iso31661 } from 'iso-3166/1.js'

/** Officially assigned codes of ISO 3166-1 alpha-2 only: no XK, no UK, no EU. */
const namesByCode: ReadonlyMap<string, string> = new Map(
  iso31661.map(({ alpha2, name }) => [alpha2, readingOrder(name)] as const),
)

const codesByThreeLetters: ReadonlyMap<string, string> = new Map(
  iso31661.map(({ alpha2, alpha3 }) => [alpha3, alpha2] as const),
)

export const countryCodes: readonly string[] = [...namesByCode.keys()].sort()

/** Accepts upper case only, as the standard writes codes. */
export function isCountryCode(text: string): boolean {
  return namesByCode.has(text)
}

export function countryName(code: string): string | undefined {
  return namesByCode.get(code)
}

/** The code of two letters for one of three; undefined for a code that is no country. */
export function countryOfThreeLetters(alpha3: string): string | undefined {
  return codesByThreeLetters.get(alpha3)
}

/** Turns a sorting name of the standard around: "Korea, Republic of" becomes "Republic of Korea". */
function readingOrder(name: string): string {
  return name.replace(/^(.+), (.+ of(?: the)?)$/, '$2 $1')
}
