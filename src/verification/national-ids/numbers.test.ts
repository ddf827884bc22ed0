import { expect, test } from 'vitest'
import { isCountryCode } from '../../catalog/countries.ts'
import { nationalIdRules, readNationalId } from './national-id.ts'

// Specimens that authorities and standards print, and numbers made up from their rules. None belongs to a person.
// biome-ignore format: a table is read by column
const good: readonly (readonly [country: string, type: string, number: string, birthDay: string])[] = [
  ['US', 'SSN',              '123-45-6789',            ''],
  ['US', 'ssn',              '899999999',              ''],
  ['US', 'SSN',              '001-01-0001',            ''],
  ['US', 'ITIN',             '900-70-0000',            ''],
  ['US', 'ITIN',             '912-50-3456',            ''],
  ['US', 'ITIN',             '912-65-3456',            ''],
  ['US', 'ITIN',             '912-88-3456',            ''],
  ['US', 'ITIN',             '912-92-3456',            ''],
  ['US', 'EIN',              '12-3456789',             ''],
  ['US', 'TIN',              '12-3456789',             ''],
  ['US', 'TIN',              '912-90-3456',            ''],
  ['US', 'TIN',              '123-45-6789',            ''],
  ['PR', 'SSN',              '123-45-6789',            ''],
  ['CA', 'SIN',              '123 456 782',            ''],
  ['CA', 'TIN',              '046 454 286',            ''],
  ['BR', 'CPF',              '111.444.777-35',         ''],
  ['BR', 'TIN',              '11144477735',            ''],
  ['BR', 'CNPJ',             '11.222.333/0001-81',     ''],
  ['BR', 'CNPJ',             '12.ABC.345/01DE-35',     ''],
  ['MX', 'CURP',             'EXAA900517HDFXXD04',     '1990-05-17'],
  ['MX', 'CURP',             'EXAA010517MDFXXDA7',     '2001-05-17'],
  ['MX', 'RFC',              'XAXX010101000',          ''],
  ['AR', 'DNI',              '12.345.678',             ''],
  ['AR', 'CUIT',             '20-12345678-6',          ''],
  ['CL', 'RUT',              '12.345.678-5',           ''],
  ['CL', 'RUN',              '10.000.013-k',           ''],
  ['CO', 'NATIONAL_ID',      '1.234.567.890',          ''],
  ['EC', 'CEDULA',           '170000000-1',            ''],
  ['PE', 'DNI',              '12345678',               ''],
  ['PE', 'RUC',              '10123456781',            ''],
  ['UY', 'CI',               '1.234.567-2',            ''],
  ['GB', 'NINO',             'AA 12 34 56 C',          ''],
  ['GB', 'UTR',              '11234 56789',            ''],
  ['GB', 'TIN',              '1123456789K',            ''],
  ['IE', 'PPSN',             '1234567T',               ''],
  ['IE', 'PPSN',             '1234567TW',              ''],
  ['IE', 'PPSN',             '1234567FA',              ''],
  ['DE', 'STEUER_ID',        '86 095 742 719',         ''],
  ['DE', 'TIN',              '11234567890',            ''],
  ['FR', 'NIR',              '1 90 05 75 001 001 63',  ''],
  ['FR', 'NIR',              '1 90 05 2A 001 001 23',  ''],
  ['FR', 'TIN',              '30 23 217 600 053',      ''],
  ['BE', 'NATIONAL_ID',      '90.05.17-001.56',        '1990-05-17'],
  ['BE', 'NATIONAL_ID',      '01.05.17-001.59',        '2001-05-17'],
  ['NL', 'BSN',              '111222333',              ''],
  ['NL', 'BSN',              '123456782',              ''],
  ['ES', 'DNI',              '12345678-Z',             ''],
  ['ES', 'DNI',              '00000000T',              ''],
  ['ES', 'NIE',              'X0000000T',              ''],
  ['ES', 'NIE',              'Y0000000Z',              ''],
  ['ES', 'NIE',              'Z0000000M',              ''],
  ['PT', 'NIF',              '123456789',              ''],
  ['IT', 'CODICE_FISCALE',   'RSSMRA85T10A562S',       '85-12-10'],
  ['IT', 'TIN',              'XMPDAX90E57H501J',       '90-05-17'],
  ['AT', 'SVNR',             '1237 010180',            ''],
  ['CH', 'AHV',              '756.1234.5678.97',       ''],
  ['GR', 'AFM',              '123456783',              ''],
  ['SE', 'PERSONNUMMER',     '900517-0007',            '90-05-17'],
  ['SE', 'NATIONAL_ID',      '19900517-0007',          '1990-05-17'],
  ['SE', 'NATIONAL_ID',      '900577-0004',            '90-05-17'],
  ['NO', 'NATIONAL_ID',      '170590 00039',           '90-05-17'],
  ['NO', 'NATIONAL_ID',      '570590 00103',           '90-05-17'],
  ['DK', 'CPR',              '170590-0000',            '90-05-17'],
  ['FI', 'HETU',             '131052-308T',            '52-10-13'],
  ['FI', 'HETU',             '131052A308T',            '2052-10-13'],
  ['FI', 'NATIONAL_ID',      '170590U9008',            '1990-05-17'],
  ['EE', 'NATIONAL_ID',      '39005170002',            '1990-05-17'],
  ['LT', 'NATIONAL_ID',      '49005170003',            '1990-05-17'],
  ['LV', 'NATIONAL_ID',      '320000-00000',           ''],
  ['PL', 'PESEL',            '90051700004',            '1990-05-17'],
  ['PL', 'PESEL',            '01251700006',            '2001-05-17'],
  ['PL', 'TIN',              '123-456-78-02',          ''],
  ['CZ', 'NATIONAL_ID',      '900517/0009',            '90-05-17'],
  ['CZ', 'NATIONAL_ID',      '905517/0003',            '90-05-17'],
  ['CZ', 'NATIONAL_ID',      '902517/0000',            '90-05-17'],
  ['CZ', 'NATIONAL_ID',      '907517/0005',            '90-05-17'],
  ['CZ', 'NATIONAL_ID',      '450517/000',             '45-05-17'],
  ['SK', 'NATIONAL_ID',      '010517/0000',            '01-05-17'],
  ['HU', 'TIN',              '8450620007',             '1990-05-18'],
  ['RO', 'CNP',              '1900517000002',          '1990-05-17'],
  ['BG', 'EGN',              '9005170006',             '1990-05-17'],
  ['BG', 'EGN',              '0145170002',             '2001-05-17'],
  ['HR', 'OIB',              '12345678903',            ''],
  ['RS', 'JMBG',             '1705990710004',          '1990-05-17'],
  ['SI', 'EMSO',             '1705001500004',          '2001-05-17'],
  ['UA', 'TIN',              '3300900004',             '1990-05-17'],
  ['RU', 'INN',              '123456789047',           ''],
  ['IN', 'AADHAAR',          '9999 4105 7058',         ''],
  ['IN', 'AADHAAR',          '2341 2341 2346',         ''],
  ['IN', 'PAN',              'ABCPE1234F',             ''],
  ['CN', 'NATIONAL_ID',      '11010519491231002X',     '1949-12-31'],
  ['CN', 'NATIONAL_ID',      '110101199005170008',     '1990-05-17'],
  ['JP', 'MY_NUMBER',        '1234 5678 9018',         ''],
  ['KR', 'RRN',              '900517-1000000',         '1990-05-17'],
  ['TW', 'NATIONAL_ID',      'A123456789',             ''],
  ['HK', 'HKID',             'A123456(3)',             ''],
  ['HK', 'HKID',             'AB987654(3)',            ''],
  ['SG', 'NRIC',             'S1234567D',              ''],
  ['SG', 'NRIC',             'T1234567J',              ''],
  ['SG', 'FIN',              'F1234567N',              ''],
  ['SG', 'FIN',              'G1234567X',              ''],
  ['SG', 'FIN',              'M1234567K',              ''],
  ['TH', 'NATIONAL_ID',      '1-1000-00000-00-8',      ''],
  ['MY', 'MYKAD',            '900517-14-0000',         '90-05-17'],
  ['ID', 'NIK',              '3171015705900001',       '90-05-17'],
  ['KZ', 'IIN',              '900517300009',           '1990-05-17'],
  ['PK', 'CNIC',             '12345-1234567-1',        ''],
  ['AU', 'TFN',              '123 456 782',            ''],
  ['AU', 'TFN',              '12345677',               ''],
  ['NZ', 'IRD',              '49-091-850',             ''],
  ['NZ', 'IRD',              '10-000-009',             ''],
  ['TR', 'TCKN',             '10000000146',            ''],
  ['TR', 'VKN',              '1234567890',             ''],
  ['IL', 'NATIONAL_ID',      '12345678-2',             ''],
  ['IL', 'NATIONAL_ID',      '00018',                  ''],
  ['SA', 'NATIONAL_ID',      '1000000008',             ''],
  ['AE', 'EMIRATES_ID',      '784-1990-1234567-1',     ''],
  ['EG', 'NATIONAL_ID',      '29005170100001',         '1990-05-17'],
  ['NG', 'NIN',              '12345678901',            ''],
  ['ZA', 'NATIONAL_ID',      '800101 5009 087',        '80-01-01'],
  ['ZA', 'NATIONAL_ID',      '000229 0000 088',        '00-02-29'],
  ['ZA', 'TIN',              '0000000018',             ''],
]

test.each(good)('%s %s %s follows the rules', (country, type, number, birthDay) => {
  expect(readNationalId(country, type, number)).toEqual({ birthDay })
})

test('the table names only countries, and types in capitals', () => {
  expect(Object.keys(nationalIdRules).length).toBeGreaterThan(55)
  for (const [country, rules] of Object.entries(nationalIdRules)) {
    expect([country, isCountryCode(country)]).toEqual([country, true])
    for (const type of rules.flatMap(({ types }) => types)) expect(type).toMatch(/^[A-Z_]+$/)
    expect(
      good.some(([known]) => known === country) || ['GU', 'VI', 'AS', 'MP', 'BA', 'ME', 'MK'].includes(country),
    ).toBe(true)
  }
})

const withChecksum = good.filter(
  ([country]) => !['US', 'PR', 'DK', 'KR', 'MY', 'ID', 'LV', 'PK', 'NG', 'EG', 'AE'].includes(country),
)

test('a number with a checksum is refused with a wrong last digit', () => {
  const digitAtEnd = withChecksum.filter(
    ([, type, number]) => /\d\)?$/.test(number) && !['RFC', 'DNI', 'NATIONAL_ID'].includes(type),
  )
  expect(digitAtEnd.length).toBeGreaterThan(35)
  for (const [country, type, number] of digitAtEnd) {
    const other = number.replace(/\d(?=\)?$)/, (digit) => String((Number.parseInt(digit, 10) + 1) % 10))
    expect([country, other, readNationalId(country, type, other)]).toEqual([country, other, 'wrong'])
  }
})
