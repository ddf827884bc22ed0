// The list of its own file only: the package's index would also load every subdivision of every country.
import { iso31661 } from 'iso-3166/1.js'

/** ISO 3166-1 alpha-2, officially assigned codes only: no XK, no UK, no EU. */
const namesByCode: ReadonlyMap<string, string> = new Map(
  iso31661.map(({ alpha2, name }) => [alpha2, readingOrder(name)] as const),
)

export const countryCodes: readonly string[] = [...namesByCode.keys()].sort()

/** Codes are upper case, as the standard writes them. */
export function isCountryCode(text: string): boolean {
  return namesByCode.has(text)
}

export function countryName(code: string): string | undefined {
  return namesByCode.get(code)
}

/** The standard sorts by the part that people look for: "Korea, Republic of" is the Republic of Korea. */
function readingOrder(name: string): string {
  return name.replace(/^(.+), (.+ of(?: the)?)$/, '$2 $1')
}
