import { businessDocuments, businessFundSources, businessPurposes, highRiskActivities } from './codes/businesses.ts'
import { addressPaperCodes, documentKindOf, identityDocumentCodes } from './codes/identity-documents.ts'
import { legalForms } from './codes/legal-forms.ts'
import { allIdTypes, nationalIdTypeOf } from './codes/national-id-types.ts'
import { accountPurposes, employmentStatuses, fundSources } from './codes/people.ts'
import { isRangeCode } from './codes/ranges.ts'
import { catalogOf, findByWords, hasExactWords, isMadeOf } from './codes/words.ts'

/** Ranges as the contract writes them; any other range is known too. */
const paymentRanges = [
  'BETWEEN_5000_9999',
  'BETWEEN_10000_49999',
  'UNDER_10K',
  '10K_TO_50K',
  '50K_TO_100K',
  'OVER_100K',
]
const volumeRanges = ['LESS_THAN_10000', 'BETWEEN_10000_99999', 'BETWEEN_100000_999999', 'OVER_1000000']
const revenueRanges = ['LESS_THAN_100000', 'BETWEEN_100000_999999', 'BETWEEN_1000000_9999999', 'OVER_10000000']

/**
 * The values of the contract's coded fields, by field path: the contract's samples and what people send in everyday use.
 * The contract leaves these lists open, so any other code is accepted and kept. Verification raises a doubt about an
 * unknown code only where its meaning matters for the decision.
 */
export const knownCodes = {
  'kycData.employmentStatus': employmentStatuses,
  'kycData.sourceOfFunds': fundSources,
  'kycData.accountPurpose': accountPurposes,
  'kycData.expectedMonthlyPaymentsUsd': paymentRanges,
  'kybData.businessInfo.businessType': legalForms,
  'kybData.sourceOfFunds': businessFundSources,
  'kybData.accountPurpose': businessPurposes,
  'kybData.expectedMonthlyVolumeUsd': volumeRanges,
  'kybData.estimatedAnnualRevenueUsd': revenueRanges,
  'kybData.highRiskActivities': highRiskActivities,
  'kybData.businessDocuments.type': businessDocuments,
  // For individuals and associated persons alike.
  nationalIdType: allIdTypes,
  'documents.subtype': [...identityDocumentCodes, ...addressPaperCodes],
} as const satisfies Record<string, readonly string[]>

export type CodedField = keyof typeof knownCodes

/** The document types of the contract. This list is closed. */
export const documentTypes = ['GOVERNMENT_ID', 'PROOF_OF_ADDRESS'] as const
export type DocumentType = (typeof documentTypes)[number]

/** The form of every code, known or not. */
export const codePattern = /^[A-Za-z0-9_]{1,64}$/

export function isCode(text: string): boolean {
  return codePattern.test(text)
}

const catalogs = new Map(Object.entries(knownCodes).map(([field, codes]) => [field, catalogOf(codes)]))

/** Tells whether a code has a known meaning: case, plurals and the order of its words do not matter. */
export function isKnownCode(field: CodedField, value: string): boolean {
  if (!isCode(value)) return false
  const catalog = catalogs.get(field) ?? []
  if (field === 'documents.subtype') return documentKindOf(value) !== undefined
  if (field === 'nationalIdType')
    return hasExactWords(catalog, value) !== undefined || nationalIdTypeOf('', value) !== undefined
  if (field.endsWith('Usd')) return isRangeCode(value)
  if (field === 'kybData.businessInfo.businessType') return hasExactWords(catalog, value) !== undefined
  if (field === 'kybData.businessDocuments.type') return findByWords(catalog, value) !== undefined
  return isMadeOf(catalog, value)
}
