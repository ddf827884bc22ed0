import { expect, test } from 'vitest'
import { makeBusinessSubmission, makeKybData, makeSubmission } from '../../../test/support/customers/identities.ts'
import { areAlike, checkProfileName, wordsOf } from './profile-name.ts'

// biome-ignore format: a table is read by column
test.each([
  // given on creation         legal name                          different
  ['Ada Example',              'Ada | | Example',                  []],
  ['ADA EXAMPLE',              'Ada | | Example',                  []],
  ['Ada | Example',            'Ada | King | Example',             []],
  ['King | Example',           'Ada | King | Example',             []],
  ['Example | Ada',            'Ada | | Example',                  []],
  ['Jose | Munoz',             'José | | Muñoz',                   []],
  ['Soren | Ostergaard',       'Søren | | Østergaard',             []],
  ['Lukasz | Strauss',         'Łukasz | | Strauß',                []],
  ['Juergen | Mueller',        'Jürgen | | Müller',                []],
  ['Anne Marie | Smith Jones', 'Anne-Marie | | Smith-Jones',       []],
  ['Annemarie | Smith',        'Anne-Marie | | Smith-Jones',       []],
  ['Sean | OBrien',            'Seán | | O’Brien',                 []],
  ['A. | Example',             'Ada | | Example',                  []],
  ['Bill | Example',           'William | | Example',              []],
  ['Bob | Example',            'Robert | | Example',               []],
  ['Jim | Example',            'James | | Example',                []],
  ['Liz | Example',            'Elizabeth | | Example',            []],
  ['Ada | Exmaple',            'Ada | | Example',                  []],
  ['Ada | van der Berg',       'Ada | | Vanderberg',               []],
  ['Ada | Garcia',             'Ada | | García Márquez',           []],
  ['Мария | Иванова',          'Maria | | Ivanova',                []],
  ['Мария | Иванова',          'Мария | | Иванова',                []],
  ['Мария | Иванова',          'Мария | | Смирнова',               ['legalLastName']],
  ['Ada | Example',            'Ada | | Lovelace',                 ['legalLastName']],
  ['Peggy | Example',          'Margaret | | Example',             []],
  ['Tom | Example',            'Grace | | Example',                ['legalFirstName']],
  ['Tom | Example',            'Grace | |',                        []],
  ['Tom | Quill',              '| | Example',                      []],
  ['Ada | Meier',              'Ada | | Mayer',                    ['legalLastName']],
  ['Ada | Baren',              'Ada | | Beran',                    ['legalLastName']],
  ['Ada | Silva',              'Ada | | Sliva',                    ['legalLastName']],
  ['Ada | Bill',               'Ada | | William',                  ['legalLastName']],
  ['Ada | Lovelace',           'Ada | | Byron',                    ['legalLastName']],
  ['Ada | Lovelace',           'Ada | | Byron-Lovelace',           []],
  ['Ada | Gonsalez',           'Ada | | Gonzales',                 []],
  ['Ali | Aliyev',             'Əli | | Əliyev',                   []],
  ['John | Smith',             'Maria | | Garcia',                 ['legalFirstName', 'legalLastName']],
  ['| Example',                'Ada | | Lovelace',                 ['legalLastName']],
  ['Ada |',                    'Ada | | Lovelace',                 []],
  ['|',                        'Ada | | Lovelace',                 []],
  ['Ada | Example',            '| |',                              []],
])('%s beside %s', (given, legal, different) => {
  const [firstName = '', lastName = ''] = given.split('|')
  const [legalFirstName = '', legalMiddleName = '', legalLastName = ''] = legal.split('|')
  const profile = { email: 'ada@example.com', firstName, lastName }
  const found = checkProfileName(makeSubmission({ legalFirstName, legalMiddleName, legalLastName }, { profile }))
  expect(found).toEqual(different.map((name) => ({ code: 'ID_DATA_MISMATCH', field: `kycData.${name}`, leadsTo: 'information' })))
})

// biome-ignore format: a table is read by column
test.each([
  // given on creation         legal name                          other name        different
  ['Example Goods',            'Example Goods Inc',                '',               false],
  ['EXAMPLE GOODS, L.L.C.',    'Example Goods LLC',                '',               false],
  ['Example Shop',             'Example Goods Inc',                '',               false],
  ['Corner Shop',              'Smith Trading Ltd',                'The Corner Shop', false],
  ['IBC',                      'International Business Cables Co', '',               false],
  ['ABC',                      'Alpha Beta Cables Ltd',            '',               false],
  ['Alpha Beta Cables',        'ABC Ltd',                          '',               false],
  ['Global Services Ltd',      'Global Services Limited',          '',               false],
  ['Sunrise Ltd',              'Moonlight Ltd',                    '',               true],
  ['The Sunrise Company',      'The Moonlight Company',            '',               true],
  ['株式会社例',                 'Example KK',                       '',               false],
  ['',                         'Example Goods Inc',                '',               false],
  ['Example Goods',            '',                                 '',               false],
])('the business %j beside %j, also called %j, is clearly different: %s', (businessName, legalBusinessName, dbaName, isOther) => {
  const businessInfo = { ...makeKybData().businessInfo, legalBusinessName, dbaName }
  const profile = { email: 'shop@example.com', businessName, firstName: 'Contact', lastName: 'Person' }
  const finding = { code: 'ID_DATA_MISMATCH', field: 'kybData.businessInfo.legalBusinessName', leadsTo: 'information' }
  expect(checkProfileName(makeBusinessSubmission({ businessInfo }, { profile }))).toEqual(isOther ? [finding] : [])
})

// biome-ignore format: a table is read by column
test.each([
  ['ada',      'ada',       true],
  ['ada',      'a',         true],
  ['ada',      'adam',      true],
  ['anna',     'joanna',    true],
  ['ann',      'joanna',    false],
  ['smith',    'smyth',     true],
  ['smith',    'schmidt',   false],
  ['katherine', 'catharine', true],
  ['lee',      'leo',       false],
  ['',         'ada',       false],
])('%j and %j are alike: %s', (one, other, expected) => {
  expect(areAlike(one, other)).toBe(expected)
  expect(areAlike(other, one)).toBe(expected)
})

test('words have no case, marks and punctuation', () => {
  expect(wordsOf(' Åsa  d’Arc-O’Neill, Jr. ')).toEqual(['asa', 'darc', 'oneill', 'jr'])
})

test('missing names are not compared', () => {
  expect(checkProfileName(makeSubmission({}, { identity: {} }))).toEqual([])
  expect(checkProfileName(makeBusinessSubmission({}, { identity: {} }))).toEqual([])
})
