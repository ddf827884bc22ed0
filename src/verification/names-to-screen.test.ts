import { expect, test } from 'vitest'
import { namesToScreen } from './names-to-screen.ts'

const profile = { email: 'a@example.com' }

test.each([
  [
    'an individual is its legal name, with its birth date',
    ...(['INDIVIDUAL', profile] as const),
    {
      kycData: { legalFirstName: 'Ada', legalMiddleName: ' May ', legalLastName: 'Example', dateOfBirth: '1990-05-17' },
    },
    [{ kind: 'INDIVIDUAL', name: 'Ada May Example', dateOfBirth: '1990-05-17', field: 'kycData.legalLastName' }],
  ],
  [
    'a name given on creation counts as well where it is another',
    ...(['INDIVIDUAL', { ...profile, firstName: 'Ida', lastName: 'Sample' }] as const),
    { kycData: { legalFirstName: 'Ada', legalLastName: 'Example', dateOfBirth: '1990-05-17' } },
    [
      { kind: 'INDIVIDUAL', name: 'Ada Example', dateOfBirth: '1990-05-17', field: 'kycData.legalLastName' },
      { kind: 'INDIVIDUAL', name: 'Ida Sample', dateOfBirth: '1990-05-17', field: 'name' },
    ],
  ],
  [
    'and once where it is the same',
    ...(['INDIVIDUAL', { ...profile, firstName: 'ada', lastName: 'example' }] as const),
    { kycData: { legalFirstName: 'Ada', legalLastName: 'Example' } },
    [{ kind: 'INDIVIDUAL', name: 'Ada Example', field: 'kycData.legalLastName' }],
  ],
  [
    'a business is its names and its people',
    ...(['BUSINESS', { ...profile, businessName: 'Example Goods' }] as const),
    {
      kybData: {
        businessInfo: { legalBusinessName: 'Example Goods Inc', dbaName: 'Goods' },
        associatedPersons: [{ legalLastName: 'Example' }, {}, { legalFirstName: 'Bo', dateOfBirth: '1980-01-01' }],
      },
    },
    [
      { kind: 'BUSINESS', name: 'Example Goods Inc', field: 'kybData.businessInfo.legalBusinessName' },
      { kind: 'BUSINESS', name: 'Goods', field: 'kybData.businessInfo.dbaName' },
      { kind: 'BUSINESS', name: 'Example Goods', field: 'businessName' },
      { kind: 'INDIVIDUAL', name: 'Example', field: 'kybData.associatedPersons[0].legalLastName' },
      {
        kind: 'INDIVIDUAL',
        name: 'Bo',
        dateOfBirth: '1980-01-01',
        field: 'kybData.associatedPersons[2].legalLastName',
      },
    ],
  ],
  ['nobody without a name', ...(['INDIVIDUAL', profile] as const), { kycData: { legalLastName: ' ' } }, []],
])('%s', (_what, customerType, given, identity, parties) => {
  expect(namesToScreen({ customerType, profile: given, identity })).toEqual(parties)
})
