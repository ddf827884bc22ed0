import { expect, test } from 'vitest'
import { contactSupport, issueCategories } from './facts.ts'
import { describeIssue, isAlarm, isIssueCode, issueCodes, verificationIssues } from './verification-issues.ts'

// Copied from the contract's section "Verification issue codes", group by group.
const contract = {
  DOCUMENT: `DOCUMENT_MISSING_BACK, DOCUMENT_MISSING_FRONT, DOCUMENT_NUMBER_UNREADABLE, DOC_QUALITY_POOR,
    NAME_UNREADABLE, NO_FACE_PORTRAIT, MISSING_ID_DETAILS, DOCUMENT_EXPIRED, NO_GOVERNMENT_ID, DOCUMENT_NOT_FOUND,
    UNREADABLE_DOCUMENT, UNRECOGNIZED_DOCUMENT, MISSING_DOCUMENT_NUMBER, MISSING_ISSUE_DATE, MISSING_EXPIRY_DATE,
    DOCUMENT_FRONT_OR_BACK_MISSING, DOCUMENT_BACK_MISSING`,
  ADDRESS: `ID_REQUIRES_ADDITIONAL_VERIFICATION, DATABASE_CHECK_FAILED_ON_STREET_NAME, DATABASE_CHECK_FAILED_ON_CITY,
    DATABASE_CHECK_FAILED_ON_SUBDIVISION, DATABASE_CHECK_FAILED_ON_POSTAL_CODE, ADDRESS_TOO_SHORT,
    ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY, ADDRESS_DOCUMENT_MISSING_NAME, ADDRESS_DOCUMENT_MISSING_ADDRESS,
    ADDRESS_DOCUMENT_UNRECOGNIZED_DOCUMENT, ADDRESS_DOCUMENT_NAME_VERIFICATION_FAILED`,
  INFORMATION: 'ID_DATA_MISMATCH, INVALID_PARAMETERS',
  REVIEW: `INCORRECT_ID_TYPE, ID_COUNTRY_MISMATCH, GOVERNMENT_ID_VERIFICATION_FAILED,
    DATABASE_CHECK_FAILED_ON_NAME_FIRST, DATABASE_CHECK_FAILED_ON_NAME_LAST,
    DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER, INCONSISTENT_INFORMATION, INCONSISTENT_DETAILS,
    VERIFICATION_ISSUE, API_ERROR, NAME_VERIFICATION_FAILED, ID_TYPE_MISMATCH, BIRTH_DATE_MISMATCH,
    ID_NUMBER_NOT_VERIFIED, MISSING_NAME, ID_NOT_ALLOWED, SCREEN_DETECTED, AML_MATCH, DATABASE_LOOKUP_ISSUE,
    THIRD_PARTY_API_FAILED, API_DATA_REQUIREMENTS_NOT_MET, ID_WARNING, AML_WARNING, ADDITIONAL_WARNING`,
  SUPPORT: `FACE_PREVIOUSLY_ONBOARDED, ID_PREVIOUSLY_SEEN, ID_PREVIOUSLY_ATTEMPTED, SUSPICIOUS_USER_BEHAVIOUR,
    WORKFLOW_CONFIG_ERROR, FRAUD_WARNING`,
}
const codesOf = (group: keyof typeof contract) => contract[group].split(/,\s*/)

// biome-ignore format: a table is read by column
test.each([
  ['DOCUMENT',    17],
  ['ADDRESS',     11],
  ['INFORMATION', 2],
  ['REVIEW',      24],
  ['SUPPORT',     6],
] as const)('%s has the %d codes of the contract, in its order', (category, count) => {
  const ours = verificationIssues.filter((issue) => issue.category === category).map(({ code }) => code)
  expect(ours).toEqual(codesOf(category))
  expect(ours).toHaveLength(count)
})

test('there are 60 codes, each once', () => {
  expect(issueCodes).toHaveLength(60)
  expect(new Set(issueCodes).size).toBe(60)
})

test('a code is known exactly as the contract spells it', () => {
  for (const code of issueCodes) {
    expect(isIssueCode(code)).toBe(true)
    expect(describeIssue(code).code).toBe(code)
  }
  for (const text of ['', 'aml_match', 'AML_MATCH ', 'DOCUMENT_LOST', 'toString', '__proto__']) {
    expect(isIssueCode(text)).toBe(false)
  }
})

test.each(verificationIssues)('$code tells the customer and the integrator what to do', (issue) => {
  expect(issue.message).toMatch(/\bPlease [a-z].*\.$/)
  expect(issue.message.length).toBeLessThan(160)
  expect(issue.message).not.toMatch(
    /suspect|suspic|fraud|launder|sanction|watch.?list|criminal|fake|forge|AML|PEP\b|seen before/i,
  )
  expect(issue.resolution).toMatch(/^[A-Z].*\.$/)
  expect(issue.raisedBy).toContain('sandbox')
  expect(issue.raisedBy).toContain('provider')
})

const tellsNothing = /^(?:AML|FRAUD|SUSPICIOUS)_|_PREVIOUSLY_/

test('every issue that could tip the customer off has the same text: contact support', () => {
  const silent = issueCodes.filter((code) => tellsNothing.test(code))
  expect(silent).toHaveLength(7)
  expect(issueCodes.filter(isAlarm)).toEqual(silent)
  for (const code of silent) expect([code, describeIssue(code).message]).toEqual([code, contactSupport])
  const others = verificationIssues.filter(({ code }) => !tellsNothing.test(code)).map(({ message }) => message)
  expect(others).not.toContain(contactSupport)
  expect(new Set(others).size).toBe(others.length)
})

test('a reviewer handles what a customer cannot correct; everything else returns to the customer', () => {
  const reviewed = verificationIssues.filter(({ leadsTo }) => leadsTo === 'review').map(({ code }) => code)
  const warnings = issueCodes.filter((code) => tellsNothing.test(code) || code.endsWith('_WARNING'))
  const ours = ['API_ERROR', 'DATABASE_LOOKUP_ISSUE', 'THIRD_PARTY_API_FAILED', 'WORKFLOW_CONFIG_ERROR']
  expect(reviewed.toSorted()).toEqual([...warnings, ...ours, 'VERIFICATION_ISSUE'].toSorted())
})

test('the built-in checks raise these codes', () => {
  const raised = verificationIssues.filter(({ raisedBy }) => raisedBy.includes('engine')).map(({ code }) => code)
  const expected = [
    'DOCUMENT_MISSING_BACK',
    'DOCUMENT_MISSING_FRONT',
    'DOCUMENT_EXPIRED',
    'UNREADABLE_DOCUMENT',
    'NO_GOVERNMENT_ID',
    'MISSING_ID_DETAILS',
    'MISSING_DOCUMENT_NUMBER',
    'MISSING_ISSUE_DATE',
    'MISSING_EXPIRY_DATE',
    'ADDRESS_TOO_SHORT',
    'DATABASE_CHECK_FAILED_ON_POSTAL_CODE',
    'ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY',
    'ID_DATA_MISMATCH',
    'INVALID_PARAMETERS',
    'ID_COUNTRY_MISMATCH',
    'INCORRECT_ID_TYPE',
    'BIRTH_DATE_MISMATCH',
    'INCONSISTENT_INFORMATION',
    'INCONSISTENT_DETAILS',
    'MISSING_NAME',
    'ID_NOT_ALLOWED',
    'SCREEN_DETECTED',
    'ID_PREVIOUSLY_SEEN',
    'ID_PREVIOUSLY_ATTEMPTED',
    'ID_REQUIRES_ADDITIONAL_VERIFICATION',
    'API_DATA_REQUIREMENTS_NOT_MET',
    'ADDITIONAL_WARNING',
    'ID_NUMBER_NOT_VERIFIED',
    'AML_MATCH',
    'AML_WARNING',
    'VERIFICATION_ISSUE',
  ]
  expect(expected).toHaveLength(31)
  expect(raised.toSorted()).toEqual(expected.toSorted())
})

test('a code without advice of its own has the advice of its category', () => {
  expect(describeIssue('DOC_QUALITY_POOR').resolution).toBe(issueCategories.DOCUMENT)
  expect(describeIssue('FRAUD_WARNING').resolution).toBe(issueCategories.SUPPORT)
  expect(describeIssue('ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY').resolution).toMatch(/3 months/)
})
