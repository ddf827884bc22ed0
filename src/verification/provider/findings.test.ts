import { expect, test } from 'vitest'
import { type Finding, verdictOf } from '../submission.ts'
import { findingsOf } from './findings.ts'

const show = ({ code, field = '' }: Finding) => `${code} ${field}`.trim()

// biome-ignore format: a table is read by column
test.each([
  // status              issues                                                                 outcome         findings
  ['APPROVED',           [],                                                                    'approve',      []],
  ['APPROVED',           [{ code: 'DOCUMENT_EXPIRED' }],                                        'review',       ['DOCUMENT_EXPIRED', 'VERIFICATION_ISSUE']],
  ['NEEDS_INFORMATION',  [{ code: 'DOCUMENT_EXPIRED' }, { code: 'MISSING_NAME' }],              'information',  ['DOCUMENT_EXPIRED', 'MISSING_NAME']],
  ['NEEDS_INFORMATION',  [],                                                                    'review',       ['VERIFICATION_ISSUE']],
  ['NEEDS_INFORMATION',  [{ code: 'DOCUMENT_EXPIRED' }, { code: 'AML_MATCH' }],                 'review',       ['DOCUMENT_EXPIRED', 'AML_MATCH']],
  ['NEEDS_INFORMATION',  [{ code: 'DOCUMENT_EXPIRED' }, { code: 'ID_WARNING' }],                'information',  ['DOCUMENT_EXPIRED', 'ID_WARNING']],
  ['NEEDS_REVIEW',       [{ code: 'ID_WARNING' }, { code: 'DOCUMENT_EXPIRED' }],                'review',       ['DOCUMENT_EXPIRED', 'ID_WARNING']],
  ['NEEDS_INFORMATION',  [{ code: 'FRAUD_WARNING' }],                                           'review',       ['FRAUD_WARNING']],
  ['NEEDS_INFORMATION',  [{ code: 'LEFT_HANDED' }],                                             'review',       ['VERIFICATION_ISSUE']],
  ['NEEDS_INFORMATION',  [{ code: 'DOCUMENT_EXPIRED', field: 'kycData.documents[0]' }],         'information',  ['DOCUMENT_EXPIRED kycData.documents[0]']],
  ['NEEDS_INFORMATION',  [{ code: 'ADDRESS_TOO_SHORT', field: 'kycData.address.streetLine1' }], 'information',  ['ADDRESS_TOO_SHORT kycData.address.streetLine1']],
  ['NEEDS_INFORMATION',  [{ code: 'MISSING_NAME', field: 'Ada Lovelace, 1 Main St' }],          'information',  ['MISSING_NAME']],
  ['NEEDS_REVIEW',       [{ code: 'AML_WARNING' }],                                             'review',       ['AML_WARNING']],
  ['NEEDS_REVIEW',       [{ code: 'DOCUMENT_EXPIRED' }],                                        'review',       ['DOCUMENT_EXPIRED', 'VERIFICATION_ISSUE']],
  ['NEEDS_REVIEW',       [],                                                                    'review',       ['VERIFICATION_ISSUE']],
] as const)('%s with %j leads to %s', (status, issues, outcome, findings) => {
  const found = findingsOf(status, issues)
  expect(found.map(show)).toEqual(findings)
  expect(verdictOf(found).outcome).toBe(outcome)
})
