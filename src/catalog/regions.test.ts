import { iso31662 } from 'iso-3166'
import { expect, test } from 'vitest'
import { enforcedRegions, regionProblem } from './regions.ts'

const codesOf = (country: string) => Object.keys(enforcedRegions[country]?.names ?? {}).sort()
const standardCodesOf = (country: string) =>
  iso31662.filter(({ parent }) => parent === country).map(({ code }) => code.slice(3))

test('Canada and China have the regions of the standard', () => {
  expect(codesOf('CA')).toHaveLength(13)
  expect(codesOf('CA')).toEqual(standardCodesOf('CA').sort())
  expect(codesOf('CN')).toHaveLength(34)
  expect(codesOf('CN')).toEqual(standardCodesOf('CN').sort())
})

test('the United States have the inhabited regions of the standard and military addresses', () => {
  expect(codesOf('US')).toHaveLength(59)
  const inhabited = standardCodesOf('US').filter((code) => code !== 'UM')
  expect(codesOf('US')).toEqual([...inhabited, 'AA', 'AE', 'AP'].sort())
})

// biome-ignore format: a table is read by column
test.each([
  // country  region
  ['US',      'CA'],
  ['US',      'DC'],
  ['US',      'PR'],
  ['US',      'AP'],
  ['CA',      'QC'],
  ['CA',      'NU'],
  ['CN',      'GD'],
  ['CN',      'HK'],
  ['CN',      'XZ'],
  ['DE',      'Bayern'],
  ['GB',      'Greater London'],
  ['IN',      'KA'],
  ['BR',      ''],
  ['toString', 'XX'],
])('%s may have %j', (country, region) => {
  expect(regionProblem(country, region)).toBeUndefined()
})

// biome-ignore format: a table is read by column
test.each([
  // country  region        example
  ['US',      'ZZ',         'NY'],
  ['US',      'ny',         'NY'],
  ['US',      'New York',   'NY'],
  ['US',      'US-NY',      'NY'],
  ['US',      'ON',         'NY'],
  ['US',      'UM',         'NY'],
  ['US',      '',           'NY'],
  ['US',      'NY ',        'NY'],
  ['US',      'toString',   'NY'],
  ['CA',      'NF',         'ON'],
  ['CA',      'PQ',         'ON'],
  ['CA',      'Ontario',    'ON'],
  ['CN',      '11',         'GD'],
  ['CN',      '44',         'GD'],
  ['CN',      'CN-44',      'GD'],
  ['CN',      '91',         'GD'],
  ['CN',      'Guangdong',  'GD'],
])('%s has no %j', (country, region, example) => {
  expect(regionProblem(country, region)).toMatch(new RegExp(`^must be the two-letter code, .* such as ${example}$`))
})
