import { afterAll, beforeEach, expect, test } from 'vitest'
import { makeApplicant } from '../../support/customers/applicants.ts'
import {
  type Customer,
  createCustomer,
  eventsOf,
  readCustomer,
  waitForStatus,
} from '../../support/customers/customers.ts'
import { startProviderSimulator } from '../../support/customers/provider-simulator.ts'
import { decideReview, listReviews, type Review, sandboxDecide } from '../../support/customers/reviews.ts'
import { startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

/** A case that a provider leaves open gets a review, with the findings of the provider and the built-in checks. */
const provider = await startProviderSimulator()
const { folder, remove } = await makeFolder('svc provider reviews ')
const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_BLOB_DIR: folder, ...provider.settings })
provider.service = api.baseUrl
const worker = await api.app.startWorker()
afterAll(async () => {
  await worker.stop()
  await provider.close()
  await remove()
})
beforeEach(() => {
  provider.judge = () => ({ status: 'PENDING' })
})

type Request = { reference: string; state: string }

async function requestOf({ customerId }: Customer): Promise<Request | undefined> {
  const text = 'select reference, state from svc.provider_requests where customer_id = $1 order by submission desc'
  return (await api.app.database.query<Request>({ text, values: [customerId] }))[0]
}

/** Creates a customer whose verification the provider has accepted but not decided. */
async function waitingCustomer(changes: object = {}): Promise<{ customer: Customer; reference: string }> {
  const customer = await createCustomer(api, { kycData: makeApplicant(changes) })
  await expect.poll(async () => (await requestOf(customer))?.state).toBe('WAITING')
  return { customer, reference: (await requestOf(customer))?.reference ?? '' }
}

async function openReviewsOf({ customerId }: Customer): Promise<Review[]> {
  return (await listReviews(api, `customerId=${customerId}`)).reviews
}

async function waitForReview(customer: Customer): Promise<Review> {
  await expect.poll(async () => (await openReviewsOf(customer)).length).toBe(1)
  const review = first(await openReviewsOf(customer))
  expect(review).toMatchObject({
    reviewStatus: 'OPEN',
    reason: 'MANUAL_SUBMISSION',
    customerStatus: 'UNDER_REVIEW',
    submission: 1,
  })
  return review
}

const codesOf = ({ findings }: Review) => findings.map(({ code }) => code)

type Does = (reference: string) => Promise<unknown>

const declines =
  (...issues: { code: string; field?: string }[]): Does =>
  (reference) => {
    provider.decide(reference, { status: 'NEEDS_REVIEW', issues })
    return provider.call(reference)
  }
const isSilent: Does = () => api.post('/sandbox/clock', { advance: 'P6D' })
const fraud = { code: 'FRAUD_WARNING', field: 'kycData.documents[0]' }

// biome-ignore format: a table is read by column
test.each<[string, Does, object, string[]]>([
  // provider                     action           submitted                      findings
  ['declines',                    declines(fraud), {},                            ['FRAUD_WARNING']],
  ['declines without codes',      declines(),      {},                            ['VERIFICATION_ISSUE']],
  ['is silent',                   isSilent,        {},                            ['THIRD_PARTY_API_FAILED']],
  ['declines, like our checks',   declines(fraud), { sourceOfFunds: 'XYZ' },  ['VERIFICATION_ISSUE', 'FRAUD_WARNING']],
  ['is silent on our findings',   isSilent,        { sourceOfFunds: 'XYZ' },  ['VERIFICATION_ISSUE', 'THIRD_PARTY_API_FAILED']],
])('when a provider %s, a review opens with the findings, invisibly to the customer', async (...row) => {
  const [, does, submitted, codes] = row
  const { customer, reference } = await waitingCustomer(submitted)
  expect(await openReviewsOf(customer)).toEqual([])
  await does(reference)
  const review = await waitForReview(customer)
  expect(codesOf(review)).toEqual(codes)
  const found = review.findings.find(({ code }) => code === fraud.code)
  if (found) expect(found.field).toBe(fraud.field)
  expect(await readCustomer(api, customer)).toMatchObject({ customerStatus: 'UNDER_REVIEW', verificationIssues: [] })
})

test('a reviewer decides for a silent provider, whose later answer changes nothing', async () => {
  const { customer, reference } = await waitingCustomer()
  await isSilent(reference)
  await waitForReview(customer)
  expect((await decideReview(api, customer, { decision: 'APPROVE' })).status).toBe(200)
  await waitForStatus(api, customer, 'ACTIVE')
  await declines(fraud)(reference)
  const later = await waitingCustomer()
  await declines(fraud)(later.reference)
  await waitForReview(later.customer) // all earlier work is done
  expect(await openReviewsOf(customer)).toEqual([])
  await expect.poll(async () => (await eventsOf(api, customer)).at(-1)).toBe('customer.updated ACTIVE')
})

test('a review opened before the provider decides keeps the findings of the built-in checks', async () => {
  const { customer, reference } = await waitingCustomer({ sourceOfFunds: 'XYZ' })
  await sandboxDecide(api, customer, { outcome: 'REVIEW', issues: ['AML_WARNING'] })
  expect(codesOf(await waitForReview(customer))).toEqual(['VERIFICATION_ISSUE', 'AML_WARNING'])
  provider.decide(reference, { status: 'APPROVED' })
  await provider.call(reference)
  await expect.poll(async () => (await requestOf(customer))?.state).toBe('DROPPED')
  expect((await waitForReview(customer)).version).toBe(1)
})

const listed = { legalFirstName: 'Bertram', legalLastName: 'Quillfeather', dateOfBirth: '1961-03-12' }

async function importList(version: number, ...names: string[]): Promise<void> {
  const lines = names.map((name, at) => sdnLine(100 + at, name, 'individual', 'DOB 12 Mar 1961'))
  await api.app.screening.importList(await makeListFolder(lines), { actor: 'test' })
  await expect.poll(() => api.app.screening.currentVersion()).toBe(version)
}

test('a list imported while the provider decides still counts when it approves', async () => {
  await importList(1, 'STRANGER, Else Entirely')
  const { customer, reference } = await waitingCustomer(listed)
  await importList(2, 'STRANGER, Else Entirely', 'QUILLFEATHER, Bertram')
  provider.decide(reference, { status: 'APPROVED' })
  await provider.call(reference)
  const { findings } = await waitForReview(customer)
  expect(findings).toMatchObject([{ watchList: { listVersion: 2, entryNumber: '101' } }])
})

test('a match found before the request to the provider is in the review, regardless of the provider', async () => {
  const silent = await waitingCustomer(listed)
  const approved = await waitingCustomer(listed)
  provider.decide(approved.reference, { status: 'APPROVED' })
  await provider.call(approved.reference)
  await isSilent(silent.reference)
  for (const { customer } of [silent, approved]) {
    const { findings } = await waitForReview(customer)
    expect(findings.filter(({ watchList }) => watchList?.entryNumber === '101')).toHaveLength(1)
  }
})

test('all invariants hold', async () => {
  expect(await api.app.verify()).toMatchObject({ ok: true })
})
