/** The states and territories by the first digit of their ZIP Codes (United States Postal Service, Publication 65). */
// biome-ignore format: a table is read by column
const statesByFirstDigit: Readonly<Record<string, string>> = {
  0: 'CT MA ME NH NJ RI VT PR VI AE',
  1: 'DE NY PA',
  2: 'DC MD NC SC VA WV',
  3: 'AL FL GA MS TN AA',
  4: 'IN KY MI OH',
  5: 'IA MN MT ND SD WI',
  6: 'IL KS MO NE',
  7: 'AR LA OK TX',
  8: 'AZ CO ID NM NV UT WY',
  9: 'AK AS CA GU HI MP OR WA AP',
}

/** Places served from another state: Holtsville and Fishers Island, El Paso, federal mail in the capital. */
// biome-ignore format: a table is read by column
const servedFromElsewhere: readonly (readonly [prefix: string, state: string])[] = [
  ['005',   'NY'],
  ['06390', 'NY'],
  ['885',   'TX'],
  ['569',   'DC'],
]

/** The provinces by the first letter (Canada Post, Addressing Guidelines, section 5.2). */
// biome-ignore format: a table is read by column
const provincesByFirstLetter: Readonly<Record<string, string>> = {
  A: 'NL', B: 'NS', C: 'PE', E: 'NB', G: 'QC', H: 'QC', J: 'QC', K: 'ON', L: 'ON', M: 'ON', N: 'ON', P: 'ON',
  R: 'MB', S: 'SK', T: 'AB', V: 'BC', X: 'NT NU', Y: 'YT',
}

/** Tells whether a postal code can belong to a region; true for countries without data. */
export function isPostalCodeInRegion(countryCode: string, postalCode: string, region: string): boolean {
  const code = postalCode.trim().toUpperCase()
  const first = code.charAt(0)
  if (countryCode === 'US') {
    const isException = servedFromElsewhere.some(([prefix, state]) => code.startsWith(prefix) && state === region)
    return isException || includesWord(statesByFirstDigit, first, region)
  }
  return countryCode === 'CA' ? includesWord(provincesByFirstLetter, first, region) : true
}

function includesWord(table: Readonly<Record<string, string>>, key: string, word: string): boolean {
  return !Object.hasOwn(table, key) || (table[key] ?? '').split(' ').includes(word)
}
