import { expect, test } from 'vitest'
import { makeApplicant } from '../../support/customers/applicants.ts'
import { createCustomer, patchCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { decideReview, readReview, sandboxDecide, waitForReview } from '../../support/customers/reviews.ts'
import { startVerifying } from '../../support/customers/verifying-api.ts'

/** The sandbox, where our own checks approve. */
const api = await startVerifying()

const asked = 'NEEDS_ADDITIONAL_INFORMATION'

/** A customer whom a reviewer, called by an unknown source of funds, asked for something. */
async function askedCustomer(code: string) {
  const customer = await createCustomer(api)
  const kycData = makeApplicant({ sourceOfFunds: 'XYZ' })
  await patchCustomer(api, customer, { kycData })
  await waitForReview(api, customer)
  await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: [code] })
  return { customer, kycData }
}

test.each([
  // The checks never raise it.
  'DOC_QUALITY_POOR',
  // The checks raise it for a date that was entered; the reviewer saw another one in the picture.
  'DOCUMENT_EXPIRED',
])('an answer to a reviewer’s %s is judged by a reviewer, until one is content', async (code) => {
  const { customer, kycData } = await askedCustomer(code)
  await patchCustomer(api, customer, { kycData: { documents: [] } })
  await waitForStatus(api, customer, asked)
  for (const decision of ['NEEDS_INFO', 'APPROVE']) {
    await patchCustomer(api, customer, { kycData: { documents: kycData.documents } })
    await waitForReview(api, customer)
    const { findings } = await readReview(api, customer)
    expect(findings).toEqual([{ code, message: expect.any(String), wasAsked: true }])
    await decideReview(api, customer, { decision, ...(decision === 'APPROVE' ? {} : { issues: [code] }) })
  }
  await waitForStatus(api, customer, 'ACTIVE')
})

test('a question is answered once the reviewer asks for something else', async () => {
  const { customer, kycData } = await askedCustomer('DOC_QUALITY_POOR')
  await patchCustomer(api, customer, { kycData: { documents: kycData.documents } })
  await waitForReview(api, customer)
  await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: ['NAME_UNREADABLE'] })
  await patchCustomer(api, customer, { kycData: { documents: kycData.documents } })
  await waitForReview(api, customer)
  expect((await readReview(api, customer)).findings).toMatchObject([{ code: 'NAME_UNREADABLE' }])
  // The same data was settled for DOC_QUALITY_POOR, and is asked about anew.
  await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: ['DOC_QUALITY_POOR'] })
  await patchCustomer(api, customer, { kycData: { documents: kycData.documents } })
  await waitForReview(api, customer)
})

test('the checks judge the answer to a question that they raised themselves', async () => {
  const { customer } = await askedCustomer('VERIFICATION_ISSUE')
  await patchCustomer(api, customer, { kycData: { sourceOfFunds: 'SALARY' } })
  await waitForStatus(api, customer, 'ACTIVE')
})

test('questions of the sandbox are no reviewer’s, and a magic name decides before every question', async () => {
  const { customer, kycData } = await askedCustomer('DOC_QUALITY_POOR')
  await patchCustomer(api, customer, { kycData: { documents: kycData.documents } })
  await waitForReview(api, customer)
  await sandboxDecide(api, customer, { outcome: 'NEEDS_INFO', issues: ['NAME_UNREADABLE'] })
  await patchCustomer(api, customer, { kycData: { documents: kycData.documents } })
  await waitForStatus(api, customer, 'ACTIVE')
  const { customer: other } = await askedCustomer('DOC_QUALITY_POOR')
  await patchCustomer(api, other, { kycData: { legalLastName: 'Approve' } })
  await waitForStatus(api, other, 'ACTIVE')
})
