import { afterAll, expect, test } from 'vitest'
import { makeApplicant } from '../../support/customers/applicants.ts'
import { createCustomer, patchCustomer, readCustomer } from '../../support/customers/customers.ts'
import { makePageJpeg } from '../../support/customers/page-pictures.ts'
import { makePassportJpeg } from '../../support/customers/passport-pictures.ts'
import { behindProxy, productionSettings } from '../../support/customers/production-api.ts'
import { readReview, sandboxDecide } from '../../support/customers/reviews.ts'
import { startApi, type TestApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { makeFolder } from '../../support/runner/folder.ts'

/** Svc compares the machine-readable zone of a passport with the data that the customer typed. */
const { folder, remove } = await makeFolder('svc machine zones ')
afterAll(remove)

async function start(settings: Record<string, string>): Promise<TestApi> {
  const api = await startApi({ ...settings, SVC_BLOB_DIR: folder })
  const worker = await api.app.startWorker()
  afterAll(() => worker.stop())
  return api
}

const production = await start({ ...productionSettings, SVC_BUILTIN_DOCUMENT_CHECKS: 'approve' })
const api = behindProxy(production)

const uri = (jpeg: Buffer) => `data:image/jpeg;base64,${jpeg.toString('base64')}`

/** An applicant with a picture of the passport, whose zone has the typed data except for `written`. */
async function applicantWith(written: object) {
  const applicant = makeApplicant()
  const passport = first(applicant.documents)
  const { legalLastName = '', legalFirstName = '', dateOfBirth = '' } = applicant
  const zone = {
    ...passport,
    country: 'USA',
    lastName: legalLastName,
    firstName: legalFirstName,
    dateOfBirth,
    ...written,
  }
  const frontIdImage = uri(await makePassportJpeg(zone))
  return { ...applicant, documents: [{ ...passport, frontIdImage }] }
}

/** The reader needs some seconds to start. */
const waitFor = (on: TestApi, customer: { customerId: string }, status: string) =>
  expect.poll(async () => (await readCustomer(on, customer)).customerStatus, { interval: 200 }).toBe(status)

async function readings(on: TestApi): Promise<Record<string, number>> {
  const text = await (await fetch(`${on.baseUrl}/metrics`)).text()
  const found = text.matchAll(/^svc_zone_readings_total\{outcome="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries([...found].map(([, outcome, count]) => [outcome, Number.parseInt(count!, 10)]))
}

test('an ordinary picture is not searched for a zone', async () => {
  const [plain, page] = [makeApplicant(), makeApplicant()]
  const readable = uri(await makePageJpeg())
  const documents = page.documents.map((each) => ({ ...each, frontIdImage: readable }))
  await waitFor(api, await createCustomer(api, { kycData: { ...page, documents } }), 'ACTIVE')
  await waitFor(api, await createCustomer(api, { kycData: plain }), 'NEEDS_ADDITIONAL_INFORMATION')
  expect(await readings(production)).toEqual({})
})

test('a passport whose zone agrees is approved', async () => {
  const customer = await createCustomer(api, { kycData: await applicantWith({}) })
  await waitFor(api, customer, 'ACTIVE')
  expect(await readings(production)).toEqual({ found: 1 })
})

test('what differs from the zone is asked about, and a correction is compared without a new picture', async () => {
  const kycData = await applicantWith({ dateOfBirth: '1989-05-17', documentIdNumber: 'X1234567' })
  const customer = await createCustomer(api, { kycData })
  await waitFor(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  const asked = await readCustomer(api, customer)
  const found = (asked.verificationIssues ?? []).map(({ code, field }) => `${code} ${field}`)
  expect(found).toEqual([
    'BIRTH_DATE_MISMATCH kycData.dateOfBirth',
    'ID_DATA_MISMATCH kycData.documents[0].documentIdNumber',
  ])
  expect(asked.requirements?.due.map(({ code, field }) => `${code} ${field}`)).toEqual(found)

  await patchCustomer(api, customer, { kycData: { dateOfBirth: '1989-05-17' } })
  await waitFor(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  const corrected = await readCustomer(api, customer)
  expect(corrected.verificationIssues?.map(({ field }) => field)).toEqual(['kycData.documents[0].documentIdNumber'])

  // An honest customer may be right: the third attempt meets a person.
  await patchCustomer(api, customer, { kycData: { dateOfBirth: '1989-05-17' } })
  await expect.poll(async () => (await api.get(`/reviews/${customer.customerId}`)).status).toBe(200)
  const { findings, documents } = await readReview(api, customer)
  expect(findings.map(({ code }) => code)).toEqual(['ID_DATA_MISMATCH'])
  expect(first(documents ?? []).signs).toEqual([
    'MRZ_NUMBER_DIFFERS',
    'MRZ_BIRTH_DATE_AGREES',
    'MRZ_EXPIRY_DATE_AGREES',
    'MRZ_COUNTRY_AGREES',
    'MRZ_NAMES_AGREES',
  ])
  // Read once for the first data and once for the corrected; the third submission changed nothing.
  expect(await readings(production)).toEqual({ found: 3 })
})

test('the sandbox approves, and shows reviewers what differs', async () => {
  const sandbox = await start({ SVC_SANDBOX_VERIFICATION_DELAY: '0' })
  const kycData = await applicantWith({ dateOfBirth: '1989-05-17' })
  const customer = await createCustomer(sandbox, { kycData })
  await waitFor(sandbox, customer, 'ACTIVE')
  await sandboxDecide(sandbox, customer, { outcome: 'REVIEW' })
  expect(first((await readReview(sandbox, customer)).documents ?? []).signs).toContain('MRZ_BIRTH_DATE_DIFFERS')
})
