import { expect, test } from 'vitest'
import {
  makeAddress,
  makeAssociatedPerson,
  makeBusinessSubmission,
  makePassport,
  makeProofOfAddress,
  makeStoredImage,
  makeSubmission,
} from '../../test/support/customers/identities.ts'
import { describeIssue, type IssueCode, isAlarm, verificationIssues } from '../catalog/issues/verification-issues.ts'
import { verifySubmission } from './engine.ts'
import { needsInformation, needsReview, type Submission, type Verdict, verdictOf } from './submission.ts'

test.each([
  ['a complete individual', makeSubmission()],
  ['a complete business', makeBusinessSubmission()],
  ['an individual with a proof of address', makeSubmission({ documents: [makePassport(), makeProofOfAddress()] })],
  [
    'an individual who gave a name on creation',
    makeSubmission({}, { profile: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Example' } }),
  ],
  [
    'a business of two owners, in fractions',
    makeBusinessSubmission({
      associatedPersons: [
        makeAssociatedPerson({ ownershipPercentage: 0.6 }),
        makeAssociatedPerson({ ownershipPercentage: 0.4, isControlPerson: false }),
      ],
    }),
  ],
])('%s is approved', (_what, submission) => {
  expect(verifySubmission(submission)).toEqual({ outcome: 'approve' })
})

const seen = (sameOrganizationActive: boolean) =>
  makeSubmission({}, { seenBefore: { sameOrganizationActive, attempted: true } })
const match = (strength: 'match' | 'possible') => makeSubmission({}, { watchListMatches: [{ strength }] })
const passport = (changes: Parameters<typeof makePassport>[0]) => makeSubmission({ documents: [makePassport(changes)] })
const without = (name: 'frontIdImage' | 'issuanceDate' | 'expirationDate' | 'documentIdNumber') => {
  const { [name]: _left, ...rest } = makePassport()
  return makeSubmission({ documents: [rest] })
}

const findingsOf = (verdict: Verdict) => (verdict.outcome === 'approve' ? [] : verdict.findings)
const unreadable = makeSubmission(
  { documents: [makePassport({ frontIdImage: makeStoredImage({ pageSigns: ['NOISE'] }) })] },
  { documentPolicy: { mustBePlausible: true, mayApprove: true } },
)

/** One submission for each code that our own checks find, and its outcome. */
// biome-ignore format: a table is read by column
const cases: readonly (readonly [IssueCode, 'information' | 'review', Submission])[] = [
  ['DOCUMENT_MISSING_BACK',               'information', passport({ subtype: 'NATIONAL_ID' })],
  ['DOCUMENT_MISSING_FRONT',              'information', without('frontIdImage')],
  ['MISSING_ID_DETAILS',                  'information', makeSubmission({ nationalIdType: '' })],
  ['DOCUMENT_EXPIRED',                    'information', passport({ expirationDate: '2025-11-20' })],
  ['UNREADABLE_DOCUMENT',                 'information', unreadable],
  ['NO_GOVERNMENT_ID',                    'information', makeSubmission({ documents: [] })],
  ['MISSING_DOCUMENT_NUMBER',             'information', without('documentIdNumber')],
  ['MISSING_ISSUE_DATE',                  'information', without('issuanceDate')],
  ['MISSING_EXPIRY_DATE',                 'information', without('expirationDate')],
  ['ID_REQUIRES_ADDITIONAL_VERIFICATION', 'information', makeSubmission({ address: makeAddress({ streetLine1: 'PO Box 12' }) })],
  ['DATABASE_CHECK_FAILED_ON_POSTAL_CODE', 'information', makeSubmission({ address: makeAddress({ postalCode: '10001' }) })],
  ['ADDRESS_TOO_SHORT',                   'information', makeSubmission({ address: makeAddress({ streetLine1: 'A 1' }) })],
  ['ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY', 'information', makeSubmission({ documents: [makePassport(), makeProofOfAddress({ issuanceDate: '2025-08-20' })] })],
  ['ID_DATA_MISMATCH',                    'information', makeSubmission({}, { profile: { email: '', lastName: 'Other' } })],
  ['INVALID_PARAMETERS',                  'information', makeSubmission({ dateOfBirth: '1890-05-17' })],
  ['INCORRECT_ID_TYPE',                   'information', makeSubmission({ documents: [makePassport(), makeProofOfAddress({ subtype: 'PASSPORT' })] })],
  ['ID_COUNTRY_MISMATCH',                 'information', passport({ countryCode: 'FR' })],
  ['INCONSISTENT_INFORMATION',            'information', makeBusinessSubmission({ associatedPersons: [makeAssociatedPerson(), makeAssociatedPerson()] })],
  ['INCONSISTENT_DETAILS',                'information', passport({ issuanceDate: '2025-11-22' })],
  ['VERIFICATION_ISSUE',                  'review',      makeSubmission({ sourceOfFunds: 'XYZ' })],
  ['BIRTH_DATE_MISMATCH',                 'information', makeSubmission({ nationalIdIssuingCountry: 'SE', nationalIdType: 'TIN', nationalIdNumber: '900518-0006' })],
  ['ID_NUMBER_NOT_VERIFIED',              'information', makeSubmission({ nationalIdNumber: '666-45-6789' })],
  ['MISSING_NAME',                        'information', makeSubmission({ legalLastName: '' })],
  ['ID_NOT_ALLOWED',                      'information', passport({ subtype: 'STUDENT_CARD' })],
  ['SCREEN_DETECTED',                     'information', passport({ frontIdImage: makeStoredImage({ screenHints: ['moire'] }) })],
  ['AML_MATCH',                           'review',      match('match')],
  ['API_DATA_REQUIREMENTS_NOT_MET',       'information', makeSubmission({ phoneNumber: '' })],
  ['AML_WARNING',                         'review',      match('possible')],
  ['ADDITIONAL_WARNING',                  'review',      makeBusinessSubmission({ operatesInProhibitedCountries: true })],
  ['ID_PREVIOUSLY_SEEN',                  'review',      seen(true)],
  ['ID_PREVIOUSLY_ATTEMPTED',             'review',      seen(false)],
]

test.each(cases)('%s alone leads to %s', (code, outcome, submission) => {
  const verdict = verifySubmission(submission)
  expect(verdict).toMatchObject({ outcome, findings: [{ code, leadsTo: outcome }] })
  // A magic name with the code, or a provider, leads to the same.
  expect(describeIssue(code).leadsTo).toBe(outcome)
})

test('the cases cover every code that the catalog says our checks find', () => {
  const ours = verificationIssues.filter(({ raisedBy }) => raisedBy.includes('engine')).map(({ code }) => code)
  expect(cases.map(([code]) => code).toSorted()).toEqual(ours.toSorted())
})

test('the customer is asked first; doubts are kept, in a stable order', () => {
  const submission = makeSubmission({ legalLastName: '', sourceOfFunds: 'XYZ', nationalIdNumber: '666-45-6789' })
  const verdict = verifySubmission(submission)
  expect(verdict).toEqual({
    outcome: 'information',
    findings: [
      { code: 'MISSING_NAME', field: 'kycData.legalLastName', leadsTo: 'information' },
      { code: 'ID_NUMBER_NOT_VERIFIED', field: 'kycData.nationalIdNumber', leadsTo: 'information' },
      { code: 'VERIFICATION_ISSUE', field: 'kycData.sourceOfFunds', leadsTo: 'review' },
    ],
  })
  expect(verifySubmission(structuredClone(submission))).toEqual(verdict)
})

test.each(cases)(
  '%s beside a missing document: an alarm alone comes before the question',
  (code, _outcome, submission) => {
    const mixed = verdictOf([...findingsOf(verifySubmission(submission)), needsInformation('NO_GOVERNMENT_ID')])
    expect(mixed.outcome).toBe(isAlarm(code) ? 'review' : 'information')
  },
)

test('a repeated finding is kept once, in its first place', () => {
  const [one, other] = [needsInformation('MISSING_NAME', 'a'), needsReview('AML_MATCH')]
  expect(verdictOf([one, other, { ...one }, { ...other }])).toEqual({ outcome: 'review', findings: [one, other] })
  expect(verdictOf([one, { ...one, field: 'b' }])).toMatchObject({
    outcome: 'information',
    findings: [{}, { field: 'b' }],
  })
  expect(verdictOf([])).toEqual({ outcome: 'approve' })
})

test('a first submission with only a name needs more information', () => {
  const identity = { kycData: { legalFirstName: 'Ada', legalLastName: 'Example' } }
  const verdict = verifySubmission(makeSubmission({}, { identity }))
  expect(verdict.outcome).toBe('information')
  expect(verifySubmission(makeBusinessSubmission({}, { identity: {} })).outcome).toBe('information')
})

test('a submission approved today may not be approved tomorrow', () => {
  const submission = passport({ expirationDate: '2025-11-21' })
  expect(verifySubmission(submission).outcome).toBe('approve')
  expect(verifySubmission({ ...submission, now: new Date('2025-11-22T00:00:00Z') }).outcome).toBe('information')
})
