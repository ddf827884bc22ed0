import { expect, test } from 'vitest'
import { type CodedField, isCode, isKnownCode, knownCodes } from './coded-fields.ts'

test('every known code has the shape of a code and is known', () => {
  const entries = Object.entries(knownCodes) as [CodedField, readonly string[]][]
  expect(entries).toHaveLength(13)
  for (const [field, codes] of entries) {
    expect(new Set(codes).size).toBe(codes.length)
    for (const code of codes)
      expect([field, code, isCode(code), isKnownCode(field, code)]).toEqual([field, code, true, true])
  }
})

test.each(['A', '0', '_', 'ssn', '10K_TO_50K', 'x'.repeat(64)])('%j has the shape of a code', (text) => {
  expect(isCode(text)).toBe(true)
})

test.each(['', ' ', 'A B', 'A-B', 'SALARY ', 'SALARY\n', 'é', 'Ａ', '١', '🙂', 'x'.repeat(65)])(
  '%j does not have the shape of a code',
  (text) => {
    expect(isCode(text)).toBe(false)
  },
)

// biome-ignore format: a table is read by column
test.each([
  // field                              value                         known
  ['nationalIdType',                    'SSN',                        true],
  ['nationalIdType',                    'ssn',                        true],
  ['nationalIdType',                    'National_Id',                true],
  ['nationalIdType',                    'CURP',                       false],
  ['kycData.employmentStatus',          'EMPLOYED',                   true],
  ['kycData.employmentStatus',          'employed',                   false],
  ['kycData.employmentStatus',          'HOMEMAKER',                  false],
  ['kycData.sourceOfFunds',             'SALARY',                     true],
  ['kycData.sourceOfFunds',             'SALE_OF_GOODS_AND_SERVICES', false],
  ['kybData.sourceOfFunds',             'SALE_OF_GOODS_AND_SERVICES', true],
  ['kybData.sourceOfFunds',             'SALARY',                     false],
  ['kycData.accountPurpose',            'CHARITABLE_DONATIONS',       false],
  ['kybData.accountPurpose',            'CHARITABLE_DONATIONS',       true],
  ['kycData.expectedMonthlyPaymentsUsd', 'OVER_100K',                 true],
  ['kycData.expectedMonthlyPaymentsUsd', 'LESS_THAN_10000',           false],
  ['kybData.highRiskActivities',        'GAMBLING',                   false],
  ['documents.subtype',                 'PASSPORT',                   true],
  ['documents.subtype',                 'DRIVERS_LICENSE',            false],
  ['kybData.businessDocuments.type',    'ARTICLES_OF_INCORPORATION',  true],
] as const)('for %s, the code %s is known: %s', (field, value, known) => {
  expect(isKnownCode(field, value)).toBe(known)
})
