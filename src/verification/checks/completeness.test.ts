import { expect, test } from 'vitest'
import {
  makeAddress,
  makeAssociatedPerson,
  makeBusinessSubmission,
  makeKybData,
  makeKycData,
  makePassport,
  makeSubmission,
} from '../../../test/support/customers/identities.ts'
import type { Address, KybData, KycData } from '../../customers/identity/identity.ts'
import type { Finding } from '../submission.ts'
import { checkCompleteness, checkPersonCompleteness } from './completeness.ts'

const shortly = (findings: readonly Finding[]) => findings.map(({ code, field }) => `${code} ${field}`)
const lacks = (field: string) => `API_DATA_REQUIREMENTS_NOT_MET ${field}`

function without<Data extends object>(data: Data, ...names: (keyof Data)[]): Partial<Data> {
  return Object.fromEntries(
    Object.entries(data).filter(([name]) => !names.includes(name as keyof Data)),
  ) as Partial<Data>
}

const kyc = (...names: (keyof KycData)[]) => without(makeKycData(), ...names)
const living = (changes: Partial<Address>, ...names: (keyof Address)[]) =>
  makeKycData({ address: without(makeAddress(changes), ...names) })

// biome-ignore format: a table is read by column
test.each([
  // what                          person                                            findings
  ['a whole person',               makeKycData(),                                    []],
  ['no first name',                kyc('legalFirstName'),                            ['MISSING_NAME p.legalFirstName']],
  ['no last name',                 kyc('legalLastName'),                             ['MISSING_NAME p.legalLastName']],
  ['a blank last name',            makeKycData({ legalLastName: ' ' }),              ['MISSING_NAME p.legalLastName']],
  ['no middle name',               kyc('legalMiddleName'),                           []],
  ['no birth date',                kyc('dateOfBirth'),                               [lacks('p.dateOfBirth')]],
  ['no nationality',               kyc('nationality'),                               [lacks('p.nationality')]],
  ['no address',                   kyc('address'),                                   [lacks('p.address')]],
  ['an empty address',             makeKycData({ address: {} }),                     [lacks('p.address.countryCode'), lacks('p.address.streetLine1'), lacks('p.address.city')]],
  ['no street',                    living({}, 'streetLine1'),                        [lacks('p.address.streetLine1')]],
  ['no city',                      living({}, 'city'),                               [lacks('p.address.city')]],
  ['no ZIP Code',                  living({}, 'postalCode'),                         [lacks('p.address.postalCode')]],
  ['no state',                     living({}, 'stateRegionProvince'),                [lacks('p.address.stateRegionProvince')]],
  ['no postal code in Hong Kong',  living({ countryCode: 'HK' }, 'postalCode', 'stateRegionProvince'), []],
  ['no postal code in Ireland',    living({ countryCode: 'IE' }, 'postalCode', 'stateRegionProvince'), []],
  ['no postal code in Germany',    living({ countryCode: 'DE' }, 'postalCode', 'stateRegionProvince'), [lacks('p.address.postalCode')]],
  ['no province in Canada',        living({ countryCode: 'CA', postalCode: 'K1A 0B1' }, 'stateRegionProvince'), [lacks('p.address.stateRegionProvince')]],
  ['a passport, no national id',   kyc('nationalIdType', 'nationalIdNumber', 'nationalIdIssuingCountry'), []],
  ['a national id, no passport',   kyc('documents'),                                 []],
  ['a national id without type',   kyc('nationalIdType'),                            ['MISSING_ID_DETAILS p.nationalIdType']],
  ['a national id without number', kyc('nationalIdNumber'),                          ['MISSING_ID_DETAILS p.nationalIdNumber']],
  ['a national id of no country',  kyc('nationalIdIssuingCountry'),                  ['MISSING_ID_DETAILS p.nationalIdIssuingCountry']],
  ['neither id nor passport',      kyc('nationalIdType', 'nationalIdNumber', 'nationalIdIssuingCountry', 'documents'),
                                   ['MISSING_ID_DETAILS p.nationalIdType', 'MISSING_ID_DETAILS p.nationalIdNumber', 'MISSING_ID_DETAILS p.nationalIdIssuingCountry']],
] as const)('%s', (_what, person, findings) => {
  expect(shortly(checkPersonCompleteness(person, 'p'))).toEqual(findings)
})

test('a passport without a number does not identify the person', () => {
  const nameless = without(
    makeKycData({ documents: [makePassport({ documentIdNumber: '' })] }),
    'nationalIdType',
    'nationalIdNumber',
    'nationalIdIssuingCountry',
  )
  expect(shortly(checkPersonCompleteness(nameless, 'p'))).toHaveLength(3)
})

test('an empty person lacks every required field', () => {
  expect(shortly(checkPersonCompleteness({}, 'p'))).toEqual([
    'MISSING_NAME p.legalFirstName',
    'MISSING_NAME p.legalLastName',
    lacks('p.dateOfBirth'),
    lacks('p.nationality'),
    lacks('p.address'),
    'MISSING_ID_DETAILS p.nationalIdType',
    'MISSING_ID_DETAILS p.nationalIdNumber',
    'MISSING_ID_DETAILS p.nationalIdIssuingCountry',
  ])
})

test('an individual needs a phone number, an associated person does not', () => {
  expect(checkCompleteness(makeSubmission())).toEqual([])
  const submission = makeSubmission({}, { identity: { kycData: kyc('phoneNumber') } })
  expect(shortly(checkCompleteness(submission))).toEqual([lacks('kycData.phoneNumber')])
  expect(shortly(checkPersonCompleteness(without(makeAssociatedPerson(), 'phoneNumber'), 'p'))).toEqual([])
  expect(shortly(checkCompleteness(makeSubmission({}, { identity: {} })))).toEqual([lacks('kycData.phoneNumber')])
})

const kyb = (...names: (keyof KybData)[]) => without(makeKybData(), ...names)
const info = (name: 'legalBusinessName' | 'registrationCountry' | 'formationDate' | 'dbaName') =>
  makeKybData({ businessInfo: without(makeKybData().businessInfo ?? {}, name) })

// biome-ignore format: a table is read by column
test.each([
  // what                          business                                          findings
  ['a whole business',             makeKybData(),                                    []],
  ['no legal name',                info('legalBusinessName'),                        ['MISSING_NAME kybData.businessInfo.legalBusinessName']],
  ['no other name',                info('dbaName'),                                  []],
  ['no country',                   info('registrationCountry'),                      [lacks('kybData.businessInfo.registrationCountry')]],
  ['no date of formation',         info('formationDate'),                            [lacks('kybData.businessInfo.formationDate')]],
  ['no registration number',       kyb('businessRegistrationNumber'),                [lacks('kybData.businessRegistrationNumber')]],
  ['no registered address',        kyb('businessRegisteredAddress'),                 [lacks('kybData.businessRegisteredAddress')]],
  ['no operating address',         kyb('businessOperatingAddress'),                  []],
  ['no persons',                   kyb('associatedPersons'),                         [lacks('kybData.associatedPersons')]],
  ['no person in control',         makeKybData({ associatedPersons: [makeAssociatedPerson({ isControlPerson: false })] }), [lacks('kybData.associatedPersons')]],
  ['no documents',                 kyb('businessDocuments'),                         [lacks('kybData.businessDocuments')]],
  ['an empty list of documents',   makeKybData({ businessDocuments: [] }),           [lacks('kybData.businessDocuments')]],
])('%s', (_what, kybData, findings) => {
  expect(shortly(checkCompleteness(makeBusinessSubmission({}, { identity: { kybData } })))).toEqual(findings)
})
