import { expect, test } from 'vitest'
import { fiatRails } from '../../catalog/currencies.ts'
import { coordinateProblem, railFields, readCoordinates } from './bank-coordinates.ts'

// biome-ignore format: a table is read by column
test.each([
  // number        right   why
  ['021000021',    true,   'New York'],
  ['026009593',    true,   'New York'],
  ['121000248',    true,   'San Francisco'],
  ['011401533',    true,   'Boston'],
  ['091000019',    true,   'Minneapolis'],
  ['122105155',    true,   'San Francisco'],
  ['124003116',    true,   'Utah'],
  ['256074974',    true,   'a thrift'],
  ['322271627',    true,   'a thrift'],
  ['314074269',    true,   'a thrift'],
  ['061000104',    true,   'Atlanta'],
  ['000000518',    true,   'the Treasury'],
  ['800000008',    false,  'a wrong check digit'],
  ['021000022',    false,  'the last digit changed'],
  ['021000012',    false,  'two digits swapped'],
  ['012000021',    false,  'two digits swapped'],
  ['121000249',    false,  'the last digit changed'],
  ['000000000',    false,  'nothing but zeros'],
  ['130000006',    false,  'no such district'],
  ['500000005',    false,  'no such district'],
  ['990000001',    false,  'no such district'],
  ['02100002',     false,  'eight digits'],
  ['0210000210',   false,  'ten digits'],
  ['02100002a',    false,  'a letter'],
  ['021-000-021',  false,  'hyphens'],
  [' 21000021',    false,  'a blank'],
  ['٠٢١٠٠٠٠٢١',    false,  'digits of another script'],
  ['',             false,  'nothing'],
] as const)('the routing number %j is valid: %s (%s)', (text, isRight, _why) => {
  expect(coordinateProblem('ACH', 'routingNumber', text) === undefined).toBe(isRight)
})

test('a change of any one digit of a routing number is detected', () => {
  const right = '021000021'
  for (let place = 0; place < 9; place++) {
    for (const digit of '0123456789') {
      const changed = right.slice(0, place) + digit + right.slice(place + 1)
      if (changed !== right) expect(coordinateProblem('WIRE', 'routingNumber', changed)).toBeDefined()
    }
  }
})

// The valid ones are the examples of the IBAN registry, and well-known test accounts.
// biome-ignore format: a table is read by column
test.each([
  // IBAN                              problem
  ['DE89370400440532013000',           undefined],
  ['GB29NWBK60161331926819',           undefined],
  ['FR1420041010050500013M02606',      undefined],
  ['ES9121000418450200051332',         undefined],
  ['IT60X0542811101000000123456',      undefined],
  ['NL91ABNA0417164300',               undefined],
  ['BE68539007547034',                 undefined],
  ['CH9300762011623852957',            undefined],
  ['AT611904300234573201',             undefined],
  ['IE29AIBK93115212345678',           undefined],
  ['PT50000201231234567890154',        undefined],
  ['NO9386011117947',                  undefined],
  ['LT121000011101001000',             undefined],
  ['MT84MALT011000012345MTLCAST001S',  undefined],
  ['LI21088100002324013AA',            undefined],
  ['SM86U0322509800000000270100',      undefined],
  ['VA59001123000012345678',           undefined],
  ['GI75NWBK000000007099453',          undefined],
  ['AL47212110090000000235698741',     undefined],
  ['RS35260005601001611379',           undefined],
  ['DE89370400440532013001',           'must have valid check digits'],
  ['DE98370400440532013000',           'must have valid check digits'],
  ['DE8937040044053201300',            'must have the length of an IBAN of DE'],
  ['DE893704004405320130000',          'must have the length of an IBAN of DE'],
  ['DE8937040044053201300A',           'must have the format of an IBAN of DE'],
  ['BR1800360305000010009795493C1',    'must belong to a country in the SEPA area'],
  ['AE070331234567890123456',          'must belong to a country in the SEPA area'],
  ['TR330006100519786457841326',       'must belong to a country in the SEPA area'],
  ['UA213223130000026007233566001',    'must belong to a country in the SEPA area'],
  ['IL620108000000099999999',          'must belong to a country in the SEPA area'],
  ['XX89370400440532013000',           'must begin with the code of a country that uses IBANs'],
  ['US89370400440532013000',           'must begin with the code of a country that uses IBANs'],
  ['89370400440532013000',             'must begin with the code of a country that uses IBANs'],
  ['',                                 'must begin with the code of a country that uses IBANs'],
] as const)('the problem of the IBAN %j: %s', (text, problem) => {
  expect(coordinateProblem('SEPA', 'iban', text)).toBe(problem)
})

// biome-ignore format: a table is read by column
test.each([
  ['COBADEFF',     true],  ['COBADEFFXXX',  true],  ['DEUTDEFF500',  true],  ['BOFAUS3N',     true],
  ['CHASUS33',     true],  ['NWBKGB2L',     true],  ['BNPAFRPP',     true],  ['INGBNL2A',     true],
  ['REVOLT21',     true],  ['UBSWCHZH80A',  true],
  ['COBADEF',      false], ['COBADEFFX',    false], ['COBADEFFXX',   false], ['COBADEFFXXXX', false],
  ['COBAXXFF',     false], ['C0BADEFF!',    false], ['COBADEF-',     false], ['12345678',     false],
  ['COBADE',       false], ['',             false],
] as const)('the BIC %j is valid: %s', (text, isRight) => {
  expect(coordinateProblem('SEPA', 'bicSwift', text) === undefined).toBe(isRight)
})

// biome-ignore format: a table is read by column
test.each([
  ['HDFC0000123',  true],  ['SBIN0000300',  true],  ['ICIC0000001',  true],  ['UTIB0000009',  true],
  ['PUNB0244200',  true],  ['KKBK0000958',  true],  ['YESB0CMSNOC',  true],  ['AIRP0000001',  true],
  ['BARB0VJMARC',  true],  ['IDIB000C001',  true],
  ['HDFC1000123',  false], ['HDF00000123',  false], ['HDFC000012',   false], ['HDFC00001234', false],
  ['HDFCO000123',  false], ['1DFC0000123',  false], ['hdfc0000123',  false], ['HDFC0-00123',  false],
  ['HDFC0 00123',  false], ['',             false],
] as const)('the IFSC %j is valid: %s', (text, isRight) => {
  expect(coordinateProblem('IN_NEFT_RTGS_IMPS', 'ifscCode', text) === undefined).toBe(isRight)
})

// biome-ignore format: a table is read by column
test.each([
  // rail                field                number                  right
  ['ACH',                'accountNumber',     '1234',                 true],
  ['ACH',                'accountNumber',     '00000000000000000',    true],
  ['ACH',                'accountNumber',     '123',                  false],
  ['ACH',                'accountNumber',     '123456789012345678',   false],
  ['ACH',                'accountNumber',     '12-3456',              false],
  ['WIRE',               'accountNumber',     '4417123456',           true],
  ['WIRE',               'accountNumber',     'GB29NWBK60161331',     false],
  ['CA_INTERAC',         'accountNumber',     '1234567',              true],
  ['CA_INTERAC',         'accountNumber',     '123456789012',         true],
  ['CA_INTERAC',         'accountNumber',     '123456',               false],
  ['CA_INTERAC',         'accountNumber',     '1234567890123',        false],
  ['CA_INTERAC',         'institutionNumber', '003',                  true],
  ['CA_INTERAC',         'institutionNumber', '815',                  true],
  ['CA_INTERAC',         'institutionNumber', '03',                   false],
  ['CA_INTERAC',         'institutionNumber', '0003',                 false],
  ['CA_INTERAC',         'institutionNumber', '00A',                  false],
  ['CA_INTERAC',         'transitNumber',     '12345',                true],
  ['CA_INTERAC',         'transitNumber',     '00001',                true],
  ['CA_INTERAC',         'transitNumber',     '1234',                 false],
  ['CA_INTERAC',         'transitNumber',     '123456',               false],
  ['CA_INTERAC',         'transitNumber',     '12-345',               false],
  ['IN_NEFT_RTGS_IMPS',  'accountNumber',     '123456789',            true],
  ['IN_NEFT_RTGS_IMPS',  'accountNumber',     '123456789012345678',   true],
  ['IN_NEFT_RTGS_IMPS',  'accountNumber',     '12345678',             false],
  ['IN_NEFT_RTGS_IMPS',  'accountNumber',     '1234567890123456789',  false],
  ['IN_NEFT_RTGS_IMPS',  'accountNumber',     '12345678９',           false],
] as const)('on %s the %s %j is valid: %s', (rail, field, text, isRight) => {
  expect(coordinateProblem(rail, field, text) === undefined).toBe(isRight)
})

const us = { routingNumber: '021000021', accountNumber: '000123456789' }
const canada = { institutionNumber: '003', transitNumber: '12345', accountNumber: '1234567' }

// biome-ignore format: a table is read by column
test.each([
  // rail                 sent                                              fields that are wrong
  ['ACH',                 us,                                               []],
  ['ACH',                 {},                                               ['routingNumber', 'accountNumber']],
  ['ACH',                 { accountNumber: '000123456789' },                ['routingNumber']],
  ['ACH',                 { ...us, iban: 'DE89370400440532013000' },        ['iban']],
  ['ACH',                 { ...us, bicSwift: 'BOFAUS3N' },                  ['bicSwift']],
  ['ACH',                 { ...us, ifscCode: 'HDFC0000123', ...canada },    ['ifscCode', 'institutionNumber', 'transitNumber']],
  ['WIRE',                { ...us, bicSwift: 'BOFAUS3N' },                  []],
  ['WIRE',                { ...us, bicSwift: 'BOFA' },                      ['bicSwift']],
  ['SEPA',                { iban: 'DE89370400440532013000' },               []],
  ['SEPA',                { iban: 'de89 3704 0044 0532 0130 00' },          []],
  ['SEPA',                { iban: 'DE89370400440532013001', bicSwift: 'x' }, ['iban', 'bicSwift']],
  ['SEPA',                us,                                               ['iban', 'routingNumber', 'accountNumber']],
  ['CA_INTERAC',          canada,                                           []],
  ['CA_INTERAC',          { interacEmail: 'ada@example.com' },              []],
  ['CA_INTERAC',          { ...canada, interacEmail: 'ada@example.com' },   ['interacEmail']],
  ['CA_INTERAC',          { transitNumber: '12345' },                       ['institutionNumber', 'accountNumber']],
  ['CA_INTERAC',          {},                                               ['interacEmail']],
  ['IN_NEFT_RTGS_IMPS',   { ifscCode: 'hdfc0000123', accountNumber: '50100123456789' }, []],
  ['IN_NEFT_RTGS_IMPS',   { ifscCode: 'HDFC0000123' },                      ['accountNumber']],
  ['IN_NEFT_RTGS_IMPS',   { accountNumber: 7 },                             ['ifscCode']],
] as const)('on %s, %j has the invalid fields %j', (rail, sent, wrong) => {
  const { problems } = readCoordinates(rail, sent)
  expect(problems.map(({ field }) => field).sort()).toEqual([...wrong].sort())
})

test('coordinates are kept in the notation of the rail', () => {
  const sepa = readCoordinates('SEPA', { iban: 'de89 3704 0044 0532 0130 00', bicSwift: 'cobadeff' })
  expect(sepa.coordinates).toEqual({ iban: 'DE89370400440532013000', bicSwift: 'COBADEFF' })
  const interac = readCoordinates('CA_INTERAC', { interacEmail: 'Ada@Example.com' })
  expect(interac.coordinates).toEqual({ interacEmail: 'ada@example.com' })
})

test('every rail has fields that identify an account', () => {
  for (const rail of fiatRails) expect(railFields[rail].alternatives.flat().length).toBeGreaterThan(0)
})
