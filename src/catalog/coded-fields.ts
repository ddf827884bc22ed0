/**
 * The values that the contract shows for its coded fields, by field path. The contract leaves these lists open, so any
 * other code is accepted and sends the submission to a reviewer (see verification).
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
  // For individuals and associated persons alike.
  nationalIdType: ['SSN', 'TIN', 'NATIONAL_ID'],
  'documents.subtype': ['NATIONAL_ID', 'PASSPORT'],
} as const satisfies Record<string, readonly string[]>

export type CodedField = keyof typeof knownCodes

/** The document types of the contract. This list is closed. */
export const documentTypes = ['GOVERNMENT_ID', 'PROOF_OF_ADDRESS'] as const
export type DocumentType = (typeof documentTypes)[number]

/** The contract's examples write this field in upper and lower case. */
const caseInsensitiveFields: readonly CodedField[] = ['nationalIdType']

export function isCode(text: string): boolean {
  return /^[A-Za-z0-9_]{1,64}$/.test(text)
}

export function isKnownCode(field: CodedField, value: string): boolean {
  const codes: readonly string[] = knownCodes[field]
  return isCode(value) && codes.includes(caseInsensitiveFields.includes(field) ? value.toUpperCase() : value)
}
