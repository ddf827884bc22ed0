import { expect, test } from 'vitest'
import {
  makeAssociatedPerson,
  makeKybData,
  makeKycData,
  makePassport,
  makeProofOfAddress,
} from '../../test/support/customers/identities.ts'
import { documentText, identityHashes, identityTexts, nationalIdText } from './identity-hash.ts'

// biome-ignore format: a table is read by column
test.each([
  // country  type           number               text
  ['US',      'SSN',         '123-45-6789',       'US|SSN|123456789'],
  ['US',      'ssn',         ' 123 45 6789 ',     'US|SSN|123456789'],
  ['us',      'Ssn',         '123.45.6789',       'US|SSN|123456789'],
  ['BR',      'CPF',         '111.444.777-35',    'BR|CPF|11144477735'],
  ['ES',      'DNI',         '12345678-z',        'ES|DNI|12345678Z'],
  ['ES',      'DNI',         '１２３４５６７８Z',   'ES|DNI|12345678Z'],
  ['US',      'SSN',         '012-34-5678',       'US|SSN|012345678'],
  ['US',      'SSN',         '--',                undefined],
  ['US',      '',            '123456789',         undefined],
  ['',        'SSN',         '123456789',         undefined],
])('%s %s %j is normalized to %s', (nationalIdIssuingCountry, nationalIdType, nationalIdNumber, text) => {
  expect(nationalIdText({ nationalIdIssuingCountry, nationalIdType, nationalIdNumber })).toBe(text)
})

test('only identity documents are hashed, by their number', () => {
  expect(documentText(makePassport({ documentIdNumber: 'x 123-4567' }))).toBe('DOCUMENT|US|PASSPORT|X1234567')
  expect(documentText(makeProofOfAddress({ documentIdNumber: '1' }))).toBeUndefined()
  expect(documentText({ type: 'GOVERNMENT_ID' })).toBeUndefined()
})

test('every identifier of people and businesses is listed once', () => {
  expect(identityTexts({ kycData: makeKycData() })).toEqual(['US|SSN|123456788', 'DOCUMENT|US|PASSPORT|X1234567'])
  const second = makeAssociatedPerson({ nationalIdNumber: '234-56-7890' })
  expect(identityTexts({ kybData: makeKybData({ associatedPersons: [makeAssociatedPerson(), second] }) })).toEqual([
    'US|SSN|123456788',
    'US|SSN|234567890',
    'DOCUMENT|US|PASSPORT|X1234567',
    'US|BUSINESS_REGISTRATION|C1234567',
  ])
  expect(identityTexts({})).toEqual([])
})

test('hashes depend on the key and on nothing but the identity', () => {
  const [key, otherKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const hashes = identityHashes(key, { kycData: makeKycData() })
  expect(hashes.map((hash) => hash.length)).toEqual([32, 32])
  expect(
    identityHashes(key, { kycData: makeKycData({ nationalIdNumber: '123456788', legalLastName: 'Other' }) }),
  ).toEqual(hashes)
  expect(identityHashes(otherKey, { kycData: makeKycData() })).not.toEqual(hashes)
  expect(hashes.some((hash) => hash.includes('123456788'))).toBe(false)
})
