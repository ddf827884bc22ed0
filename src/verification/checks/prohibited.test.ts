import { expect, test } from 'vitest'
import {
  makeAddress,
  makeAssociatedPerson,
  makeBusinessSubmission,
  makeKybData,
  makeSubmission,
} from '../../../test/support/customers/identities.ts'
import type { Submission } from '../submission.ts'
import { checkProhibited } from './prohibited.ts'

const shortly = (submission: Submission) =>
  checkProhibited(submission).map(({ code, field, leadsTo }) => `${code} ${field} ${leadsTo}`)
const warning = (field: string) => `ADDITIONAL_WARNING ${field} review`

const described = { conductsMoneyServices: true, conductsMoneyServicesDescription: 'Currency exchange' }

// biome-ignore format: a table is read by column
test.each([
  // what                                changes                                                        findings
  ['a shop',                             {},                                                            []],
  ['prohibited countries',               { operatesInProhibitedCountries: true },                       [warning('kybData.operatesInProhibitedCountries')]],
  ['high risk without a word',           { highRiskActivities: ['ADULT_ENTERTAINMENT'] },               ['API_DATA_REQUIREMENTS_NOT_MET kybData.highRiskActivitiesExplanation information']],
  ['high risk, blank explanation',       { highRiskActivities: ['X'], highRiskActivitiesExplanation: ' ' }, ['API_DATA_REQUIREMENTS_NOT_MET kybData.highRiskActivitiesExplanation information']],
  ['high risk, explained',               { highRiskActivities: ['X'], highRiskActivitiesExplanation: 'Bar' }, [warning('kybData.highRiskActivities')]],
  ['an explanation of nothing',          { highRiskActivitiesExplanation: 'None' },                     []],
  ['money services without a word',      { conductsMoneyServices: true },                               ['API_DATA_REQUIREMENTS_NOT_MET kybData.conductsMoneyServicesDescription information']],
  ['money services, described',          described,                                                     [warning('kybData.conductsMoneyServices')]],
  ['money services through us',          { ...described, conductsMoneyServicesThroughSvc: true },       [warning('kybData.conductsMoneyServices')]],
  ['through us, but none',               { conductsMoneyServicesThroughSvc: true },                     ['INCONSISTENT_INFORMATION kybData.conductsMoneyServicesThroughSvc information']],
  ['registered in North Korea',          { businessInfo: { ...makeKybData().businessInfo, registrationCountry: 'KP' } }, [warning('kybData.businessInfo.registrationCountry')]],
  ['operating in Iran',                  { businessOperatingAddress: makeAddress({ countryCode: 'IR' }) }, [warning('kybData.businessOperatingAddress.countryCode')]],
  ['an owner living in Cuba',            { associatedPersons: [makeAssociatedPerson({ address: makeAddress({ countryCode: 'CU' }) })] }, [warning('kybData.associatedPersons[0].address.countryCode')]],
])('%s', (_what, changes, findings) => {
  expect(shortly(makeBusinessSubmission(changes))).toEqual(findings)
})

// biome-ignore format: a table is read by column
test.each([
  // nationality  lives in  findings
  ['US',          'US',     []],
  ['IR',          'US',     [warning('kycData.nationality')]],
  ['US',          'MM',     [warning('kycData.address.countryCode')]],
  ['IR',          'IR',     [warning('kycData.nationality'), warning('kycData.address.countryCode')]],
  ['RU',          'DE',     []],
])('a national of %s living in %s', (nationality, countryCode, findings) => {
  expect(shortly(makeSubmission({ nationality, address: makeAddress({ countryCode }) }))).toEqual(findings)
})

test('an empty submission has no warning', () => {
  expect(shortly(makeSubmission({}, { identity: {} }))).toEqual([])
  expect(shortly(makeBusinessSubmission({}, { identity: {} }))).toEqual([])
})
