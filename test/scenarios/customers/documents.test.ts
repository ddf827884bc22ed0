import { readdir } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { createCustomer, patchCustomer, readCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { makeJpeg, padJpeg } from '../../support/customers/document-files.ts'
import { makeKybData, makeKycData, withoutImages } from '../../support/customers/identities.ts'
import { startApi } from '../../support/runner/api.ts'
import { makeFolder } from '../../support/runner/folder.ts'

const { folder, remove } = await makeFolder('svc blobs ')
const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_BLOB_DIR: folder })
const worker = await api.app.startWorker()
afterAll(async () => {
  await worker.stop()
  await remove()
})

/** A meaningless picture, large enough to be a document. */
async function picture(width = 1_200, height = 800): Promise<string> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 }
  const image = sharp({ create: { width, height, channels: 3, background: '#888', noise } })
  return `data:image/jpeg;base64,${(await image.jpeg({ quality: 95 }).toBuffer()).toString('base64')}`
}

const front = await picture()
const passport = (changes = {}) => ({
  type: 'GOVERNMENT_ID',
  subtype: 'PASSPORT',
  countryCode: 'US',
  documentIdNumber: 'X1234567',
  issuanceDate: '2021-03-01',
  expirationDate: '2031-02-28',
  frontIdImage: front,
  ...changes,
})
const storedFiles = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length

test('the checks approve a person with complete data and a passport', async () => {
  const customer = await createCustomer(api)
  const kycData = { ...withoutImages(makeKycData({})), documents: [passport()] }
  expect((await patchCustomer(api, customer, { kycData })).status).toBe(200)
  const verified = await waitForStatus(api, customer, 'ACTIVE')
  expect(verified).not.toHaveProperty('verificationIssues')
  const { verification } = await readCustomer(api, customer, '?includeVerification=true')
  expect(JSON.stringify(verification)).not.toContain('X1234567')
  expect(JSON.stringify(verification)).not.toContain('frontIdImage')
})

test('missing data becomes verification issues, never a 400, and can be corrected', async () => {
  const customer = await createCustomer(api)
  expect((await patchCustomer(api, customer, { kycData: { legalFirstName: 'Ada' } })).status).toBe(200)
  const needs = await waitForStatus(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  expect(needs.verificationIssues?.map((issue) => issue.code)).toContain('NO_GOVERNMENT_ID')
  const expired = {
    ...withoutImages(makeKycData({ nationalIdNumber: '219-09-9999' })),
    documents: [passport({ expirationDate: '2020-01-01', documentIdNumber: 'Y7654321' })],
  }
  await patchCustomer(api, customer, { kycData: expired })
  const again = await waitForStatus(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  expect(again.verificationIssues?.map((issue) => issue.code)).toContain('DOCUMENT_EXPIRED')
})

test('an identity of another customer needs a reviewer', async () => {
  const kycData = {
    ...withoutImages(makeKycData({ nationalIdNumber: '457-55-5462' })),
    documents: [passport({ documentIdNumber: 'Z1112223' })],
  }
  const first = await createCustomer(api, { kycData })
  await waitForStatus(api, first, 'ACTIVE')
  const second = await createCustomer(api, {
    kycData: { ...kycData, documents: [passport({ documentIdNumber: 'Z9998887' })] },
  })
  await expect
    .poll(async () => {
      const text = `select state, findings from svc.submissions where customer_id = $1`
      return JSON.stringify(await api.app.database.query({ text, values: [second.customerId] }))
    })
    .toMatch(/MANUAL.*ID_PREVIOUSLY_SEEN/)
  expect((await readCustomer(api, second)).customerStatus).toBe('UNDER_REVIEW')
})

test('a business with its owners and documents is verified too', async () => {
  const customer = await createCustomer(api, { customerType: 'BUSINESS' })
  const kybData = withoutImages(makeKybData({}))
  const persons = (kybData.associatedPersons ?? []).map((person, at) => ({
    ...person,
    nationalIdNumber: `31${at}-45-678${at}`,
    documents: [passport({ documentIdNumber: `B000000${at}` })],
  }))
  const businessDocuments = [{ type: 'ARTICLES_OF_INCORPORATION', documentImage: front }]
  expect(
    (await patchCustomer(api, customer, { kybData: { ...kybData, associatedPersons: persons, businessDocuments } }))
      .status,
  ).toBe(200)
  await waitForStatus(api, customer, 'ACTIVE')
})

test('files are stored sealed, and only if the whole request is valid', async () => {
  const customer = await createCustomer(api)
  const before = await storedFiles()
  const bad = await patchCustomer(api, customer, { kycData: { phoneNumber: 'x', documents: [passport()] } })
  expect(bad.status).toBe(400)
  expect(await storedFiles()).toBe(before)
  await patchCustomer(api, customer, { kycData: { documents: [passport()] } })
  expect(await storedFiles()).toBe(before + 1)
})

test('an orphaned file is deleted, the others stay', async () => {
  const { writeFile, mkdir } = await import('node:fs/promises')
  const blobId = '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'
  await mkdir(path.join(folder, '11', '4a'), { recursive: true })
  await writeFile(path.join(folder, '11', '4a', blobId), 'left behind')
  const before = await storedFiles()
  const soon = new Date(Date.now() + 60_000)
  expect(await api.app.customers.collectOrphans(soon)).toEqual({ removed: 1 })
  expect(await storedFiles()).toBe(before - 1)
  expect(await api.app.customers.collectOrphans(soon)).toEqual({ removed: 0 })
})

test('a PATCH of 90 MB with nine documents is accepted while other requests are answered', async () => {
  // Noise does not compress: each file is just under the limit of 10 MB.
  const big = await sharp({
    create: {
      width: 2_900,
      height: 2_000,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .jpeg({ quality: 98 })
    .toBuffer()
  expect(big.length).toBeGreaterThan(6_000_000)
  const image = `data:image/jpeg;base64,${big.toString('base64')}`
  // The same size with fewer pixels to decode: the other eight only test the number of bytes.
  const padded = `data:image/jpeg;base64,${padJpeg(await makeJpeg(), big.length).toString('base64')}`
  const customer = await createCustomer(api)
  const documents = Array.from({ length: 9 }, (_, at) =>
    passport({ frontIdImage: at === 0 ? image : padded, documentIdNumber: `C${at}` }),
  )
  let finished = false
  const sent = patchCustomer(api, customer, { kycData: { documents } }).finally(() => {
    finished = true
  })
  let answered = 0
  while (!finished) {
    expect((await fetch(`${api.baseUrl}/livez`)).status).toBe(200)
    answered += 1
  }
  expect((await sent).status).toBe(200)
  expect(answered).toBeGreaterThan(10)
})
