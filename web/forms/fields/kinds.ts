import { read, readText } from '../model/paths.ts'
import type { Catalog } from '../model/types.ts'
import { nameCountries } from '../texts/format.ts'
import { byPath, nameOf, patternOf, wordsOfCode } from '../texts/words.ts'

export type FieldKind =
  | 'text'
  | 'long'
  | 'phone'
  | 'date'
  | 'number'
  | 'yesNo'
  | 'choice'
  | 'checks'
  | 'suggest'
  | 'hidden number'
  | 'file'

const kinds: Readonly<Record<string, FieldKind>> = {
  phoneNumber: 'phone',
  ownershipPercentage: 'number',
  nationalIdNumber: 'hidden number',
  documentIdNumber: 'hidden number',
  highRiskActivities: 'checks',
  mostRecentOccupation: 'suggest',
  businessIndustries: 'suggest',
  businessDescription: 'long',
  accountPurposeOther: 'long',
  conductsMoneyServicesDescription: 'long',
  highRiskActivitiesExplanation: 'long',
}

/** Tells how a field is asked for, by its name. */
export function kindOf(path: string, catalog: Catalog, values: unknown): FieldKind {
  const name = nameOf(path)
  const known = kinds[name]
  if (known) return known
  if (name.endsWith('Image')) return 'file'
  if (/Date$|^dateOf/.test(name)) return 'date'
  if (/^(?:is|conducts|operates)[A-Z]/.test(name)) return 'yesNo'
  return optionsOf(path, catalog, values) ? 'choice' : 'text'
}

export type Option = readonly [code: string, words: string]

/** The choices of a field; undefined for a field with free text. They follow the country. */
export function optionsOf(path: string, catalog: Catalog, values: unknown): Option[] | undefined {
  const name = nameOf(path)
  const parent = path.slice(0, -(name.length + 1))
  const say = (codes: readonly string[]) => codes.map((code): Option => [code, wordsOfCode(code)])
  if (catalog.choices?.[name]) return nameCountries(catalog.choices[name])
  if (/(?:countryCode|Country|nationality)$/.test(name)) return nameCountries(catalog.countries)
  if (name === 'stateRegionProvince') return catalog.regions[readText(values, `${parent}.countryCode`)]
  if (name === 'nationalIdType') {
    const country = readText(values, `${parent}.nationalIdIssuingCountry`)
    return say(catalog.nationalIdTypes[country] ?? ['NATIONAL_ID', 'TIN'])
  }
  if (name === 'businessType') {
    const country = readText(values, 'kybData.businessInfo.registrationCountry')
    return say([
      ...new Set([
        ...(catalog.legalForms[country] ?? []),
        ...(catalog.codes['kybData.businessInfo.businessType'] ?? []),
      ]),
    ])
  }
  if (name === 'subtype' && read(values, `${parent}.type`) === 'PROOF_OF_ADDRESS') {
    return say(catalog.codes['documents.addressPaper'] ?? [])
  }
  const codes =
    catalog.codes[patternOf(path).replaceAll('[]', '')] ?? byPath(catalog.codes, patternOf(path).replaceAll('[]', ''))
  return codes && say(codes)
}
