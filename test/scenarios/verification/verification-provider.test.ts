import { createHash } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { makeApplicant } from '../../support/customers/applicants.ts'
import {
  type Customer,
  createCustomer,
  eventsOf,
  patchCustomer,
  waitForStatus,
} from '../../support/customers/customers.ts'
import { makeJpeg } from '../../support/customers/document-files.ts'
import { startProviderSimulator } from '../../support/customers/provider-simulator.ts'
import { startApi } from '../../support/runner/api.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { readMetric } from '../../support/runner/metrics.ts'

const provider = await startProviderSimulator()
const { folder, remove } = await makeFolder('svc provider ')
const settings = { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_BLOB_DIR: folder }
const api = await startApi({ ...settings, ...provider.settings })
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

type Row = { reference: string; state: string; submissionState: string; codes: string[] }

async function requestOf({ customerId }: Customer): Promise<Row | undefined> {
  const text = `select request.reference, request.state, submission.state as "submissionState",
                       array(select each ->> 'code' from jsonb_array_elements(findings) as each) as codes
                  from svc.provider_requests as request
                  join svc.submissions as submission using (organization_id, customer_id, submission)
                 where customer_id = $1 order by submission desc`
  return (await api.app.database.query<Row>({ text, values: [customerId] }))[0]
}

/** Creates a customer whose verification the provider has accepted but not decided. */
async function waitingCustomer(changes: object = {}): Promise<{ customer: Customer; reference: string }> {
  const customer = await createCustomer(api, { kycData: makeApplicant(changes) })
  await expect.poll(async () => (await requestOf(customer))?.state).toBe('WAITING')
  return { customer, reference: (await requestOf(customer))?.reference ?? '' }
}

test('a provider gets the submission, and each document as stored', async () => {
  const { customer, reference } = await waitingCustomer({ legalMiddleName: 'Quux' })
  const { submission, documents } = provider.known.get(reference) ?? {}
  expect(submission).toMatchObject({
    reference,
    customerType: 'INDIVIDUAL',
    profile: { email: 'ada@example.com' },
    kycData: { legalFirstName: 'Ada', legalMiddleName: 'Quux', documents: [{ frontIdImage: { documentId: '1' } }] },
  })
  const [described] = submission?.documents ?? []
  const bytes = documents?.get('1') ?? Buffer.alloc(0)
  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(described).toEqual({ documentId: '1', mediaType: 'image/jpeg', byteLength: bytes.length, sha256 })
  // The reference is the only internal value: neither ids nor file names are sent.
  const told = JSON.stringify(submission)
  for (const own of [customer.customerId, customer.organizationId, 'blobId']) expect(told).not.toContain(own)
})

test('large documents are sent one after the other, each complete', async () => {
  const big = await makeJpeg({ width: 1_600, height: 1_200 })
  expect(big.length).toBeGreaterThan(1_000_000)
  const frontIdImage = `data:image/jpeg;base64,${big.toString('base64')}`
  const [passport] = makeApplicant().documents
  const documents = [1, 2, 3].map((at) => ({ ...passport, frontIdImage, documentIdNumber: `P777777${at}` }))
  provider.mostDocumentsAtOnce = 0
  const { reference } = await waitingCustomer({ documents })
  const known = provider.known.get(reference)
  expect(provider.mostDocumentsAtOnce).toBe(1)
  expect(known?.submission?.documents).toHaveLength(3)
  for (const { documentId, sha256 } of known?.submission?.documents ?? []) {
    const bytes = known?.documents.get(documentId) ?? Buffer.alloc(0)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
  }
})

test.each([
  ['APPROVED', undefined, 'ACTIVE', undefined],
  ['NEEDS_INFORMATION', ['DOC_QUALITY_POOR', 'NO_FACE_PORTRAIT'], 'NEEDS_ADDITIONAL_INFORMATION', 'the same'],
  ['NEEDS_INFORMATION', ['DOC_QUALITY_POOR', 'DOC_QUALITY_POOR'], 'NEEDS_ADDITIONAL_INFORMATION', ['DOC_QUALITY_POOR']],
] as const)('a provider’s %s with %j makes the customer %s', async (status, codes, customerStatus, shown) => {
  const { customer, reference } = await waitingCustomer()
  provider.decide(reference, { status, ...(codes ? { issues: codes.map((code) => ({ code })) } : {}) })
  expect((await provider.call(reference)).status).toBe(200)
  const decided = await waitForStatus(api, customer, customerStatus)
  expect(decided.verificationIssues?.map(({ code }) => code)).toEqual(shown === 'the same' ? codes : shown)
})

test.each([
  ['AML_MATCH', 'NEEDS_INFORMATION', {}, ['AML_MATCH']],
  ['FRAUD_WARNING', 'NEEDS_REVIEW', {}, ['FRAUD_WARNING']],
  ['INVENTED_BY_THE_PROVIDER', 'NEEDS_INFORMATION', {}, ['VERIFICATION_ISSUE']],
  ['DOC_QUALITY_POOR', 'APPROVED', {}, ['DOC_QUALITY_POOR', 'VERIFICATION_ISSUE']],
  // The built-in check needs a reviewer too, and the review has both findings.
  [
    'DOC_QUALITY_POOR',
    'NEEDS_REVIEW',
    { sourceOfFunds: 'XYZ' },
    ['VERIFICATION_ISSUE', 'DOC_QUALITY_POOR', 'VERIFICATION_ISSUE'],
  ],
] as const)('%s in a provider’s %s waits for a reviewer', async (code, status, changes, codes) => {
  const { customer, reference } = await waitingCustomer(changes)
  provider.decide(reference, { status, issues: [{ code }] })
  await provider.call(reference)
  await expect.poll(() => requestOf(customer)).toMatchObject({ state: 'DECIDED', submissionState: 'MANUAL', codes })
  await waitForStatus(api, customer, 'UNDER_REVIEW')
})

test('a customer corrects what a provider asks for before a reviewer judges a doubt of our own', async () => {
  const { customer, reference } = await waitingCustomer({ sourceOfFunds: 'XYZ' })
  provider.decide(reference, { status: 'NEEDS_INFORMATION', issues: [{ code: 'DOC_QUALITY_POOR' }] })
  await provider.call(reference)
  const { verificationIssues } = await waitForStatus(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  expect(verificationIssues).toMatchObject([{ code: 'DOC_QUALITY_POOR' }])
})

test('without a callback the provider is polled, by business time', async () => {
  const { customer, reference } = await waitingCustomer()
  provider.decide(reference, { status: 'APPROVED' })
  await api.post('/sandbox/clock', { advance: 'PT10M' })
  await waitForStatus(api, customer, 'ACTIVE')
})

test('repeated, concurrent and late callbacks change nothing', async () => {
  const { customer, reference } = await waitingCustomer()
  provider.decide(reference, { status: 'APPROVED' })
  const answers = await Promise.all(Array.from({ length: 20 }, () => provider.call(reference)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  await waitForStatus(api, customer, 'ACTIVE')
  provider.decide(reference, { status: 'NEEDS_REVIEW', issues: [{ code: 'FRAUD_WARNING' }] })
  await provider.call(reference)
  await waitForStatus(api, (await waitingThrough()).customer, 'ACTIVE')
  await expect
    .poll(() => eventsOf(api, customer))
    .toEqual(['customer.created CREATED', 'customer.updated UNDER_REVIEW', 'customer.updated ACTIVE'])
})

/** Creates a later customer whom the provider approves: once decided, all earlier work is done. */
async function waitingThrough() {
  const later = await waitingCustomer()
  provider.decide(later.reference, { status: 'APPROVED' })
  await provider.call(later.reference)
  return later
}

test('an answer about an older submission never changes a newer one', async () => {
  const { customer, reference: older } = await waitingCustomer()
  await api.post(`/sandbox/customers/${customer.customerId}/verification`, { outcome: 'NEEDS_INFO' })
  await patchCustomer(api, customer, { kycData: { legalMiddleName: 'Newer' } })
  await expect.poll(async () => (await requestOf(customer))?.reference).not.toBe(older)
  provider.decide(older, { status: 'APPROVED' })
  await provider.call(older)
  await waitingThrough()
  expect((await requestOf(customer))?.submissionState).toBe('REVIEWING')
  const newer = (await requestOf(customer))?.reference ?? ''
  provider.decide(newer, { status: 'NEEDS_INFORMATION', issues: [{ code: 'DOC_QUALITY_POOR' }] })
  await provider.call(newer)
  await waitForStatus(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
})

test.each([
  ['REVIEW', 'UNDER_REVIEW', 'MANUAL'],
  ['REJECT', 'REJECTED', 'DECIDED'],
])('after a reviewer’s %s the provider’s answer changes nothing', async (outcome, status, submissionState) => {
  const { customer, reference } = await waitingCustomer()
  await api.post(`/sandbox/customers/${customer.customerId}/verification`, { outcome })
  provider.decide(reference, { status: 'APPROVED' })
  await provider.call(reference)
  await expect.poll(() => requestOf(customer)).toMatchObject({ state: 'DROPPED', submissionState })
  await waitForStatus(api, customer, status)
})

test('metrics show the provider’s open requests', async () => {
  const { reference } = await waitingCustomer()
  const read = async () => Number(await readMetric(api, 'svc_provider_requests_open'))
  const before = await read()
  expect(before).toBeGreaterThan(0)
  provider.decide(reference, { status: 'APPROVED' })
  await provider.call(reference)
  await expect.poll(read).toBe(before - 1)
})

test('the built-in checks run again when the provider answers', async () => {
  const soon = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  const [passport] = makeApplicant().documents
  const { customer, reference } = await waitingCustomer({ documents: [{ ...passport, expirationDate: soon }] })
  await api.post('/sandbox/clock', { advance: 'P3D' })
  provider.decide(reference, { status: 'APPROVED' })
  await provider.call(reference)
  const decided = await waitForStatus(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  expect(decided.verificationIssues?.map(({ code }) => code)).toEqual(['DOCUMENT_EXPIRED'])
})

test('after three business days without a decision a reviewer takes over, and later answers are ignored', async () => {
  const { customer, reference } = await waitingCustomer()
  await api.post('/sandbox/clock', { advance: 'P6D' })
  const codes = ['THIRD_PARTY_API_FAILED']
  await expect.poll(() => requestOf(customer)).toMatchObject({ state: 'GIVEN_UP', submissionState: 'MANUAL', codes })
  provider.decide(reference, { status: 'APPROVED' })
  await provider.call(reference)
  await waitingThrough()
  expect(await requestOf(customer)).toMatchObject({ state: 'GIVEN_UP', submissionState: 'MANUAL' })
  await waitForStatus(api, customer, 'UNDER_REVIEW')
})

test('open requests go to a reviewer when the provider is removed from the settings', async () => {
  const { customer } = await waitingCustomer()
  await worker.stop()
  const alone = await startApi(settings, { database: api.database })
  const other = await alone.app.startWorker()
  await api.post('/sandbox/clock', { advance: 'PT10M' })
  const codes = ['THIRD_PARTY_API_FAILED']
  await expect.poll(() => requestOf(customer)).toMatchObject({ state: 'GIVEN_UP', submissionState: 'MANUAL', codes })
  await other.stop()
})

test('the log contains no submitted data', () => {
  expect(api.logs.join('\n')).not.toMatch(/Quux|ada@example\.com|P000\d{4}|21\d-45-\d{4}/)
})
