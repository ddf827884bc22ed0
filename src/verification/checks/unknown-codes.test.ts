import { expect, test } from 'vitest'
import {
  makeAssociatedPerson,
  makeBusinessSubmission,
  makeKybData,
  makePassport,
  makeProofOfAddress,
  makeSubmission,
} from '../../../test/support/customers/identities.ts'
import { checkUnknownCodes } from './unknown-codes.ts'

// biome-ignore format: a table is read by column
test.each([
  // changes                                                            field
  [{},                                                                  undefined],
  [{ employmentStatus: 'SELF_EMPLOYED' },                               undefined],
  // Decides nothing.
  [{ employmentStatus: 'XYZ' },                                         undefined],
  [{ expectedMonthlyPaymentsUsd: 'LOTS' },                              undefined],
  [{ mostRecentOccupation: 'Pilot' },                                   undefined],
  [{ sourceOfFunds: 'LOTTERY' },                                        undefined],
  [{ sourceOfFunds: 'XYZ' },                                            'kycData.sourceOfFunds'],
  [{ accountPurpose: 'OTHER' },                                         undefined],
  [{ accountPurpose: 'XYZ' },                                           'kycData.accountPurpose'],
  [{ accountPurpose: 'XYZ', accountPurposeOther: 'Gifts' },             undefined],
  [{ nationalIdType: 'ssn' },                                           undefined],
  [{ nationalIdType: 'SOCIAL_SECURITY_NUMBER' },                        undefined],
  [{ nationalIdType: 'ITIN' },                                          undefined],
  [{ nationalIdType: 'FOO_ID' },                                        'kycData.nationalIdType'],
  [{ nationalIdType: 'NINO' },                                          'kycData.nationalIdType'],
  // No rule of Togo is evaded.
  [{ nationalIdType: 'FOO_ID', nationalIdIssuingCountry: 'TG' },        undefined],
  [{ documents: [makePassport({ subtype: 'NATIONAL_ID' })] },           undefined],
  [{ documents: [makePassport({ subtype: 'DRIVING_LICENCE' })] },       undefined],
  [{ documents: [makePassport(), makePassport({ subtype: 'VISA' })] },  'kycData.documents[1].subtype'],
  [{ documents: [makeProofOfAddress({ subtype: 'XYZ' })] },             undefined],
  [{ documents: [{}] },                                                 undefined],
])('the individual %j has an unknown code at %s', (changes, field) => {
  const expected = field ? [{ code: 'VERIFICATION_ISSUE', field, leadsTo: 'review' }] : []
  expect(checkUnknownCodes(makeSubmission(changes))).toEqual(expected)
})

// biome-ignore format: a table is read by column
test.each([
  // changes                                                                            field
  [{},                                                                                  undefined],
  [{ businessInfo: { ...makeKybData().businessInfo, businessType: 'XYZ' } },            undefined],
  [{ expectedMonthlyVolumeUsd: 'XYZ', estimatedAnnualRevenueUsd: 'XYZ' },               undefined],
  [{ sourceOfFunds: 'XYZ' },                                                            'kybData.sourceOfFunds'],
  [{ sourceOfFunds: 'XYZ', sourceOfFundsDescription: 'Sale of maps' },                  undefined],
  [{ accountPurpose: 'PAYROLL' },                                                       undefined],
  [{ accountPurpose: 'XYZ' },                                                           'kybData.accountPurpose'],
  [{ businessDocuments: [{ type: 'BYLAWS' }, { type: 'XYZ' }] },                        undefined],
  [{ businessDocuments: [{ type: 'XYZ' }] },                                            'kybData.businessDocuments[0].type'],
  [{ associatedPersons: [makeAssociatedPerson({ nationalIdType: 'NINO' })] },           'kybData.associatedPersons[0].nationalIdType'],
  [{ associatedPersons: [{}, { documents: [makePassport({ subtype: 'VISA' })] }] },     'kybData.associatedPersons[1].documents[0].subtype'],
])('the business %j has an unknown code at %s', (changes, field) => {
  const expected = field ? [{ code: 'VERIFICATION_ISSUE', field, leadsTo: 'review' }] : []
  expect(checkUnknownCodes(makeBusinessSubmission(changes))).toEqual(expected)
})
