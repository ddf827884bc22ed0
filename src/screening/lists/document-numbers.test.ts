import { expect, test } from 'vitest'
import { normalizeDocumentNumber } from '../document-number.ts'
import { findCountryCode } from './country-names.ts'
import { readRemarkDocuments } from './document-numbers.ts'

// biome-ignore format: a table is read by column
test.each([
  // remark                                                                number           country
  ['Passport A123456 (Iran)',                                              'A123456',       'IR'],
  ['alt. Passport Z-99 88 77 (Russia) expires 12 Dec 2018',                'Z998877',       'RU'],
  ['Passport 123456789 (Korea, North) issued 01 Jan 2000.',                '123456789',     'KP'],
  ['National ID No. 0012345678 (Iran)',                                    '0012345678',    'IR'],
  ['Tax ID No. 7707083893 (Russia)',                                       '7707083893',    'RU'],
  ['Identification Number 22000012345 (Turkey)',                           '22000012345',   'TR'],
  ['Cedula No. 12345678 (Colombia)',                                       '12345678',      'CO'],
  ['SSN 123-45-6789 (United States)',                                      '123456789',     'US'],
  ['C.U.R.P. ABCD800101HDFXYZ09 (Mexico)',                                 'ABCD800101HDFXYZ09', 'MX'],
  ['NIT # 900123456-1 (Colombia)',                                         '9001234561',    'CO'],
  ['Registration Number 1234567890123 (Yugoslavia)',                       '1234567890123', undefined],
  ['Diplomatic Passport D0012345',                                         'D0012345',      undefined],
  ['Passport K 7654321 (Syria)',                                           'K7654321',      'SY'],
  ['Unified Social Credit Code (USCC) 91110000MA00000000 (China)',         '91110000MA00000000', 'CN'],
  ['Passport 12 (Iran)',                                                   undefined,       undefined],
  ['Passport (Iran) expires 12 Dec 2018',                                  undefined,       undefined],
] as const)('%s is the number %s of %s', (remark, number, country) => {
  const [found, ...others] = readRemarkDocuments(`DOB 1961; ${remark}; Gender Male`)
  expect(others).toEqual([])
  expect([found?.document?.number, found?.document?.country]).toEqual([number, country])
})

test.each([
  'DOB 12 Mar 1961',
  'Phone Number 1234567890',
  'Identification Number IMO 9187629',
  'Chinese Commercial Code 2621/1764/6528',
  'Digital Currency Address - XBT 1Boat',
  'Executive Order 13645 Determination',
  'Additional Sanctions Information - Subject to Secondary Sanctions',
])('%s is no document number', (remark) => {
  expect(readRemarkDocuments(remark)).toEqual([])
})

// biome-ignore format: a table is read by column
test.each([
  ['Iran',                                  'IR'],
  ['Iran (Islamic Republic of)',            'IR'],
  ['Democratic Republic of the Congo',      'CD'],
  ['Congo, Democratic Republic of the',     'CD'],
  ["Democratic People's Republic of Korea", 'KP'],
  ['Korea, South',                          'KR'],
  ['Syrian Arab Republic',                  'SY'],
  ['Syria',                                 'SY'],
  ['United Kingdom',                        'GB'],
  ['United States of America',              'US'],
  ['Türkiye',                               'TR'],
  ['Burma',                                 'MM'],
  ['Cote d Ivoire',                         'CI'],
  ['Soviet Union',                          undefined],
  ['',                                      undefined],
] as const)('%s has the code %s', (name, code) => {
  expect(findCountryCode(name)).toBe(code)
})

test.each([
  ['capitals and signs', 'a-123 45/67'],
  ['a Cyrillic letter', 'А1234567'],
  ['a Greek letter', 'Α1234567'],
  ['Persian digits', 'A۱۲۳۴۵۶۷'],
  ['Arabic digits', 'A١٢٣٤٥٦٧'],
  ['wide letters', 'Ａ１２３４５６７'],
  ['a letter of no width', 'A123\u200B4567'],
])('%s do not hide a document number', (_, number) => {
  expect(normalizeDocumentNumber(number)).toBe('A1234567')
})
