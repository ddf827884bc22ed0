import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { activeCustomer, decideReview, isBlocked, readReview } from '../../support/customers/reviews.ts'
import { startApi } from '../../support/runner/api.ts'
import { makeFolder } from '../../support/runner/folder.ts'

/** From end to end: a published list is imported, the workers screen the customers, a reviewer decides. */
const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0' })
const { folder, remove } = await makeFolder('svc new list ')
const worker = await api.app.startWorker()
afterAll(async () => {
  await worker.stop()
  await remove()
})

async function importList(...names: string[]): Promise<void> {
  const line = (name: string, at: number) =>
    `${100 + at},"${name}","individual","SDGT",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"DOB 12 Mar 1961."`
  await writeFile(path.join(folder, 'sdn.csv'), `${names.map(line).join('\r\n')}\r\n`)
  await writeFile(path.join(folder, 'alt.csv'), '')
  await api.app.screening.importList(folder, { actor: 'test' })
}

const born = { legalFirstName: 'Bertram', dateOfBirth: '1961-03-12' }

test('a new list that names a served customer blocks them until a reviewer clears or confirms the match', async () => {
  await importList('STRANGER, Else Entirely')
  const listed = await activeCustomer(api, { ...born, legalLastName: 'Quillfeather' })
  const other = await activeCustomer(api, { legalFirstName: 'Clara', legalLastName: 'Thistlewood' })
  await expect.poll(() => api.app.rescreening.countUnscreened()).toBe(0)
  expect(await isBlocked(api, listed)).toBe(false)

  await importList('STRANGER, Else Entirely', 'QUILLFEATHER, Bertram')
  await expect.poll(() => isBlocked(api, listed)).toBe(true)
  expect(await readReview(api, listed)).toMatchObject({
    reason: 'WATCH_LIST_HIT',
    customerStatus: 'ACTIVE',
    findings: [{ code: 'AML_MATCH', watchList: { listVersion: 2, entryNumber: '101', strength: 'match' } }],
  })
  await expect.poll(() => api.app.rescreening.countUnscreened()).toBe(0)
  expect(await isBlocked(api, other)).toBe(false)

  await decideReview(api, listed, { decision: 'APPROVE' })
  await importList('STRANGER, Else Entirely', 'QUILLFEATHER, Bertram', 'ANOTHER, Unknown Person')
  await expect.poll(() => api.app.screening.currentVersion()).toBe(3)
  await expect.poll(() => api.app.rescreening.countUnscreened()).toBe(0)
  expect(await isBlocked(api, listed)).toBe(false)
})

test('a customer with a listed name waits for a reviewer, and once approved is not blocked by that match', async () => {
  const customer = await createCustomer(api, { kycData: { ...born, legalLastName: 'Quillfeather' } })
  await expect.poll(async () => (await api.get(`/reviews/${customer.customerId}`)).status).toBe(200)
  const review = await readReview(api, customer)
  expect(review).toMatchObject({ reason: 'MANUAL_SUBMISSION', customerStatus: 'UNDER_REVIEW' })
  const hit = review.findings.find(({ watchList }) => watchList?.entryNumber === '101')
  expect(hit).toMatchObject({ code: 'AML_MATCH', field: 'kycData.legalLastName' })
  expect(review.findings.length).toBeGreaterThan(1) // and all that the customer could correct
  await decideReview(api, customer, { decision: 'APPROVE' })
  await waitForStatus(api, customer, 'ACTIVE')
  await expect.poll(() => api.app.rescreening.countUnscreened()).toBe(0)
  expect(await isBlocked(api, customer)).toBe(false)
})
