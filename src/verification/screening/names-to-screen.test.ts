import { expect, test } from 'vitest'
import { namesToScreen } from './names-to-screen.ts'

const profile = { email: 'a@example.com' }

test.each([
  [
    'an individual is screened by the legal name and birth date',
    'INDIVIDUAL' as const,
    profile,
    {
      kycData: { legalFirstName: 'Ada', legalMiddleName: ' May ', legalLastName: 'Example', dateOfBirth: '1990-05-17' },
    },
    [{ kind: 'INDIVIDUAL', name: 'Ada May Example', dateOfBirth: '1990-05-17', field: 'kycData.legalLastName' }],
  ],
  [
    'a different name on creation is screened too',
    'INDIVIDUAL' as const,
    { ...profile, firstName: 'Ida', lastName: 'Sample' },
    { kycData: { legalFirstName: 'Ada', legalLastName: 'Example', dateOfBirth: '1990-05-17' } },
    [
      { kind: 'INDIVIDUAL', name: 'Ada Example', dateOfBirth: '1990-05-17', field: 'kycData.legalLastName' },
      { kind: 'INDIVIDUAL', name: 'Ida Sample', dateOfBirth: '1990-05-17', field: 'name' },
    ],
  ],
  [
    'the same name on creation is screened once',
    'INDIVIDUAL' as const,
    { ...profile, firstName: 'ada', lastName: 'example' },
    { kycData: { legalFirstName: 'Ada', legalLastName: 'Example' } },
    [{ kind: 'INDIVIDUAL', name: 'Ada Example', field: 'kycData.legalLastName' }],
  ],
  [
    'a business is screened by its names and its people',
    'BUSINESS' as const,
    { ...profile, businessName: 'Example Goods' },
    {
      kybData: {
        businessInfo: { legalBusinessName: 'Example Goods Inc', dbaName: 'Goods' },
        associatedPersons: [{ legalLastName: 'Example' }, {}, { legalFirstName: 'Bo', dateOfBirth: '1980-01-01' }],
      },
    },
    [
      { kind: 'BUSINESS', name: 'Example Goods Inc', field: 'kybData.businessInfo.legalBusinessName' },
      { kind: 'INDIVIDUAL', name: 'Example Goods Inc', field: 'kybData.businessInfo.legalBusinessName' },
      { kind: 'BUSINESS', name: 'Goods', field: 'kybData.businessInfo.dbaName' },
      { kind: 'INDIVIDUAL', name: 'Goods', field: 'kybData.businessInfo.dbaName' },
      { kind: 'BUSINESS', name: 'Example Goods', field: 'businessName' },
      { kind: 'INDIVIDUAL', name: 'Example Goods', field: 'businessName' },
      { kind: 'INDIVIDUAL', name: 'Example', field: 'kybData.associatedPersons[0].legalLastName' },
      {
        kind: 'INDIVIDUAL',
        name: 'Bo',
        dateOfBirth: '1980-01-01',
        field: 'kybData.associatedPersons[2].legalLastName',
      },
    ],
  ],
  [
    'a business named like its owner is compared as person and as business, once',
    'BUSINESS' as const,
    profile,
    {
      kybData: {
        businessInfo: { dbaName: 'Ada Example' },
        associatedPersons: [{ legalFirstName: 'Ada', legalLastName: 'Example' }],
      },
    },
    [
      { kind: 'BUSINESS', name: 'Ada Example', field: 'kybData.businessInfo.dbaName' },
      { kind: 'INDIVIDUAL', name: 'Ada Example', field: 'kybData.businessInfo.dbaName' },
    ],
  ],
  ['a blank name is not screened', 'INDIVIDUAL' as const, profile, { kycData: { legalLastName: ' ' } }, []],
])('%s', (_what, customerType, given, identity, names) => {
  expect(namesToScreen({ customerType, profile: given, identity })).toEqual(names)
})
