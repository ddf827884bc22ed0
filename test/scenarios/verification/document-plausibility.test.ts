import { afterAll, expect, test } from 'vitest'
import { makeApplicant } from '../../support/customers/applicants.ts'
import { createCustomer, patchCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { makeJpeg } from '../../support/customers/document-files.ts'
import { makePageJpeg } from '../../support/customers/page-pictures.ts'
import { behindProxy, productionSettings } from '../../support/customers/production-api.ts'
import { startProviderSimulator } from '../../support/customers/provider-simulator.ts'
import { readReview, sandboxDecide } from '../../support/customers/reviews.ts'
import { startApi, type TestApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { makeFolder } from '../../support/runner/folder.ts'

/** Our own checks see only whether a page can be read: in production they neither accept noise nor approve alone. */
const { folder, remove } = await makeFolder('svc plausible documents ')
afterAll(remove)
async function start(settings: Record<string, string>): Promise<TestApi> {
  const api = await startApi({ ...settings, SVC_BLOB_DIR: folder })
  const worker = await api.app.startWorker()
  afterAll(() => worker.stop())
  return api
}

const uri = (jpeg: Buffer) => `data:image/jpeg;base64,${jpeg.toString('base64')}`
const noise = uri(await makeJpeg())
const readable = uri(await makePageJpeg())

function applicantWith(frontIdImage: string) {
  const { documents, ...rest } = makeApplicant()
  return { ...rest, documents: documents.map((each) => ({ ...each, frontIdImage })) }
}

const strict = behindProxy(await start(productionSettings))
const trusting = behindProxy(await start({ ...productionSettings, SVC_BUILTIN_DOCUMENT_CHECKS: 'approve' }))

const openReview = (api: TestApi, customerId: string) =>
  expect.poll(async () => (await api.get(`/reviews/${customerId}`)).status).toBe(200)

test('production asks for another file instead of noise, and leaves a third attempt to a reviewer', async () => {
  const customer = await createCustomer(strict, { kycData: applicantWith(noise) })
  const asked = await waitForStatus(strict, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  expect(asked.verificationIssues?.map(({ code }) => code)).toContain('UNREADABLE_DOCUMENT')
  const { documents } = applicantWith(noise)
  await patchCustomer(strict, customer, { kycData: { documents } })
  await waitForStatus(strict, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  await patchCustomer(strict, customer, { kycData: { documents } })
  await openReview(strict, customer.customerId)
  const { findings, documents: listed } = await readReview(strict, customer)
  expect(findings).toContainEqual(
    expect.objectContaining({ code: 'UNREADABLE_DOCUMENT', field: 'kycData.documents[0].frontIdImage' }),
  )
  expect(first(listed ?? []).signs).toEqual(['NOISE'])
})

test('production does not approve on its own checks of documents: a person looks at them', async () => {
  const customer = await createCustomer(strict, { kycData: applicantWith(readable) })
  await openReview(strict, customer.customerId)
  const { findings, documents } = await readReview(strict, customer)
  expect(findings).toMatchObject([{ code: 'VERIFICATION_ISSUE', field: 'kycData.documents' }])
  expect(first(documents ?? []).signs).toEqual([])
})

test('with SVC_BUILTIN_DOCUMENT_CHECKS=approve a readable document is enough, and noise is not', async () => {
  await waitForStatus(trusting, await createCustomer(trusting, { kycData: applicantWith(readable) }), 'ACTIVE')
  const other = await createCustomer(trusting, { kycData: applicantWith(noise) })
  await waitForStatus(trusting, other, 'NEEDS_ADDITIONAL_INFORMATION')
})

test('the approval of a provider is an outside check', async () => {
  const provider = await startProviderSimulator()
  provider.judge = () => ({ status: 'APPROVED' })
  const api = await start({
    SVC_SANDBOX_VERIFICATION_DELAY: '0',
    SVC_BUILTIN_DOCUMENT_CHECKS: 'review',
    ...provider.settings,
  })
  provider.service = api.baseUrl
  afterAll(() => provider.close())
  await waitForStatus(api, await createCustomer(api, { kycData: applicantWith(noise) }), 'ACTIVE')
})

test('the sandbox approves noise, and shows the sign to reviewers', async () => {
  const api = await start({ SVC_SANDBOX_VERIFICATION_DELAY: '0' })
  await waitForStatus(api, await createCustomer(api, { kycData: applicantWith(noise) }), 'ACTIVE')
  const slow = await start({ SVC_SANDBOX_VERIFICATION_DELAY: '3600' })
  const customer = await createCustomer(slow)
  await patchCustomer(slow, customer, { kycData: applicantWith(noise) })
  await sandboxDecide(slow, customer, { outcome: 'REVIEW' })
  expect(first((await readReview(slow, customer)).documents ?? []).signs).toEqual(['NOISE'])
})

test('the sandbox can leave documents to a reviewer too', async () => {
  const api = await start({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_BUILTIN_DOCUMENT_CHECKS: 'review' })
  const customer = await createCustomer(api, { kycData: applicantWith(readable) })
  await openReview(api, customer.customerId)
})
