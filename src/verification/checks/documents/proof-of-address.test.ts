import { expect, test } from 'vitest'
import { makePassport, makeProofOfAddress } from '../../../../test/support/customers/identities.ts'
import { checkProofOfAddress } from './proof-of-address.ts'

const tooOld = 'ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY'

// biome-ignore format: a table is read by column
test.each([
  // today        issued         finding
  ['2025-11-21',  '2025-11-21',  undefined],
  ['2025-11-21',  '2025-11-01',  undefined],
  ['2025-11-21',  '2025-08-21',  undefined],
  ['2025-11-21',  '2025-08-20',  tooOld],
  ['2025-11-21',  '2024-11-21',  tooOld],
  ['2025-05-31',  '2025-02-28',  undefined],
  ['2025-05-31',  '2025-02-27',  tooOld],
  ['2024-05-31',  '2024-02-29',  undefined],
  ['2024-05-31',  '2024-02-28',  tooOld],
  ['2026-01-15',  '2025-10-15',  undefined],
  ['2026-01-15',  '2025-10-14',  tooOld],
  ['2025-11-21',  '2025-11-22',  'INCONSISTENT_DETAILS'],
  ['2025-11-21',  '2025-09-31',  'INVALID_PARAMETERS'],
  ['2025-11-21',  ' ',           'MISSING_ISSUE_DATE'],
] as const)('on %s a proof issued %s: %s', (today, issuanceDate, code) => {
  const documents = [makePassport(), makeProofOfAddress({ issuanceDate })]
  const field = 'kycData.documents[1].issuanceDate'
  const expected = code ? [{ code, field, leadsTo: 'information' }] : []
  expect(checkProofOfAddress({ documents }, 'kycData', new Date(`${today}T23:59:59Z`))).toEqual(expected)
})

// biome-ignore format: a table is read by column
test.each([
  // subtype                 finding
  ['UTILITY_BILL',           undefined],
  ['BANK_STATEMENT',         undefined],
  ['GOVERNMENT_LETTER',      undefined],
  ['LEASE_AGREEMENT',        undefined],
  ['PASSPORT',               'INCORRECT_ID_TYPE'],
  ['NATIONAL_ID',            'INCORRECT_ID_TYPE'],
  ['DRIVERS_LICENSE',        'INCORRECT_ID_TYPE'],
] as const)('%s as proof of address: %s', (subtype, code) => {
  const expected = code ? [{ code, field: 'kycData.documents[0].subtype', leadsTo: 'information' }] : []
  const documents = [makeProofOfAddress({ subtype })]
  expect(checkProofOfAddress({ documents }, 'kycData', new Date('2025-11-21T10:00:00Z'))).toEqual(expected)
})

test('a proof needs its picture and its date', () => {
  const found = checkProofOfAddress(
    { documents: [{ type: 'PROOF_OF_ADDRESS' }] },
    'p',
    new Date('2025-11-21T10:00:00Z'),
  )
  expect(found.map(({ code, field }) => `${code} ${field}`)).toEqual([
    'API_DATA_REQUIREMENTS_NOT_MET p.documents[0].proofOfAddressImage',
    'MISSING_ISSUE_DATE p.documents[0].issuanceDate',
  ])
})

test('a proof of address is optional', () => {
  const now = new Date('2025-11-21T10:00:00Z')
  expect(checkProofOfAddress({ documents: [makePassport()] }, 'kycData', now)).toEqual([])
  expect(checkProofOfAddress({}, 'kycData', now)).toEqual([])
})
