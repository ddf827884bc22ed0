import { afterAll, expect, test } from 'vitest'
import { makeApplicant } from '../../support/customers/applicants.ts'
import { type Customer, createCustomer, patchCustomer, readCustomer } from '../../support/customers/customers.ts'
import { decideReview, readReview } from '../../support/customers/reviews.ts'
import { startVerifying } from '../../support/customers/verifying-api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { makeFolder } from '../../support/runner/folder.ts'

/** A deployment in which a person looks at the documents of each customer, as in production. */
const { folder, remove } = await makeFolder('svc settled documents ')
afterAll(remove)
const api = await startVerifying({
  SVC_BUILTIN_DOCUMENT_CHECKS: 'review',
  SVC_BLOB_DIR: folder,
})

/** Waits until the checks have ended: with a status, or with a review. */
async function outcomeOf(customer: Customer) {
  await eventually(async () => {
    const { customerStatus, review } = await readCustomer(api, customer)
    expect(customerStatus !== 'UNDER_REVIEW' || review !== undefined).toBe(true)
  })
  return (await readCustomer(api, customer)).customerStatus
}

test('a person looks again when the name changes over documents that a reviewer has seen', async () => {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { firstName: null, lastName: null, kycData: makeApplicant() })
  expect(await outcomeOf(customer)).toBe('UNDER_REVIEW')
  await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: ['ADDRESS_TOO_SHORT'] })
  await patchCustomer(api, customer, {
    kycData: { legalFirstName: 'Zebulon', legalLastName: 'Quartermain', dateOfBirth: '1971-02-03' },
  })
  expect(await outcomeOf(customer)).toBe('UNDER_REVIEW')
  const [finding] = (await readReview(api, customer)).findings
  expect(finding).toMatchObject({ code: 'VERIFICATION_ISSUE', field: 'kycData.documents' })
})
