import { type CodedField, knownCodes } from '../catalog/coded-fields.ts'
import { industries } from '../catalog/codes/businesses.ts'
import { addressPaperCodes, identityDocumentCodes } from '../catalog/codes/identity-documents.ts'
import { legalFormsByCountry } from '../catalog/codes/legal-forms.ts'
import { nationalIdTypes } from '../catalog/codes/national-id-types.ts'
import { occupations } from '../catalog/codes/people.ts'
import { countryCodes, countryName } from '../catalog/countries.ts'
import { countriesWithoutPostalCodes, needsPostalCode, postalCodes } from '../catalog/postal-codes/postal-codes.ts'
import { enforcedRegions } from '../catalog/regions.ts'
import { hasTwoSides } from '../verification/checks/documents/document-kinds.ts'
import { type FieldSchema, schemaAt } from './paths.ts'

/** The catalog that the pages are made from. It is the same for every customer. */
export type FormCatalog = {
  countries: readonly (readonly [code: string, name: string])[]
  /** Countries whose regions are chosen from a list. */
  regions: Record<string, readonly (readonly [code: string, name: string])[]>
  postalCodes: { required: string[]; none: readonly string[]; examples: Record<string, string> }
  nationalIdTypes: Record<string, readonly string[]>
  /** Legal forms that a country has, shown before the common ones. */
  legalForms: Record<string, readonly string[]>
  /** The choices of each coded field, in the order in which the page shows them. */
  codes: Record<string, readonly string[]>
  /** Identity documents of which one page is enough. */
  oneSided: readonly string[]
  /** Suggestions for free texts. */
  suggestions: Record<string, readonly string[]>
  /** The longest and shortest text of each field, by the last name of its path. */
  lengths: Record<string, { min?: number; max?: number }>
}

/** The everyday choices among the known codes. */
const choices = {
  'kycData.employmentStatus': words('EMPLOYED SELF_EMPLOYED STUDENT RETIRED HOMEMAKER UNEMPLOYED OTHER'),
  'kycData.sourceOfFunds': words(
    'SALARY BUSINESS SAVINGS INVESTMENTS PENSION INHERITANCE SALE GIFT SCHOLARSHIP BENEFITS OTHER',
  ),
  'kycData.accountPurpose': words(
    'PERSONAL_EXPENSES RECEIVE_SALARY REMITTANCE SAVINGS INVESTMENT PURCHASE_GOODS EDUCATION BUSINESS_USE OTHER',
  ),
  'kycData.expectedMonthlyPaymentsUsd': words('UNDER_10K 10K_TO_50K 50K_TO_100K OVER_100K'),
  'kybData.businessInfo.businessType': words(
    'PRIVATE_LIMITED_COMPANY PUBLIC_LIMITED_COMPANY CORPORATION C_CORPORATION LLC PARTNERSHIP SOLE_PROPRIETORSHIP ' +
      'COOPERATIVE FOUNDATION NON_PROFIT TRUST OTHER',
  ),
  'kybData.sourceOfFunds': words(
    'SALE_OF_GOODS_AND_SERVICES INVESTMENT LOAN EQUITY GRANTS DONATIONS INTERCOMPANY DIGITAL_ASSETS OTHER',
  ),
  'kybData.accountPurpose': words(
    'SUPPLIERS PAYROLL CUSTOMERS TREASURY_MANAGEMENT CROSS_BORDER_PAYMENT INVESTMENT CHARITABLE_DONATIONS OTHER',
  ),
  'kybData.expectedMonthlyVolumeUsd': knownCodes['kybData.expectedMonthlyVolumeUsd'],
  'kybData.estimatedAnnualRevenueUsd': knownCodes['kybData.estimatedAnnualRevenueUsd'],
  'kybData.highRiskActivities': knownCodes['kybData.highRiskActivities'],
  'kybData.businessDocuments.type': words(
    'ARTICLES_OF_INCORPORATION CERTIFICATE_OF_INCORPORATION CERTIFICATE_OF_GOOD_STANDING REGISTER_EXTRACT ' +
      'OPERATING_AGREEMENT SHARE_REGISTER TAX_ID PROOF_OF_ADDRESS BANK_STATEMENT LICENSE',
  ),
  'documents.subtype': identityDocumentCodes,
} as const satisfies Partial<Record<CodedField, readonly string[]>>

/** The part of the catalog that addresses are made from. */
export const addressCatalog: Pick<FormCatalog, 'countries' | 'regions' | 'postalCodes'> = {
  countries: countryCodes
    .map((code) => [code, countryName(code) ?? code] as const)
    .sort(([, one], [, other]) => one.localeCompare(other, 'en')),
  regions: Object.fromEntries(
    Object.entries(enforcedRegions).map(([code, { names }]) => [code, Object.entries(names)]),
  ),
  postalCodes: {
    required: countryCodes.filter(needsPostalCode),
    none: countriesWithoutPostalCodes,
    examples: Object.fromEntries(Object.entries(postalCodes).map(([code, [, example]]) => [code, example])),
  },
}

export const formCatalog: FormCatalog = {
  ...addressCatalog,
  nationalIdTypes: Object.fromEntries(Object.entries(nationalIdTypes).map(([code, types]) => [code, words(types)])),
  legalForms: Object.fromEntries(Object.entries(legalFormsByCountry).map(([code, forms]) => [code, words(forms)])),
  codes: { ...choices, 'documents.addressPaper': addressPaperCodes },
  oneSided: identityDocumentCodes.filter((code) => !hasTwoSides(code)),
  suggestions: { mostRecentOccupation: occupations, businessIndustries: industries },
  lengths: readLengths(schemaAt(['kycData']), schemaAt(['kybData'])),
}

export const formChoices: Readonly<Record<string, readonly string[]>> = choices

function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}

/** Reads the limits from the schemas of the API. */
export function readLengths(...schemas: (FieldSchema | undefined)[]): FormCatalog['lengths'] {
  const lengths: FormCatalog['lengths'] = {}
  const collect = (schema: FieldSchema | undefined) => {
    for (const [name, field] of Object.entries(schema?.properties ?? schema?.items?.properties ?? {})) {
      const { minLength: min, maxLength: max } = field
      if (max !== undefined) lengths[name] = { ...(min === undefined ? {} : { min }), max }
      collect(field)
    }
  }
  for (const schema of schemas) collect(schema)
  return lengths
}
