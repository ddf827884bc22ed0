import { expect, test } from 'vitest'
import {
  makeAssociatedPerson,
  makeBusinessSubmission,
  makeKybData,
  makePassport,
  makeProofOfAddress,
  makeSubmission,
} from '../../../test/support/customers/identities.ts'
import { knownCodes } from '../../catalog/coded-fields.ts'
import { checkUnknownCodes } from './unknown-codes.ts'

// biome-ignore format: a table is read by column
test.each([
  // changes                                                            field
  [{},                                                                  undefined],
  [{ employmentStatus: 'SELF_EMPLOYED' },                               undefined],
  [{ employmentStatus: 'HOMEMAKER' },                                   'kycData.employmentStatus'],
  [{ employmentStatus: 'employed' },                                    'kycData.employmentStatus'],
  [{ sourceOfFunds: 'LOTTERY' },                                        'kycData.sourceOfFunds'],
  [{ accountPurpose: 'OTHER' },                                         'kycData.accountPurpose'],
  [{ expectedMonthlyPaymentsUsd: 'LOTS' },                              'kycData.expectedMonthlyPaymentsUsd'],
  [{ nationalIdType: 'ssn' },                                           undefined],
  [{ nationalIdType: 'ITIN' },                                          'kycData.nationalIdType'],
  [{ mostRecentOccupation: 'Pilot' },                                   undefined],
  [{ documents: [makePassport({ subtype: 'NATIONAL_ID' })] },           undefined],
  [{ documents: [makePassport(), makePassport({ subtype: 'VISA' })] },  'kycData.documents[1].subtype'],
  [{ documents: [makeProofOfAddress()] },                               undefined],
  [{ documents: [makeProofOfAddress({ subtype: 'LEASE' })] },           'kycData.documents[0].subtype'],
  [{ documents: [makePassport({ subtype: 'UTILITY_BILL' })] },          'kycData.documents[0].subtype'],
  [{ documents: [{}] },                                                 undefined],
])('the individual %j has an unknown code at %s', (changes, field) => {
  const expected = field ? [{ code: 'VERIFICATION_ISSUE', field, leadsTo: 'review' }] : []
  expect(checkUnknownCodes(makeSubmission(changes))).toEqual(expected)
})

// biome-ignore format: a table is read by column
test.each([
  // changes                                                                            field
  [{},                                                                                  undefined],
  [{ businessInfo: { ...makeKybData().businessInfo, businessType: 'LLC' } },            'kybData.businessInfo.businessType'],
  [{ sourceOfFunds: 'SALARY' },                                                         'kybData.sourceOfFunds'],
  [{ accountPurpose: 'PAYROLL' },                                                       'kybData.accountPurpose'],
  [{ expectedMonthlyVolumeUsd: 'OVER_1M' },                                             'kybData.expectedMonthlyVolumeUsd'],
  [{ estimatedAnnualRevenueUsd: 'OVER_1M' },                                            'kybData.estimatedAnnualRevenueUsd'],
  [{ highRiskActivities: ['ADULT_ENTERTAINMENT', 'GAMBLING'] },                         'kybData.highRiskActivities[1]'],
  [{ businessDocuments: [{ type: 'BYLAWS' }] },                                         'kybData.businessDocuments[0].type'],
  [{ associatedPersons: [makeAssociatedPerson({ nationalIdType: 'NINO' })] },           'kybData.associatedPersons[0].nationalIdType'],
  [{ associatedPersons: [{}, { documents: [makePassport({ subtype: 'VISA' })] }] },     'kybData.associatedPersons[1].documents[0].subtype'],
])('the business %j has an unknown code at %s', (changes, field) => {
  const expected = field ? [{ code: 'VERIFICATION_ISSUE', field, leadsTo: 'review' }] : []
  expect(checkUnknownCodes(makeBusinessSubmission(changes))).toEqual(expected)
})

test('every coded field of the catalog is checked', () => {
  const kycData = { employmentStatus: 'X', sourceOfFunds: 'X', accountPurpose: 'X', expectedMonthlyPaymentsUsd: 'X' }
  const person = { nationalIdType: 'X', documents: [{ subtype: 'X' }] }
  const kybData = {
    businessInfo: { businessType: 'X' },
    sourceOfFunds: 'X',
    accountPurpose: 'X',
    highRiskActivities: ['X'],
    expectedMonthlyVolumeUsd: 'X',
    estimatedAnnualRevenueUsd: 'X',
    businessDocuments: [{ type: 'X' }],
    associatedPersons: [person],
  }
  const findings = [
    ...checkUnknownCodes(makeSubmission({}, { identity: { kycData } })),
    ...checkUnknownCodes(makeBusinessSubmission({}, { identity: { kybData } })),
  ]
  const places = findings.map(({ field = '' }) =>
    field.replace(/.*(?=nationalIdType|documents\[0\]\.subtype)/, '').replaceAll(/\[0\]/g, ''),
  )
  expect(places.toSorted()).toEqual(Object.keys(knownCodes).toSorted())
})
