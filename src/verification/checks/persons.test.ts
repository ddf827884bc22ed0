import { expect, test } from 'vitest'
import {
  makeAddress,
  makeAssociatedPerson,
  makeBusinessSubmission,
  makeKycData,
  makePassport,
  makeProofOfAddress,
  makeSubmission,
} from '../../../test/support/customers/identities.ts'
import type { KycData } from '../../customers/identity/identity.ts'
import { checkPersons } from './persons.ts'

const wrong: Partial<KycData> = {
  legalLastName: ' ',
  dateOfBirth: '2015-01-01',
  address: makeAddress({ streetLine1: 'A 1' }),
  phoneNumber: '+15555550100',
  nationalIdNumber: '000-45-6789',
  documents: [
    makePassport({ countryCode: 'FR', expirationDate: '2025-01-01' }),
    makeProofOfAddress({ issuanceDate: '2025-01-01' }),
  ],
}

// biome-ignore format: a table is read by column
const findings = [
  ['MISSING_NAME',                                   'legalLastName'],
  ['ADDITIONAL_WARNING',                             'dateOfBirth'],
  ['ADDRESS_TOO_SHORT',                              'address.streetLine1'],
  ['INVALID_PARAMETERS',                             'phoneNumber'],
  ['ID_NUMBER_NOT_VERIFIED',                         'nationalIdNumber'],
  ['DOCUMENT_EXPIRED',                               'documents[0].expirationDate'],
  ['ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY',  'documents[1].issuanceDate'],
  ['ID_COUNTRY_MISMATCH',                            'documents[0].countryCode'],
]
const at = (path: string) => findings.map(([code, field]) => [code, `${path}.${field}`])

test('an individual is checked under kycData', () => {
  const found = checkPersons(makeSubmission(wrong))
  expect(found.map(({ code, field }) => [code, field])).toEqual(at('kycData'))
})

test('each associated person is checked the same way, under its own path', () => {
  const associatedPersons = [makeAssociatedPerson(), makeAssociatedPerson(wrong), makeAssociatedPerson(wrong)]
  const found = checkPersons(makeBusinessSubmission({ associatedPersons }))
  expect(found.map(({ code, field }) => [code, field])).toEqual([
    ...at('kybData.associatedPersons[1]'),
    ...at('kybData.associatedPersons[2]'),
  ])
})

test('data of the other customer type is not checked', () => {
  const kycData = makeKycData(wrong)
  const { identity } = makeBusinessSubmission()
  expect(checkPersons(makeBusinessSubmission({}, { identity: { ...identity, kycData } }))).toEqual([])
})
