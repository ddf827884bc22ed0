import { expect, test } from 'vitest'
import {
  makeAddress,
  makeBusinessSubmission,
  makePassport,
  makeProofOfAddress,
  makeSubmission,
} from '../../../test/support/customers/identities.ts'
import { isPostalCodeInRegion } from '../../catalog/postal-codes/postal-regions.ts'
import { checkAddress, checkBusinessAddresses, checkPersonAddress } from './address.ts'

const box = 'ID_REQUIRES_ADDITIONAL_VERIFICATION'

// biome-ignore format: a table is read by column
test.each([
  // what                     changes                                               finding                field
  ['a usual address',         {},                                                   undefined,             ''],
  ['a second line',           { streetLine2: 'Floor 12' },                          undefined,             ''],
  ['three characters',        { streetLine1: 'A 1' },                               'ADDRESS_TOO_SHORT',   'streetLine1'],
  ['three and spaces',        { streetLine1: ' A 1 ' },                             'ADDRESS_TOO_SHORT',   'streetLine1'],
  ['only dots',               { streetLine1: '.....' },                             'ADDRESS_TOO_SHORT',   'streetLine1'],
  ['a short second line',     { streetLine2: '#12' },                               'ADDRESS_TOO_SHORT',   'streetLine2'],
  ['four characters',         { streetLine1: 'Am 1' },                              undefined,             ''],
  ['Chinese characters',      { streetLine1: '长安街1号' },                          undefined,             ''],
  ['a city of digits',        { city: '12345' },                                    'INVALID_PARAMETERS',  'city'],
  ['a city with an accent',   { city: 'Å' },                                        undefined,             ''],
  ['no such country',         { countryCode: 'UK' },                                'INVALID_PARAMETERS',  'countryCode'],
  ['no such postal code',     { postalCode: '9410' },                               'INVALID_PARAMETERS',  'postalCode'],
  ['no such state',           { stateRegionProvince: 'XX' },                        'INVALID_PARAMETERS',  'stateRegionProvince'],
  ['another state’s code',    { stateRegionProvince: 'NY' },                        'DATABASE_CHECK_FAILED_ON_POSTAL_CODE', 'postalCode'],
  ['a post office box',       { streetLine1: 'P.O. Box 123' },                      box,                   'streetLine1'],
  ['PO Box',                  { streetLine1: 'PO Box 123' },                        box,                   'streetLine1'],
  ['POBOX',                   { streetLine1: 'pobox 123' },                         box,                   'streetLine1'],
  ['Post Office Box',         { streetLine1: 'Post Office Box 9' },                 box,                   'streetLine1'],
  ['Postfach',                { streetLine1: 'Postfach 12 34' },                    box,                   'streetLine1'],
  ['Boîte postale',           { streetLine1: 'Boîte postale 7' },                   box,                   'streetLine1'],
  ['BP',                      { streetLine1: 'B.P. 1234' },                         box,                   'streetLine1'],
  ['Apartado',                { streetLine1: 'Apartado 500' },                      box,                   'streetLine1'],
  ['Caixa Postal',            { streetLine1: 'Caixa Postal 10' },                   box,                   'streetLine1'],
  ['a box and a street',      { streetLine1: 'PO Box 12', streetLine2: '1 Al Wasl Road' }, undefined,      ''],
  ['a street and a box',      { streetLine1: '1 Al Wasl Road', streetLine2: 'PO Box 12' }, undefined,      ''],
  ['a street called Box',     { streetLine1: '12 Box Hill Road' },                  undefined,             ''],
  ['a street like Postbusweg', { streetLine1: '12 Postbusweg' },                    undefined,             ''],
] as const)('%s', (_what, changes, code, field) => {
  const found = checkPersonAddress({ address: makeAddress(changes) }, 'a')
  expect(found).toEqual(code ? [{ code, field: `a.address.${field}`, leadsTo: 'information' }] : [])
})

test('a reviewer judges a post office box that a proof of address shows', () => {
  const address = makeAddress({ streetLine1: 'PO Box 123' })
  const documents = [makePassport(), makeProofOfAddress()]
  const finding = { code: 'ADDITIONAL_WARNING', field: 'kycData.address.streetLine1', leadsTo: 'review' }
  expect(checkPersonAddress({ address, documents }, 'kycData')).toEqual([finding])
})

test('a business may be registered at a post office box if it operates at a street', () => {
  const businessRegisteredAddress = makeAddress({ streetLine1: 'PO Box 123' })
  const [asked] = checkBusinessAddresses(makeBusinessSubmission({ businessRegisteredAddress }))
  expect(asked).toMatchObject({ code: box, field: 'kybData.businessRegisteredAddress.streetLine1' })
  const elsewhere = { businessRegisteredAddress, businessOperatingAddress: makeAddress() }
  expect(checkBusinessAddresses(makeBusinessSubmission(elsewhere))).toEqual([])
})

// biome-ignore format: a table is read by column
test.each([
  // country  code         region  can be
  ['US',      '94104',     'CA',   true],
  ['US',      '94104',     'OR',   true],
  ['US',      '94104',     'NY',   false],
  ['US',      '10001-1234', 'NY',  true],
  ['US',      '00501',     'NY',   true],
  ['US',      '06390',     'NY',   true],
  ['US',      '06390',     'CT',   true],
  ['US',      '88510',     'TX',   true],
  ['US',      '88001',     'NM',   true],
  ['US',      '88001',     'TX',   false],
  ['US',      '20500',     'DC',   true],
  ['US',      '00901',     'PR',   true],
  ['US',      '09001',     'AE',   true],
  ['CA',      'K1A 0B1',   'ON',   true],
  ['CA',      'k1a 0b1',   'ON',   true],
  ['CA',      'K1A 0B1',   'QC',   false],
  ['CA',      'H2X 1Y4',   'QC',   true],
  ['CA',      'X0A 0H0',   'NU',   true],
  ['CA',      'X0A 0H0',   'NT',   true],
  ['CA',      'V6B 1A1',   'AB',   false],
  ['DE',      '10115',     'Bayern', true],
  ['US',      '',          'CA',   true],
])('%s %s can lie in %s %s: %s', (country, code, region, expected) => {
  expect(isPostalCodeInRegion(country, code, region)).toBe(expected)
})

test('the addresses of people and businesses are checked under their own paths', () => {
  const address = makeAddress({ streetLine1: 'A 1' })
  const found = (field: string) => [{ code: 'ADDRESS_TOO_SHORT', field, leadsTo: 'information' }]
  expect(checkPersonAddress({ address }, 'kycData')).toEqual(found('kycData.address.streetLine1'))
  expect(checkBusinessAddresses(makeBusinessSubmission({ businessRegisteredAddress: address }))).toEqual(
    found('kybData.businessRegisteredAddress.streetLine1'),
  )
  expect(checkBusinessAddresses(makeBusinessSubmission({ businessOperatingAddress: address }))).toEqual(
    found('kybData.businessOperatingAddress.streetLine1'),
  )
  expect(checkBusinessAddresses(makeSubmission())).toEqual([])
  expect(checkAddress(undefined, 'a')).toEqual([])
})
