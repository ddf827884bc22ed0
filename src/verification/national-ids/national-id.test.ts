import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nationalIdTypeOf, nationalIdTypes } from '../../catalog/codes/national-id-types.ts'
import { splitCodes } from '../../catalog/codes/words.ts'
import { checkNationalId, nationalIdRules, readNationalId } from './national-id.ts'

// biome-ignore format: a table is read by column
test.each([
  // country  type
  ['US',       'NATIONAL_ID'],
  ['US',       'CPF'],
  ['DE',       'NATIONAL_ID'],
  ['DE',       'SSN'],
  ['FR',       'NATIONAL_ID'],
  ['ZW',       'NATIONAL_ID'],
  ['us',       'SSN'],
  ['XX',       'TIN'],
  ['toString', 'TIN'],
  ['BR',       'OTHER'],
])('no rule is known for %s %s', (country, type) => {
  expect(readNationalId(country, type, '1')).toBe('unknown')
})

test('any text is read without fault', () => {
  const countries = fc.constantFrom(...Object.keys(nationalIdRules))
  const types = fc.constantFrom(
    ...Object.values(nationalIdRules).flatMap((rules) => rules.flatMap(({ types: each }) => each)),
  )
  const numbers = fc.oneof(fc.string(), fc.stringMatching(/^[0-9A-Z]{0,20}$/), fc.stringMatching(/^\d{8,18}$/))
  fc.assert(
    fc.property(countries, types, numbers, (country, type, number) => {
      const reading = readNationalId(country, type, number)
      if (typeof reading !== 'string') expect(reading.birthDay).toMatch(/^$|^(?:\d{2})?\d{2}-\d{2}-\d{2}$/)
    }),
    { numRuns: 5_000 },
  )
})

// biome-ignore format: a table is read by column
test.each([
  // country type          number               born           finding
  ['US', 'SSN',            '123-45-6789',       '1990-05-17',  undefined],
  ['US', 'ssn',            '000-45-6789',       '1990-05-17',  'ID_NUMBER_NOT_VERIFIED'],
  ['SE', 'NATIONAL_ID',    '900517-0007',       '1990-05-17',  undefined],
  ['SE', 'NATIONAL_ID',    '900517-0007',       '1890-05-17',  undefined],
  ['SE', 'NATIONAL_ID',    '900517-0007',       '1990-05-18',  'BIRTH_DATE_MISMATCH'],
  ['SE', 'NATIONAL_ID',    '19900517-0007',     '1890-05-17',  'BIRTH_DATE_MISMATCH'],
  ['SE', 'NATIONAL_ID',    '900517-0007',       undefined,     undefined],
  ['CN', 'NATIONAL_ID',    '11010519491231002X', '1949-12-31', undefined],
  ['CN', 'NATIONAL_ID',    '11010519491231002X', '1949-12-13', 'BIRTH_DATE_MISMATCH'],
  ['ZW', 'NATIONAL_ID',    'any text',          '1990-05-17',  undefined],
  ['US', 'SSN',            undefined,           '1990-05-17',  undefined],
  ['US', undefined,        '000-45-6789',       '1990-05-17',  undefined],
  [undefined, 'SSN',       '000-45-6789',       '1990-05-17',  undefined],
] as const)('%s %s %s of a person born %s: %s', (country, type, number, born, code) => {
  const person = {
    ...(country ? { nationalIdIssuingCountry: country } : {}),
    ...(type ? { nationalIdType: type } : {}),
    ...(number ? { nationalIdNumber: number } : {}),
    ...(born ? { dateOfBirth: born } : {}),
  }
  const field = code === 'BIRTH_DATE_MISMATCH' ? 'kycData.dateOfBirth' : 'kycData.nationalIdNumber'
  expect(checkNationalId(person, 'kycData')).toEqual(code ? [{ code, field, leadsTo: 'information' }] : [])
})

test('the catalog of national ids lists the kinds that have a rule, and no other', () => {
  const withRules = Object.entries(nationalIdRules).map(([country, rules]) => [
    country,
    [...new Set(rules.flatMap(({ types }) => types))].toSorted(),
  ])
  const listed = Object.entries(nationalIdTypes).map(([country, types]) => [country, splitCodes(types).toSorted()])
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(withRules))
  for (const [country, types] of Object.entries(nationalIdTypes))
    for (const type of splitCodes(types))
      expect([country, type, nationalIdTypeOf(country, type)]).toEqual([country, type, type])
})
