import { expect, test } from 'vitest'
import { isCountryCode } from '../countries.ts'
import { countriesWithoutPostalCodes, needsPostalCode, postalCodeProblem, postalCodes } from './postal-codes.ts'

// biome-ignore format: a table is read by column
const examples: Record<string, { good: string[]; bad: string[] }> = {
  // The three countries that the contract names.
  EG: { good: ['11511', '1151101'],                       bad: ['1151', '115110', '11511012', 'A1511', '11511-01'] },
  AR: { good: ['1002', 'C1002', 'C1002ABC', 'c1002abc', '1002ABC', 'B1636FDA'],
        bad: ['100', '10022', 'I1002ABC', 'O1002ABC', 'C1002AB', 'C 1002', 'CC1002ABC', 'Ñ1002'] },
  GB: { good: ['SW1A 1AA', 'sw1a1aa', 'M1 1AE', 'B33 8TH', 'CR2 6XH', 'DN55 1PT', 'W1A 0AX', 'EC1A 1BB', 'GIR 0AA',
               'gir0aa', 'N1P 2JB', 'BX1 1LT', 'BF1 3AA', 'BFPO 57', 'JE2 3AB'],
        bad: ['SW1A', 'SW1A  1AA', 'SW1A 1A', 'SW1A 1AAA', 'QA1 1AA', 'VA1 1AA', 'XA1 1AA', 'SW1A 1AC', 'SW1A AAA',
              'AI1 1AA', 'AZ1 1AA', 'W1I 0AX', 'EC1C 1BB', 'GIR 0AB', 'GIR 1AA', '1AA SW1A', '12345', 'ＳＷ1A 1AA'] },
  US: { good: ['10001', '10001-1234', '100011234', '00501'], bad: ['1000', '100011', '10001-123', 'ABCDE', '10001–1234'] },
  CA: { good: ['K1A 0B1', 'k1a0b1', 'V6B-1A1', 'X0E 0T0'], bad: ['D1A 0B1', 'W1A 0B1', 'K1A 0O1', 'K1A 0B', 'KIA 0B1', '12345'] },
  MX: { good: ['06000'],                                  bad: ['6000', '06000-1'] },
  BR: { good: ['01310-100', '01310100'],                  bad: ['01310', '0131-0100', '01310 100'] },
  CL: { good: ['8320000', '832-0000', '832 0000'],        bad: ['832000', '83200000'] },
  CO: { good: ['110111'],                                 bad: ['11011', '1101111'] },
  PE: { good: ['15001', 'LIMA 15', 'Callao 2'],           bad: ['1500', '95001', 'LIMA'] },
  DE: { good: ['10115', '01067', '99998'],                bad: ['1011', '00115', '101155', 'D-10115', '１０１１５'] },
  FR: { good: ['75001', '75 001', '01000', '20000', '97400'], bad: ['7500', '00100', '99999', '750011'] },
  IT: { good: ['00184', '98168'],                         bad: ['0018', '001844'] },
  ES: { good: ['28013', '01001', '52006'],                bad: ['00013', '53000', '2801'] },
  NL: { good: ['1012 JS', '1012js'],                      bad: ['0012 JS', '1012', '1012 SS', '1012 SA', '1012 SD', '1012 J'] },
  BE: { good: ['1000', '9992'],                           bad: ['0100', '10000'] },
  LU: { good: ['1111', 'L-1111', 'l1111'],                bad: ['111', 'LU-1111'] },
  IE: { good: ['D02 AF30', 'A65F4E2', 'd6w xy00', 'T12 W8P0'], bad: ['D2 AF30', 'B02 AF30', 'D02 AF3', 'D02 BF30', 'D7W XY00', 'D02'] },
  AT: { good: ['1010', '9992'],                           bad: ['0100', '10100'] },
  CH: { good: ['8001', '1200'],                           bad: ['0801', '80010', 'CH-8001'] },
  LI: { good: ['9490', '9485', '9498'],                   bad: ['9484', '9499', '8001'] },
  PT: { good: ['1100-148', '1100148', '1100 148'],        bad: ['1100', '0100-148', '1100-14'] },
  PL: { good: ['00-001', '00001'],                        bad: ['0-0001', '000-01', '00-00'] },
  CZ: { good: ['110 00', '11000'],                        bad: ['010 00', '810 00', '1100'] },
  SK: { good: ['811 01', '01001', '949 01'],              bad: ['111 01', '8110'] },
  HU: { good: ['1051'],                                   bad: ['0051', '10511'] },
  RO: { good: ['010011'],                                 bad: ['10011'] },
  BG: { good: ['1000'],                                   bad: ['0100', '10000'] },
  HR: { good: ['10000', '52100'],                         bad: ['60000', '1000'] },
  SI: { good: ['1000'],                                   bad: ['0100', '10000'] },
  GR: { good: ['105 57', '10557'],                        bad: ['905 57', '1055'] },
  CY: { good: ['1010'],                                   bad: ['0101', '99010'] },
  MT: { good: ['VLT 1117', 'vlt1117'],                    bad: ['VLT 11', 'VL 1117', '1117'] },
  DK: { good: ['1050', '0800'],                           bad: ['105', '10500'] },
  SE: { good: ['111 22', '11122'],                        bad: ['011 22', '1112', '11 122'] },
  FI: { good: ['00100'],                                  bad: ['0100', '001000'] },
  NO: { good: ['0150'],                                   bad: ['150', '01500'] },
  IS: { good: ['101'],                                    bad: ['011', '1010'] },
  EE: { good: ['10111'],                                  bad: ['1011'] },
  LV: { good: ['LV-1010', '1010', 'lv1010'],              bad: ['LV-101', 'LT-1010'] },
  LT: { good: ['LT-01100', '01100'],                      bad: ['LT-0110', '0110'] },
  TR: { good: ['34110', '01010', '81000'],                bad: ['00110', '82000', '3411'] },
  UA: { good: ['01001'],                                  bad: ['1001', '010011'] },
  RU: { good: ['101000'],                                 bad: ['10100', '1010000'] },
  CN: { good: ['100000'],                                 bad: ['10000', '1000000'] },
  JP: { good: ['100-0001', '1000001'],                    bad: ['100-001', '1000-001'] },
  KR: { good: ['03051'],                                  bad: ['110-100', '110100', '3051'] },
  IN: { good: ['110001', '110 001'],                      bad: ['010001', '11001', '1100 01'] },
  SG: { good: ['018956'],                                 bad: ['18956'] },
  ID: { good: ['10110'],                                  bad: ['01110', '1011'] },
  MY: { good: ['50050', '05050'],                         bad: ['5005'] },
  TH: { good: ['10200'],                                  bad: ['00200', '1020'] },
  VN: { good: ['11022', '100000'],                        bad: ['1102', '1000000'] },
  PH: { good: ['1000'],                                   bad: ['10000'] },
  PK: { good: ['44000'],                                  bad: ['4400'] },
  BD: { good: ['1000'],                                   bad: ['0100', '10000'] },
  SA: { good: ['11564', '11564-1234'],                    bad: ['1156', '11564-12'] },
  IL: { good: ['9103401', '91034'],                       bad: ['910340', '9103'] },
  TW: { good: ['100', '10048', '100012'],                 bad: ['10', '1000', '1000123'] },
  AU: { good: ['2000', '0800'],                           bad: ['200', '20000'] },
  NZ: { good: ['6011', '0110'],                           bad: ['611', '60111'] },
  ZA: { good: ['0001', '8001'],                           bad: ['001', '80011'] },
  NG: { good: ['900211'],                                 bad: ['90021'] },
  KE: { good: ['00100'],                                  bad: ['0100'] },
}
const flatten = (kind: 'good' | 'bad') =>
  Object.entries(examples).flatMap(([country, codes]) => codes[kind].map((code) => [country, code] as const))

test.each(flatten('good'))('in %s %j is a postal code', (country, code) => {
  expect(postalCodeProblem(country, code)).toBeUndefined()
})

test.each(flatten('bad'))('in %s %j is not', (country, code) => {
  const [, example] = postalCodes[country]!
  expect(postalCodeProblem(country, code)).toBe(`must be a postal code as written in ${country}, such as ${example}`)
})

test('every line of the table is about a country and fits its own example', () => {
  for (const [country, [pattern, example]] of Object.entries(postalCodes)) {
    expect([country, isCountryCode(country), pattern.test(example)]).toEqual([country, true, true])
    expect([country, postalCodeProblem(country, ` ${example}`) === undefined]).toEqual([country, false])
    expect([country, postalCodeProblem(country, `${example}\n`) === undefined]).toEqual([country, false])
  }
})

test('every country we intend to serve is in the table or has no postal codes', () => {
  const group20 = [
    'AR',
    'AU',
    'BR',
    'CA',
    'CN',
    'DE',
    'FR',
    'GB',
    'ID',
    'IN',
    'IT',
    'JP',
    'KR',
    'MX',
    'RU',
    'SA',
    'TR',
    'US',
    'ZA',
  ]
  // biome-ignore format: a list of codes is read in lines
  const union = [
    'AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU', 'IE', 'IT', 'LT', 'LU',
    'LV', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK',
  ]
  const area = ['IS', 'LI', 'NO', 'CH']
  const others = ['SG', 'NZ', 'NG', 'KE', 'TH', 'VN', 'PH', 'MY', 'IL', 'UA', 'CL', 'CO', 'PE', 'PK', 'BD', 'EG']
  expect(union).toHaveLength(27)
  for (const country of [...group20, ...union, ...area, ...others]) expect(Object.keys(postalCodes)).toContain(country)
  for (const country of ['HK', 'AE']) expect(countriesWithoutPostalCodes).toContain(country)
})

test.each(countriesWithoutPostalCodes)(
  '%s has no postal codes: none is required, and any text is accepted',
  (country) => {
    expect(isCountryCode(country)).toBe(true)
    expect(Object.keys(postalCodes)).not.toContain(country)
    expect(needsPostalCode(country)).toBe(false)
    for (const text of ['00000', 'none', 'P.O. Box 7']) expect(postalCodeProblem(country, text)).toBeUndefined()
    for (const text of ['', '  ', 'x'.repeat(21)]) {
      expect(postalCodeProblem(country, text)).toBe('must have 1 to 20 characters')
    }
  },
)

// biome-ignore format: a table is read by column
test.each([
  // country     code                  problem
  ['GH',         'GA-183-8164',        undefined],
  ['KZ',         'A15 E3B4',           undefined],
  ['toString',   '12345',              undefined],
  ['GH',         'GA/183',             'must have only letters, digits, spaces and hyphens'],
  ['GH',         'GA_183',             'must have only letters, digits, spaces and hyphens'],
  ['GH',         '',                   'must have 1 to 20 characters'],
  ['GH',         '1'.repeat(21),       'must have 1 to 20 characters'],
  ['US',         '',                   'must have 1 to 20 characters'],
  ['US',         '1'.repeat(100_000),  'must have 1 to 20 characters'],
])('in %s %s has this problem: %s', (country, code, problem) => {
  expect(postalCodeProblem(country, code)).toBe(problem)
})

test.each(['US', 'CA', 'GB', 'DE', 'IN', 'JP', 'BR', 'ZA'])('an address in %s needs a code', (country) => {
  expect(needsPostalCode(country)).toBe(true)
})

test.each(['IE', 'HK', 'AE', 'NG', 'CO', 'GH', 'ZZ'])('an address in %s is complete without', (country) => {
  expect(needsPostalCode(country)).toBe(false)
})
