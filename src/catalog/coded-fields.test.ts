import { expect, test } from 'vitest'
import { type CodedField, isCode, isKnownCode, knownCodes } from './coded-fields.ts'
import { documentKindOf } from './codes/identity-documents.ts'
import { isRangeCode } from './codes/ranges.ts'
import { wordsOfCode } from './codes/words.ts'

test('every known code has the shape of a code and is known, once', () => {
  const entries = Object.entries(knownCodes) as [CodedField, readonly string[]][]
  expect(entries).toHaveLength(13)
  for (const [field, codes] of entries) {
    expect([field, codes.filter((code, at) => codes.indexOf(code) !== at)]).toEqual([field, []])
    expect([field, codes.filter((code) => !isCode(code) || !isKnownCode(field, code))]).toEqual([field, []])
  }
})

test.each(['A', '0', '_', 'ssn', '10K_TO_50K', 'x'.repeat(64)])('%j has the shape of a code', (text) => {
  expect(isCode(text)).toBe(true)
})

test.each(['', ' ', 'A B', 'A-B', 'SALARY ', 'SALARY\n', 'é', 'Ａ', '١', '🙂', 'x'.repeat(65)])(
  '%j does not have the shape of a code',
  (text) => {
    expect(isCode(text)).toBe(false)
    expect(isKnownCode('kycData.sourceOfFunds', text)).toBe(false)
  },
)

// biome-ignore format: a table is read by column
test.each([
  // field                              value                         known
  ['nationalIdType',                    'ssn',                        true],
  ['nationalIdType',                    'National_Id',                true],
  ['nationalIdType',                    'CURP',                       true],
  ['nationalIdType',                    'TAX_IDENTIFICATION_NUMBER',  true],
  ['nationalIdType',                    'FOO_ID',                     false],
  ['kycData.employmentStatus',          'employed',                   true],
  ['kycData.employmentStatus',          'EMPLOYED_FULL_TIME',         true],
  ['kycData.employmentStatus',          'FREELANCE',                  true],
  ['kycData.employmentStatus',          'XYZ',                        false],
  ['kycData.employmentStatus',          'EMPLOYED_XYZ',               false],
  ['kycData.sourceOfFunds',             'SALARY_AND_SAVINGS',         true],
  ['kycData.sourceOfFunds',             'proceedsFromPropertySale',   true],
  ['kycData.sourceOfFunds',             'STOLEN_GOODS',               false],
  ['kybData.sourceOfFunds',             'SALES_OF_SERVICES',          true],
  ['kybData.sourceOfFunds',             'XYZ',                        false],
  ['kycData.accountPurpose',            'SENDING_MONEY_TO_FAMILY',    true],
  ['kycData.accountPurpose',            'XYZ',                        false],
  ['kybData.accountPurpose',            'PAYING_SUPPLIERS',           true],
  ['kycData.expectedMonthlyPaymentsUsd', 'LESS_THAN_10000',           true],
  ['kycData.expectedMonthlyPaymentsUsd', 'LOTS',                      false],
  ['kybData.highRiskActivities',        'GAMBLING',                   true],
  ['kybData.businessInfo.businessType', 'LLC',                        true],
  ['kybData.businessInfo.businessType', 'gmbh',                       true],
  ['kybData.businessInfo.businessType', 'S_DE_RL_DE_CV',              true],
  ['kybData.businessInfo.businessType', 'XYZ',                        false],
  ['kybData.businessDocuments.type',    'CERTIFICATE_OF_INCORPORATION', true],
  ['kybData.businessDocuments.type',    'HOLIDAY_PICTURE',            false],
] as const)('for %s, the code %s is known: %s', (field, value, known) => {
  expect(isKnownCode(field, value)).toBe(known)
})

// biome-ignore format: a table is read by column
test.each([
  ['DRIVERS_LICENSE', 'DRIVERS_LICENSE'],
  ['driving_licence', 'DRIVERS_LICENSE'],
  ['driverLicense',   'DRIVERS_LICENSE'],
  ['US_DRIVERS_LICENSE', 'DRIVERS_LICENSE'],
  ['DL',              'DRIVERS_LICENSE'],
  ['PASSPORT',        'PASSPORT'],
  ['US_PASSPORT',     'PASSPORT'],
  ['PASSPORT_CARD',   'PASSPORT_CARD'],
  ['IDENTITY_CARD',   'NATIONAL_ID'],
  ['ID',              'NATIONAL_ID'],
  ['GREEN_CARD',      'RESIDENCE_PERMIT'],
  ['PERMANENT_RESIDENT_CARD', 'RESIDENCE_PERMIT'],
  ['RESIDENCE_PERMIT_CARD', 'RESIDENCE_PERMIT'],
  ['STUDENT_CARD',    'OTHER_CARD'],
  ['STUDENT_ID_CARD', 'OTHER_CARD'],
  ['UTILITY_BILL',    'UTILITY_BILL'],
  ['FOO_ID',          undefined],
  ['VISA',            undefined],
])('the document %s is a %s', (subtype, kind) => {
  expect(documentKindOf(subtype)).toBe(kind)
})

test.each([
  '0_1000',
  '1K_TO_5K',
  'BETWEEN_1000_AND_5000',
  'OVER_1M',
  '10M_PLUS',
  'UP_TO_2000',
  'under_5k',
  'LESS_THAN_USD_500',
])('%s is a range', (code) => expect(isRangeCode(code)).toBe(true))

test.each(['OVER', '1000', 'BETWEEN_1000', 'OVER_XYZ', 'A_LOT'])('%s is no range', (code) =>
  expect(isRangeCode(code)).toBe(false),
)

test('spelling, order, plural and case of a code do not matter', () => {
  const words = wordsOfCode('DRIVERS_LICENSE')
  for (const same of ['DRIVING_LICENCE', 'driver_license', 'LicenseOfDriver', 'DL'])
    expect(wordsOfCode(same)).toEqual(words)
  expect(wordsOfCode('OF_THE')).toEqual(['OF', 'THE'])
})
