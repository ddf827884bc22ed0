import { expect, test } from 'vitest'
import {
  makeBusinessSubmission,
  makePassport,
  makeStoredImage,
  makeSubmission,
} from '../../../../test/support/customers/identities.ts'
import { verifySubmission } from '../../engine.ts'
import type { Finding } from '../../submission.ts'
import { checkOutsideEvidence, checkPlausibility } from './plausibility.ts'

const noise = makeStoredImage({ pageSigns: ['NOISE'] })
const field = 'kycData.documents[0].frontIdImage'

// biome-ignore format: a table is read by column
test.each([
  // must be plausible  submission  file                found
  [true,                1,          noise,              [{ code: 'UNREADABLE_DOCUMENT', field, leadsTo: 'information' }]],
  [true,                2,          noise,              [{ code: 'UNREADABLE_DOCUMENT', field, leadsTo: 'information' }]],
  [true,                3,          noise,              [{ code: 'UNREADABLE_DOCUMENT', field, leadsTo: 'review' }]],
  [true,                1,          makeStoredImage(),  []],
  [false,               1,          noise,              []],
] as const)('plausible: %s, submission %i', (mustBePlausible, version, frontIdImage, found) => {
  const documentPolicy = { mustBePlausible, mayApprove: true }
  const documents = [makePassport({ frontIdImage })]
  expect(checkPlausibility(makeSubmission({ documents }, { version, documentPolicy }))).toEqual(found)
})

test.each([
  ['an individual', makeSubmission, 'kycData.documents'],
  ['a business', makeBusinessSubmission, 'kybData.associatedPersons'],
] as const)('%s without findings waits for a reviewer where our checks may not approve', (_who, make, where) => {
  const may = (mayApprove: boolean) => make({}, { documentPolicy: { mustBePlausible: true, mayApprove } })
  expect(verifySubmission(may(true))).toEqual({ outcome: 'approve' })
  const findings = [{ code: 'VERIFICATION_ISSUE', field: where, leadsTo: 'review' }]
  expect(verifySubmission(may(false))).toEqual({ outcome: 'review', findings })
  expect(checkOutsideEvidence(make())).toEqual([])
})

test('a customer corrects first what can be corrected, before a reviewer looks at the documents', () => {
  const documentPolicy = { mustBePlausible: true, mayApprove: false }
  expect(verifySubmission(makeSubmission({ documents: [] }, { documentPolicy })).outcome).toBe('information')
})

test('a settled doubt does not stand in for a look at the documents', () => {
  const documentPolicy = { mustBePlausible: true, mayApprove: false }
  const submission = makeSubmission({ sourceOfFunds: 'XYZ' }, { documentPolicy })
  const isSettled = ({ field }: Finding) => field === 'kycData.sourceOfFunds'
  const findings = [{ code: 'VERIFICATION_ISSUE', field: 'kycData.documents', leadsTo: 'review' }]
  expect(verifySubmission(submission, { isSettled })).toEqual({ outcome: 'review', findings })
  expect(verifySubmission(submission, { isSettled: () => true })).toEqual({ outcome: 'review', findings })
})
