import { expect, test } from 'vitest'
import { identityDay, makeAddress, makeKycData, makePassport } from '../../../../test/support/customers/identities.ts'
import { checkConsistency } from './consistency.ts'

// biome-ignore format: a table is read by column
test.each([
  // subtype            document  nationality  national id  lives in  finding
  ['PASSPORT',          'US',     'US',        'US',        'US',     undefined],
  ['PASSPORT',          'DE',     'DE',        'US',        'US',     undefined],
  ['PASSPORT',          'DE',     'US',        'DE',        'US',     undefined],
  ['PASSPORT',          'FR',     'US',        'US',        'US',     'ID_COUNTRY_MISMATCH'],
  ['PASSPORT',          'FR',     'US',        'US',        'FR',     'ID_COUNTRY_MISMATCH'],
  ['NATIONAL_ID',       'FR',     'US',        'US',        'US',     'ID_COUNTRY_MISMATCH'],
  ['NATIONAL_ID',       'AE',     'IN',        'IN',        'AE',     undefined],
  ['DRIVERS_LICENSE',   'FR',     'US',        'US',        'FR',     undefined],
  ['DRIVERS_LICENSE',   'FR',     'US',        'US',        'DE',     'ID_COUNTRY_MISMATCH'],
  ['RESIDENCE_PERMIT',  'DE',     'IN',        'DE',        'DE',     undefined],
  ['PASSPORT',          'FR',     '',          'US',        'US',     undefined],
  ['',                  'FR',     'US',        'US',        'US',     undefined],
  ['PASSPORT',          '',       'US',        'US',        'US',     undefined],
] as const)('%s of %s for nationality %s, national id of %s, living in %s: %s', (subtype, countryCode, nationality, issuing, home, code) => {
  const person = makeKycData({
    nationality,
    nationalIdIssuingCountry: issuing,
    address: makeAddress({ countryCode: home }),
    documents: [makePassport({ subtype, countryCode })],
  })
  const expected = code ? [{ code, field: 'kycData.documents[0].countryCode', leadsTo: 'information' }] : []
  expect(checkConsistency(person, 'kycData', identityDay)).toEqual(expected)
})

// biome-ignore format: a table is read by column
test.each([
  // country  subtype        type           on the document   as entered       finding
  ['CO',      'NATIONAL_ID', 'NATIONAL_ID', '1.234.567.890',  '1234567890',    undefined],
  ['CO',      'NATIONAL_ID', 'national_id', '1.234.567.890',  '1234567891',    'ID_DATA_MISMATCH'],
  ['ES',      'NATIONAL_ID', 'NATIONAL_ID', '12345678-z',     '12345678Z',     undefined],
  ['ES',      'NATIONAL_ID', 'NATIONAL_ID', '12345678Z',      '00000000T',     'ID_DATA_MISMATCH'],
  ['DE',      'NATIONAL_ID', 'NATIONAL_ID', 'L01X00T47',      '86095742719',   undefined],
  ['US',      'NATIONAL_ID', 'SSN',         'D1234567',       '123-45-6789',   undefined],
  ['IN',      'PASSPORT',    'NATIONAL_ID', 'Z1234567',       '234123412346',  undefined],
] as const)('a document of %s, %s, beside a %s: %s and %s: %s', (country, subtype, nationalIdType, onDocument, entered, code) => {
  const person = makeKycData({
    nationality: country,
    nationalIdIssuingCountry: country,
    nationalIdType,
    nationalIdNumber: entered,
    documents: [makePassport({ subtype, countryCode: country, documentIdNumber: onDocument })],
  })
  const expected = code ? [{ code, field: 'kycData.documents[0].documentIdNumber', leadsTo: 'information' }] : []
  expect(checkConsistency(person, 'kycData', identityDay)).toEqual(expected)
})

// biome-ignore format: a table is read by column
test.each([
  // subtype                issued         finding
  ['PASSPORT',              '2024-05-01',  undefined],
  ['UTILITY_BILL',          '2024-05-01',  'INCORRECT_ID_TYPE documents[0].subtype'],
  ['BANK_STATEMENT',        '2024-05-01',  'INCORRECT_ID_TYPE documents[0].subtype'],
  ['TAX_BILL',              '2024-05-01',  'INCORRECT_ID_TYPE documents[0].subtype'],
  ['PASSPORT',              '1990-05-17',  undefined],
  ['PASSPORT',              '1990-05-16',  'INCONSISTENT_DETAILS documents[0].issuanceDate'],
])('an id of the subtype %s issued %s: %s', (subtype, issuanceDate, finding) => {
  const person = makeKycData({ dateOfBirth: '1990-05-17', documents: [makePassport({ subtype, issuanceDate })] })
  const found = checkConsistency(person, 'p', identityDay).map(({ code, field }) => `${code} ${field?.replace('p.', '')}`)
  expect(found).toEqual(finding ? [finding] : [])
})
