import { countryCodes, countryName } from '../../catalog/countries.ts'

/** Names by which published lists call a country besides the standard's and the common English one. */
const otherNames: Readonly<Record<string, string>> = {
  burma: 'MM',
  'cape verde': 'CV',
  'congo democratic republic of': 'CD',
  'congo republic of': 'CG',
  'cote d ivoire': 'CI',
  'czech republic': 'CZ',
  gambia: 'GM',
  'hong kong': 'HK',
  'ivory coast': 'CI',
  'korea north': 'KP',
  'korea south': 'KR',
  macau: 'MO',
  macedonia: 'MK',
  'north korea': 'KP',
  palestine: 'PS',
  palestinian: 'PS',
  'region gaza': 'PS',
  'south korea': 'KR',
  swaziland: 'SZ',
  turkey: 'TR',
  uk: 'GB',
  usa: 'US',
  vatican: 'VA',
  'west bank': 'PS',
}

const shown = new Intl.DisplayNames('en', { type: 'region' })

const codes: ReadonlyMap<string, string> = new Map([
  ...Object.entries(otherNames),
  ...countryCodes.flatMap((code) =>
    [countryName(code), countryName(code)?.replace(/\s*\(.*/, ''), shown.of(code)].flatMap((name) =>
      name === undefined ? [] : [[plain(name), code] as const],
    ),
  ),
])

/** Finds the code of a country by a name of it; undefined for a name that is not known, such as a former country's. */
export function findCountryCode(name: string): string | undefined {
  return codes.get(plain(name)) ?? codes.get(plain(name.replace(/\(.*/, '')))
}

function plain(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, ' ')
    .replaceAll(/\b(?:and|the)\b/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
