import { expect, test } from 'vitest'
import { countryCodes, countryName, isCountryCode } from './countries.ts'

test('the standard has 249 codes of two capital letters, each with a name', () => {
  expect(countryCodes).toHaveLength(249)
  for (const code of countryCodes) {
    expect(code).toMatch(/^[A-Z]{2}$/)
    expect(isCountryCode(code)).toBe(true)
    expect(countryName(code)).toMatch(/\S/)
  }
})

test.each(['us', 'Us', 'USA', '840', 'UK', 'EU', 'XK', 'ZZ', 'SU', 'AN', '', ' US', 'US\n', 'toString', '__proto__'])(
  '%j is not a country',
  (text) => {
    expect(isCountryCode(text)).toBe(false)
    expect(countryName(text)).toBeUndefined()
  },
)

// biome-ignore format: a table is read by column
test.each([
  ['US', 'United States of America'],
  ['KR', 'Republic of Korea'],
  ['NL', 'Kingdom of the Netherlands'],
  ['CD', 'Democratic Republic of the Congo'],
  ['BQ', 'Bonaire, Sint Eustatius and Saba'],
  ['TR', 'Türkiye'],
])('%s is %s', (code, name) => {
  expect(countryName(code)).toBe(name)
})
