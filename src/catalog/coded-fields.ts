/**
 * The values that the contract shows for its coded fields, by the place of the field. The contract leaves these lists
 * open, so another code is accepted too; it sends the case to a person (see verification).
 */
export const knownCodes = {
  'kycData.employmentStatus': ['EMPLOYED', 'SELF_EMPLOYED', 'UNEMPLOYED', 'RETIRED', 'STUDENT'],
  'kycData.sourceOfFunds': ['SALARY', 'EMPLOYMENT', 'BUSINESS', 'INVESTMENTS', 'INHERITANCE', 'SAVINGS'],
  'kycData.accountPurpose': ['PERSONAL_EXPENSES', 'PERSONAL_USE', 'BUSINESS_USE', 'INVESTMENT'],
  'kycData.expectedMonthlyPaymentsUsd': [
    'BETWEEN_5000_9999',
    'BETWEEN_10000_49999',
    'UNDER_10K',
    '10K_TO_50K',
    '50K_TO_100K',
    'OVER_100K',
  ],
  'kybData.businessInfo.businessType': ['C_CORPORATION', 'B_CORPORATION'],
  'kybData.sourceOfFunds': ['SALE_OF_GOODS_AND_SERVICES'],
  'kybData.accountPurpose': ['CHARITABLE_DONATIONS'],
  'kybData.expectedMonthlyVolumeUsd': ['LESS_THAN_10000', 'BETWEEN_10000_99999'],
  'kybData.estimatedAnnualRevenueUsd': ['LESS_THAN_100000', 'BETWEEN_100000_999999'],
  'kybData.highRiskActivities': ['ADULT_ENTERTAINMENT', 'FOREIGN_EXCHANGE_OR_BROKERAGE'],
  'kybData.businessDocuments.type': ['ARTICLES_OF_INCORPORATION'],
  // Of individuals and of associated persons alike.
  nationalIdType: ['SSN', 'TIN', 'NATIONAL_ID'],
  'documents.subtype': ['NATIONAL_ID', 'PASSPORT'],
} as const satisfies Record<string, readonly string[]>

export type CodedField = keyof typeof knownCodes

/** The kinds of document a person can hand in. This list is closed. */
export const documentTypes = ['GOVERNMENT_ID', 'PROOF_OF_ADDRESS'] as const
export type DocumentType = (typeof documentTypes)[number]

/** The contract's own examples write this one in both cases. */
const fieldsWithoutCase: readonly CodedField[] = ['nationalIdType']

export function isCode(text: string): boolean {
  return /^[A-Za-z0-9_]{1,64}$/.test(text)
}

export function isKnownCode(field: CodedField, value: string): boolean {
  const codes: readonly string[] = knownCodes[field]
  return isCode(value) && codes.includes(fieldsWithoutCase.includes(field) ? value.toUpperCase() : value)
}
