import { decodePDFRawStream, PDFArray, PDFDocument, type PDFPage, PDFRawStream } from '@cantoo/pdf-lib'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { makeApplicant, makeApplyingBusiness } from '../../support/customers/applicants.ts'
import { type CustomerId, createCustomer, patchCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { makeJpeg, makePicture, makePng, padJpeg, savePdf, startPdf } from '../../support/customers/document-files.ts'
import { readReview, sandboxDecide } from '../../support/customers/reviews.ts'
import { createKey, startApi } from '../../support/runner/api.ts'
import { makeFolder } from '../../support/runner/folder.ts'

const { folder, remove } = await makeFolder('svc review documents ')
const api = await startApi({
  SVC_SANDBOX_VERIFICATION_DELAY: '3600',
  SVC_BLOB_DIR: folder,
  SVC_RATE_LIMIT_SANDBOX: '0',
})
const worker = await api.app.startWorker()
afterAll(async () => {
  await worker.stop()
  await remove()
})
const reviewer = await createKey(api, { name: 'Reviewer', scopes: ['reviews:read', 'reviews:documents'] })

const uri = (mediaType: string, bytes: Buffer) => `data:${mediaType};base64,${bytes.toString('base64')}`
const jpeg = uri('image/jpeg', await makeJpeg({ width: 640, height: 480 }))
const png = uri('image/png', await makePng({ width: 300, height: 200 }))
const pdf = uri('application/pdf', await savePdf(await startPdf(3)))

async function inReview(kycData: object): Promise<CustomerId> {
  const customer = await createCustomer(api)
  expect((await patchCustomer(api, customer, { kycData })).status).toBe(200)
  await sandboxDecide(api, customer, { outcome: 'REVIEW' })
  return customer
}

const document = (image: object) => ({ type: 'GOVERNMENT_ID', subtype: 'NATIONAL_ID', countryCode: 'US', ...image })
const sent = [document({ frontIdImage: jpeg, backIdImage: png }), document({ proofOfAddressImage: pdf })]

async function look({ customerId }: CustomerId, n: number | string, apiKey = reviewer.apiKey) {
  const address = `${api.baseUrl}/reviews/${customerId}/documents/${n}`
  const response = await fetch(address, { headers: { authorization: `Bearer ${apiKey}` } })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, bytes, body: isJson ? JSON.parse(`${bytes}`) : {} }
}

const acts = async ({ customerId }: CustomerId) =>
  api.app.database.query<{ actor: string; details: object }>({
    text: `select actor, details from svc.audit where subject_id = $1 and action = 'customer.document_read' order by audit_id`,
    values: [customerId],
  })

test('the review lists the documents, and each is read with a watermark, uncached and audited', async () => {
  const customer = await inReview({ documents: sent })
  const { documents } = await readReview(api, customer)
  expect(documents).toEqual([
    {
      n: 1,
      field: 'kycData.documents[0].frontIdImage',
      mediaType: 'image/jpeg',
      width: 640,
      height: 480,
      byteLength: expect.any(Number),
      signs: expect.any(Array),
    },
    {
      n: 2,
      field: 'kycData.documents[0].backIdImage',
      mediaType: 'image/png',
      width: 300,
      height: 200,
      byteLength: expect.any(Number),
      signs: expect.any(Array),
    },
    {
      n: 3,
      field: 'kycData.documents[1].proofOfAddressImage',
      mediaType: 'application/pdf',
      byteLength: expect.any(Number),
      signs: expect.any(Array),
    },
  ])
  for (const { n, mediaType } of documents ?? []) {
    const { status, headers, bytes } = await look(customer, n)
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, mediaType, 'no-store'])
    expect(headers.get('content-disposition')).toMatch(/^inline; filename="document-\d\.(?:jpg|png|pdf)"$/)
    expect(bytes.length).toBeGreaterThan(10_000)
  }
  const described = await api.get(`/reviews/${customer.customerId}/documents/1`)
  expect(described.status, 'and Prism agrees').toBe(200)
  const actor = `api_key:${reviewer.apiKeyId}`
  expect((await acts(customer)).map(({ actor: by, details }) => ({ by, details }))).toMatchObject([
    { by: actor, details: { field: 'kycData.documents[0].frontIdImage' } },
    { by: actor, details: { field: 'kycData.documents[0].backIdImage' } },
    { by: actor, details: { field: 'kycData.documents[1].proofOfAddressImage' } },
    { details: { field: 'kycData.documents[0].frontIdImage' } },
  ])
  const listed = await api.get(`/reviews?customerId=${customer.customerId}`)
  expect(JSON.stringify(listed.body)).not.toContain('documents[0]')
})

test('the watermark covers the whole picture and leaves it readable', async () => {
  const flat = await sharp({ create: { width: 1200, height: 800, channels: 3, background: '#808080' } })
    .jpeg()
    .toBuffer()
  const customer = await inReview({
    documents: [document({ frontIdImage: uri('image/jpeg', padJpeg(flat, 100_000)) })],
  })
  const { bytes } = await look(customer, 1)
  const { data, info } = await sharp(bytes).greyscale().raw().toBuffer({ resolveWithObject: true })
  expect([info.width, info.height]).toEqual([1200, 800])
  const touched = (left: number, top: number, width: number, height: number) => {
    let count = 0
    for (let y = top; y < top + height; y++) {
      for (let x = left; x < left + width; x++) if (Math.abs(data[y * info.width + x]! - 128) > 12) count += 1
    }
    return count / (width * height)
  }
  for (const [left, top] of [
    [0, 0],
    [900, 0],
    [0, 600],
    [900, 600],
    [450, 300],
  ] as const) {
    expect(touched(left, top, 300, 200)).toBeGreaterThan(0.005)
    expect(touched(left, top, 300, 200)).toBeLessThan(0.25)
  }
  const again = (
    await look(customer, 1, (await createKey(api, { name: 'Other', scopes: ['reviews:documents'] })).apiKey)
  ).bytes
  expect(again.equals(bytes), 'another reader has another watermark').toBe(false)
})

/** The texts that a page draws in the fonts of every reader. */
async function textOf(page: PDFPage): Promise<string> {
  const contents = page.node.Contents()
  const streams = contents instanceof PDFArray ? contents.asArray().map((_, at) => contents.lookup(at)) : [contents]
  const operators = streams.map((stream) =>
    stream instanceof PDFRawStream ? Buffer.from(decodePDFRawStream(stream).decode()).toString('latin1') : '',
  )
  const strings = operators.join('\n').matchAll(/<([0-9A-Fa-f]+)> Tj/g)
  return [...strings].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1')).join('\n')
}

test('every page of a PDF names the reader and the time', async () => {
  const customer = await inReview({ documents: [document({ frontIdImage: pdf })] })
  const { bytes } = await look(customer, 1)
  const pages = (await PDFDocument.load(bytes)).getPages()
  expect(pages).toHaveLength(3)
  for (const page of pages) {
    const drawn = await textOf(page)
    expect(drawn).toContain(`api_key:${reviewer.apiKeyId}`)
    expect(drawn).toMatch(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d/)
  }
})

test('a business has the documents of its persons and its own', async () => {
  const customer = await createCustomer(api, { customerType: 'BUSINESS', businessName: 'Example Inc' })
  await patchCustomer(api, customer, { kybData: makeApplyingBusiness() })
  await sandboxDecide(api, customer, { outcome: 'REVIEW' })
  const { documents } = await readReview(api, customer)
  expect(documents?.map(({ field }) => field)).toEqual([
    'kybData.associatedPersons[0].documents[0].frontIdImage',
    'kybData.businessDocuments[0].documentImage',
  ])
  expect((await look(customer, 2)).status).toBe(200)
})

test.each([0, 4, -1, 'one', '1.0', '01'])('document %s does not exist', async (n) => {
  const customer = await inReview({ documents: sent })
  expect(await look(customer, n)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } })
})

test('only the scope reviews:documents opens a document, and only within the organization', async () => {
  const customer = await inReview({ documents: sent })
  const others = (await createKey(api, { name: 'Reader', scopes: ['reviews:read', 'reviews:write', 'customers:read'] }))
    .apiKey
  expect(await look(customer, 1, others)).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } })
  const { organizations, credentials } = api.app
  const { organizationId } = await organizations.create({
    name: 'Stranger',
    tier: 'BUILDER',
    parentOrganizationId: null,
  })
  const stranger = await credentials.createFullKey('Stranger', organizationId)
  expect(await look(customer, 1, stranger.apiKey)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } })
  expect(await acts(customer)).toEqual([])
})

test('a customer without a review shows no document', async () => {
  const customer = await createCustomer(api, { kycData: makeApplicant() })
  expect((await look(customer, 1)).status).toBe(404)
})

test('the documents of an erased customer are gone', async () => {
  const customer = await inReview({ documents: sent })
  await sandboxDecide(api, customer, { outcome: 'REJECT' })
  await waitForStatus(api, customer, 'REJECTED')
  expect((await look(customer, 1)).status).toBe(200)
  expect((await api.post(`/customers/${customer.customerId}/erase`)).status).toBe(200)
  expect(await look(customer, 1)).toMatchObject({ status: 410, body: { error: 'CUSTOMER_ERASED' } })
  expect((await readReview(api, customer)).documents).toEqual([])
})

test('large documents are watermarked within the memory of the threads', async () => {
  const photo = makePicture({ width: 1000, height: 750 }).resize(4000, 3000, { kernel: 'nearest' })
  const large = await startPdf(50)
  large
    .getPage(0)
    .drawImage(await large.embedJpg(padJpeg(await photo.clone().jpeg({ quality: 80 }).toBuffer(), 9_000_000)))
  const customer = await inReview({
    documents: [
      document({
        frontIdImage: uri('image/jpeg', padJpeg(await photo.clone().jpeg({ quality: 80 }).toBuffer(), 10_000_000)),
      }),
      document({ frontIdImage: uri('image/png', await makePng({ width: 2000, height: 1700 })) }),
      document({ frontIdImage: uri('application/pdf', await savePdf(large)) }),
    ],
  })
  const before = process.memoryUsage.rss()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 2)
  const answers = await Promise.all([1, 2, 3, 1, 2, 3].map((n) => look(customer, n)))
  clearInterval(timer)
  expect(answers.map(({ status }) => status)).toEqual(new Array(6).fill(200))
  expect(peak - before).toBeLessThan(400 * 1024 * 1024)
})
