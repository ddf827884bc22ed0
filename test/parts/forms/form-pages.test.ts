import { expect, test } from 'vitest'
import { documentProblems, unsupported } from '../../../src/adapters/documents/document-check.ts'
import { isAlarm, issueCodes } from '../../../src/catalog/issues/verification-issues.ts'
import { postalCodeProblem } from '../../../src/catalog/postal-codes/postal-codes.ts'
import { regionProblem } from '../../../src/catalog/regions.ts'
import { findIdentityProblems } from '../../../src/customers/identity/validate.ts'
import { formCatalog } from '../../../src/forms/choices.ts'
import { tidyUp } from '../../../src/forms/draft.ts'
import { findCorrections } from '../../../src/forms/refill.ts'
import { ruleOf } from '../../../src/forms/rules.ts'
import { inspectSubmission } from '../../../src/forms/wire.ts'
import { findNotice, readClosing } from '../../../web/forms/model/closing.ts'
import { answersThatFollow } from '../../../web/forms/model/following-answers.ts'
import { labelOf } from '../../../web/forms/model/labels.ts'
import { newDocumentsIn } from '../../../web/forms/model/paths.ts'
import { problemsAt, sayCorrection, withoutMoved } from '../../../web/forms/model/problems.ts'
import { stepsOf } from '../../../web/forms/model/steps.ts'
import type { Catalog, FormState } from '../../../web/forms/model/types.ts'
import { speak, textAt, texts } from '../../../web/forms/texts/words.ts'

await speak('en')

test.each([
  ['US', true],
  ['HK', false],
  ['AE', false],
])('a form asks for a postal code where there are some: %s %s', (countryCode, isAsked) => {
  const state = {
    customerType: 'INDIVIDUAL',
    values: { kycData: { address: { countryCode } } },
  } as unknown as FormState
  const fields = stepsOf(state, formCatalog as unknown as Catalog).flatMap((step) => step.fields)
  expect(fields.includes('kycData.address.postalCode')).toBe(isAsked)
})

test('the last end of a session stays as it was first told, until another session has another one', () => {
  const first = readClosing(undefined, { secondsLeft: 1_800, mostSecondsLeft: 3_600 }, 0)
  // The answer to the second poll took four seconds.
  const second = readClosing(first, { secondsLeft: 1_800, mostSecondsLeft: 3_597 }, 7_000)
  expect(second).toEqual({ atMs: 1_807_000, latestMs: 3_600_000 })
  const opened = readClosing(second, { secondsLeft: 1_800, mostSecondsLeft: 43_200 }, 10_000)
  expect(opened.latestMs).toBe(43_210_000)
})

test.each([
  // minutes until the idle end, and the last end
  [30, 700, undefined],
  [1.5, 700, 'idle'],
  [1.5, 8, 'idle'],
  [8, 8, 'last'],
  [30, 30, undefined],
])('a session that ends in %s minutes, and in %s at the latest: %s', (idle, last, notice) => {
  expect(findNotice({ atMs: idle * 60_000, latestMs: last * 60_000 }, 0)).toBe(notice)
})

test.each([
  [
    'kycData.dateOfBirth',
    'due',
    'INVALID_PARAMETERS',
    undefined,
    'Date of birth: this date cannot be right. Check the day, the month and the year',
  ],
  ['kycData.address.postalCode', 'invalid', 'POSTAL_CODE', '10115', 'Postal code: in this country it looks like 10115'],
  [
    'kycData.address.streetLine1',
    'invalid',
    'TOO_LONG',
    '100',
    'Street and house number: please shorten it to 100 characters',
  ],
  [
    'kycData.legalFirstName',
    'due',
    'ID_DATA_MISMATCH',
    undefined,
    'Please check “First name”: it differs from the name that we were given for you. Correct it if it is wrong.',
  ],
  // A rule or a field that is new to the pages is told in general words, never in those of the API.
  ['kycData.newField', 'invalid', 'NEW_RULE', undefined, 'This answer: this answer cannot be used. Please check it'],
  [
    'kycData.newField',
    'due',
    'NEW_ISSUE',
    undefined,
    'Something in your answers needs another look. Please check them.',
  ],
] as const)('a problem of %s, %s %s, tells the customer what to do', (field, kind, rule, demand, words) => {
  const values = { kycData: { dateOfBirth: '2999-05-31', address: { countryCode: 'DE', postalCode: '1062' } } }
  const problem = { field, kind, rule, demand, mayStay: false }
  const state = { values, given: [], files: {}, required: [], problems: [problem] } as unknown as FormState
  expect(problemsAt(state, [field]).map(({ text }) => text)).toEqual([words])
})

test('the registered address starts with the country of registration, and another country empties its postal code', () => {
  const registration = 'kybData.businessInfo.registrationCountry'
  const country = 'kybData.businessRegisteredAddress.countryCode'
  expect(answersThatFollow({}, registration, 'DE')).toEqual([{ field: country, value: 'DE' }])
  const values = { kybData: { businessRegisteredAddress: { countryCode: 'FR', postalCode: '75002' } } }
  expect(answersThatFollow(values, registration, 'DE')).toEqual([])
  expect(answersThatFollow(values, country, 'DE')).toEqual([
    { field: 'kybData.businessRegisteredAddress.postalCode', value: undefined },
  ])
})

test.each([
  ['example.com', 'https://example.com'],
  [' www.example.co.uk/about ', 'https://www.example.co.uk/about'],
  ['http://example.com', 'http://example.com'],
  ['none yet', 'none yet'],
])('a web address is written as people do: %s', (website, sent) => {
  expect(tidyUp({ kybData: { businessInfo: { website } } })).toEqual({ kybData: { businessInfo: { website: sent } } })
})

test('every issue and every refused file has words in the catalog of the pages', () => {
  const told = issueCodes.filter((code) => !isAlarm(code))
  expect(told.filter((code) => textAt(texts.issues, code) === undefined)).toEqual([])
  expect(Object.keys(texts.issues).filter((code) => isAlarm(code as (typeof issueCodes)[number]))).toEqual([])
  const refused = [...Object.values(documentProblems), unsupported('layers')]
  expect(refused.filter((message) => textAt(texts.files.refused, ruleOf(message).rule) === undefined)).toEqual([])
})

test('every message about an answer has a rule with words in the catalog of the pages', () => {
  const long = 'x'.repeat(3_000)
  const address = { countryCode: 'xx', streetLine1: long, city: '', postalCode: 5 }
  const person = { legalFirstName: long, dateOfBirth: '2026-02-31', nationality: 'Utopia', phoneNumber: '12', address }
  const body = {
    kycData: { ...person, employmentStatus: 'no code!', documents: [{ subtype: long, expirationDate: 'soon' }] },
    kybData: {
      businessInfo: { website: 'no address', formationDate: '1', legalBusinessName: '' },
      associatedPersons: [{ email: 'no address', ownershipPercentage: 'half' }],
    },
  }
  const inspected = inspectSubmission(body)
  const problems = [
    ...(inspected.ok ? [] : inspected.problems),
    ...findIdentityProblems({}, { kycData: { nationalIdType: 'SSN' } }),
  ].map(({ message }) => message)
  const messages = [
    ...problems,
    postalCodeProblem('DE', 'ABC'),
    postalCodeProblem('AF', '?'),
    postalCodeProblem('DE', ' '),
    regionProblem('US', 'California'),
  ].map(String)
  expect(messages.length).toBeGreaterThan(14)
  const withoutWords = messages.filter((message) => {
    const { rule, demand } = ruleOf(message)
    const words = textAt(texts.problems.byRule, rule) ?? ''
    return words === '' || (words.includes('{demand}') && demand === undefined)
  })
  // A value of a wrong type comes from no page of the form.
  expect(withoutWords.filter((message) => !/^must be a string/.test(message))).toEqual([])
})

test('every field of every page has a label', () => {
  const values = {
    kycData: { accountPurpose: 'OTHER', documents: [{ type: 'GOVERNMENT_ID', subtype: 'NATIONAL_ID' }] },
    kybData: {
      accountPurpose: 'OTHER',
      conductsMoneyServices: true,
      highRiskActivities: ['GAMBLING'],
      businessOperatingAddress: { countryCode: 'DE' },
      associatedPersons: [{ documents: [{ type: 'PROOF_OF_ADDRESS' }] }],
      businessDocuments: [{}],
    },
  }
  const fields = ['INDIVIDUAL', 'BUSINESS'].flatMap((customerType) =>
    stepsOf({ customerType, values } as unknown as FormState, formCatalog as unknown as Catalog).flatMap(
      (step) => step.fields,
    ),
  )
  expect(fields.length).toBeGreaterThan(60)
  expect(fields.filter((field) => labelOf(field, values) === texts.unnamed)).toEqual([])
})

test.each([
  [{ opens: [] }, 'Please contact support to continue with this verification.'],
  [{ issue: 'BIRTH_DATE_MISMATCH', opens: [] }, texts.issues.BIRTH_DATE_MISMATCH],
  [
    { issue: 'BIRTH_DATE_MISMATCH', about: 'kybData.associatedPersons[1].dateOfBirth', opens: [] },
    'Person 2: We could not confirm “Date of birth”. Please enter it exactly as on the ID.',
  ],
  // Words that name no field name the person all the same, and which of several documents.
  [
    { issue: 'DOCUMENT_EXPIRED', about: 'kybData.associatedPersons[0].documents[1].expirationDate', opens: [] },
    `Person 1, document 2: ${texts.issues.DOCUMENT_EXPIRED}`,
  ],
  [
    { issue: 'DOC_QUALITY_POOR', about: 'kybData.businessDocuments[1].documentImage', opens: [] },
    `Document 2: ${texts.issues.DOC_QUALITY_POOR}`,
  ],
  // A code that is new to the pages, about a field that can be corrected.
  [{ opens: ['kycData.dateOfBirth'] }, texts.issueOther],
])('a correction is told in the words of the pages: %j', (correction, words) => {
  expect(sayCorrection({ isForSupport: false, needsFile: false, ...correction }, {})).toBe(words)
})

test('a new identity document and a new proof of address have a place each', () => {
  const due = (...codes: string[]) => codes.map((code) => ({ field: 'kycData', code, message: '' }))
  const opens = (codes: string[], documents: object[] = []) =>
    findCorrections(due(...codes), 'INDIVIDUAL', { kycData: { documents } } as never).flatMap((each) => each.opens)
  const both = opens(['ADDRESS_DOCUMENT_MISSING_NAME', 'NO_FACE_PORTRAIT'])
  expect(both).toEqual([
    'kycData.documents[1].subtype',
    'kycData.documents[1].issuanceDate',
    'kycData.documents[1].proofOfAddressImage',
    'kycData.documents[0].frontIdImage',
  ])
  expect(newDocumentsIn(both)).toEqual([
    ['kycData.documents[0]', 'GOVERNMENT_ID'],
    ['kycData.documents[1]', 'PROOF_OF_ADDRESS'],
  ])
  // Alone it is the first one: a document can only be added after those before it.
  expect(opens(['ADDRESS_DOCUMENT_MISSING_NAME'])).toContain('kycData.documents[0].proofOfAddressImage')
  expect(opens(['ADDRESS_DOCUMENT_MISSING_NAME', 'NO_FACE_PORTRAIT'], [{ type: 'GOVERNMENT_ID' }])).toEqual(both)
  expect(opens(['ADDRESS_DOCUMENT_MISSING_NAME', 'NO_FACE_PORTRAIT'], [{ type: 'PROOF_OF_ADDRESS' }])).toEqual([
    'kycData.documents[0].subtype',
    'kycData.documents[0].issuanceDate',
    'kycData.documents[0].proofOfAddressImage',
    'kycData.documents[1].frontIdImage',
  ])
})

test('after a removal from a list that is open, corrections inside of it are about the list and name no person', () => {
  const list = 'kybData.associatedPersons'
  const named = { issue: 'ID_UNREADABLE', about: `${list}[1].documents[0]`, isForSupport: false, needsFile: true }
  const one = { ...named, opens: [`${list}[1].documents[0].frontIdImage`, `${list}[1].documents[0].backIdImage`] }
  const whole = { issue: 'OWNER_MISSING', about: list, opens: [list], isForSupport: false, needsFile: false }
  expect(withoutMoved([one, whole], 0)).toEqual([one, whole])
  expect(withoutMoved([one], 1)).toEqual([one])
  const moved = { issue: 'ID_UNREADABLE', opens: [list], isForSupport: false, needsFile: true }
  expect(withoutMoved([one, whole], 1)).toEqual([moved, whole])
})
