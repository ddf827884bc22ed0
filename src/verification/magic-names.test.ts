import { expect, test } from 'vitest'
import { describeIssue, issueCodes } from '../catalog/issues/verification-issues.ts'
import { readMagicName } from './magic-names.ts'

// biome-ignore format: a table is read by column
test.each([
  // name                                              outcome        codes
  ['Approve',                                          'approve',     undefined],
  ['Reject',                                           'reject',      ['VERIFICATION_ISSUE']],
  ['Review',                                           'review',      ['VERIFICATION_ISSUE']],
  ['Issue-DOCUMENT_EXPIRED',                           'information', ['DOCUMENT_EXPIRED']],
  ['Issue-DOCUMENT_EXPIRED Issue-ADDRESS_TOO_SHORT',   'information', ['DOCUMENT_EXPIRED', 'ADDRESS_TOO_SHORT']],
  ['Issue-DOCUMENT_EXPIRED  Issue-DOCUMENT_EXPIRED ',  'information', ['DOCUMENT_EXPIRED']],
  ['Issue-AML_MATCH',                                  'review',      ['AML_MATCH']],
  ['Issue-DOCUMENT_EXPIRED Issue-AML_MATCH',           'review',      ['DOCUMENT_EXPIRED', 'AML_MATCH']],
])('%j decides: %s with %j', (name, outcome, codes) => {
  const magic = readMagicName(name)
  expect(magic?.outcome).toBe(outcome)
  expect(magic && 'findings' in magic ? magic.findings.map(({ code }) => code) : undefined).toEqual(codes)
})

test.each([
  undefined,
  '',
  ' ',
  'Example',
  'approve',
  'APPROVE',
  'Approve Inc',
  'Reject Review',
  'Approved',
  'Issue',
  'Issue-',
  'Issue-NOPE',
  'issue-DOCUMENT_EXPIRED',
  'Issue-document_expired',
  'Issue-toString',
  'Issue-DOCUMENT_EXPIRED Smith',
  'Issue-DOCUMENT_EXPIRED Issue-NOPE',
  'Issue-DOCUMENT_EXPIRED,Issue-AML_MATCH',
  'Issue-DOCUMENT_EXPIRED Approve',
  '__proto__',
])('%j is an ordinary name', (name) => {
  expect(readMagicName(name)).toBeUndefined()
})

test('every code of the contract can be reached, and leads where the catalog says', () => {
  for (const code of issueCodes) {
    const { leadsTo } = describeIssue(code)
    expect(readMagicName(`Issue-${code}`)).toEqual({ outcome: leadsTo, findings: [{ code, leadsTo }] })
  }
})
