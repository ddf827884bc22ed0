import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { startApi } from '../support/api.ts'
import { createCustomer, patchCustomer, waitForStatus } from '../support/customers.ts'
import { openForTest } from '../support/database.ts'
import { makeFolder } from '../support/folder.ts'

/** Unique texts in every field: none may show up where personal data does not belong. */
const { folder, remove } = await makeFolder('svc canary ')
const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_BLOB_DIR: folder })
const worker = await api.app.startWorker()
afterAll(async () => {
  await worker.stop()
  await remove()
})

const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 }
const jpeg = await sharp({ create: { width: 900, height: 700, channels: 3, background: '#777', noise } })
  .jpeg({ quality: 95 })
  .toBuffer()
const image = `data:image/jpeg;base64,${jpeg.toString('base64')}`
let count = 0
const canary = () => `Canary${String(++count).padStart(3, '0')}Quux`
const address = () => ({
  countryCode: 'US',
  streetLine1: canary(),
  streetLine2: canary(),
  city: canary(),
  stateRegionProvince: 'CA',
  postalCode: '94104',
})
const document = () => ({
  type: 'GOVERNMENT_ID',
  subtype: 'PASSPORT',
  countryCode: 'US',
  documentIdNumber: canary(),
  description: canary(),
  frontIdImage: image,
})
const person = () => ({
  ...{ legalFirstName: canary(), legalMiddleName: canary(), legalLastName: canary(), dateOfBirth: '1971-03-09' },
  ...{ phoneNumber: '+14159998877', address: address(), nationality: 'US' },
  ...{ nationalIdIssuingCountry: 'US', nationalIdType: 'SSN', nationalIdNumber: canary(), documents: [document()] },
})
const kycData = () => ({ ...person(), mostRecentOccupation: canary(), accountPurposeOther: canary() })
const kybData = () => ({
  businessInfo: {
    legalBusinessName: canary(),
    dbaName: canary(),
    businessDescription: canary(),
    website: `https://${canary()}.example.com`,
    otherLinks: [canary()],
  },
  ...{ businessRegisteredAddress: address(), businessRegistrationNumber: canary(), sourceOfFundsDescription: canary() },
  ...{ associatedPersons: [{ ...person(), email: `${canary()}@example.com`, title: canary() }] },
  businessDocuments: [{ type: 'ARTICLES_OF_INCORPORATION', description: canary(), documentImage: image }],
})

/** As only the service can: with the key of the customer whose file it is. */
async function openBlob(blobId: string, sealed: Buffer): Promise<Buffer> {
  const [owner] = await api.app.database.query<{ organizationId: string; customerId: string }>({
    text: `select organization_id as "organizationId", customer_id as "customerId" from svc.blobs where blob_id = $1`,
    values: [blobId],
  })
  const customer = await api.app.customers.open([owner?.organizationId ?? ''], owner?.customerId ?? '')
  return customer?.key?.open({ table: 'blobs', row: blobId, column: 'bytes' }, sealed) ?? Buffer.alloc(0)
}

const findings = (text: string) => [...new Set(text.match(/canary\d{3}quux|14159998877|1971-03-09/gi))]

test('personal data is in no table, log, metric or file in the clear', async () => {
  const ada = await createCustomer(api, {
    firstName: canary(),
    lastName: canary(),
    email: `${canary()}@example.com`,
    kycData: kycData(),
  })
  const shop = await createCustomer(api, {
    customerType: 'BUSINESS',
    businessName: canary(),
    email: `${canary()}@example.com`,
  })
  await patchCustomer(api, shop, { kybData: kybData() })
  await api.post(
    '/customers',
    { customerType: 'INDIVIDUAL', email: `${canary()}@example.com` },
    { headers: { 'x-idempotency-key': 'canary' } },
  )
  await expect.poll(async () => (await api.get(`/customers/${ada.customerId}`)).body.customerStatus).not.toBe('CREATED')
  // Refusals, too: each names its field and never its value.
  const refused = await patchCustomer(api, await createCustomer(api), {
    kycData: { phoneNumber: canary(), nationality: canary(), dateOfBirth: canary(), employmentStatus: `${canary()} x` },
  })
  expect(findings(JSON.stringify(refused.body))).toEqual([])
  await api.get(`/customers/${ada.customerId}?includeVerification=true`)
  await giveReasons()

  const owner = openForTest({ connection: api.database.owner })
  const tables = await owner.query<{ name: string }>({
    text: `select table_name as name from information_schema.tables where table_schema = 'svc'`,
  })
  for (const { name } of tables) {
    const rows = await owner.query<{ row: string }>({ text: `select t::text as row from svc.${name} as t` })
    expect([name, findings(rows.map(({ row }) => row).join('\n'))]).toEqual([name, []])
    // Bytes are shown as hexadecimal: look behind that as well.
    const bytes = rows
      .flatMap(({ row }) => row.match(/\\\\x[0-9a-f]+/g) ?? [])
      .map((hex) => Buffer.from(hex.slice(3), 'hex').toString('latin1'))
    expect([name, findings(bytes.join('\n'))]).toEqual([name, []])
  }
  expect(findings(api.logs.join('\n'))).toEqual([])
  expect(findings(await (await fetch(`${api.baseUrl}/metrics`)).text())).toEqual([])
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const bytes = await readFile(path.join(entry.parentPath, entry.name))
    const plain = await openBlob(entry.name, bytes)
    expect(plain.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff])) // it is the picture …
    for (let at = 0; at + 16 <= plain.length; at += 4_096) {
      expect(bytes.includes(plain.subarray(at, at + 16))).toBe(false) // … and nothing of it shows
    }
    expect(findings(bytes.toString('latin1'))).toEqual([])
  }
  expect(count).toBeGreaterThan(40)
})

/** Free text of those who act on a customer may name people as well. */
async function giveReasons() {
  const customer = await createCustomer(api, { kycData: { legalFirstName: 'A', legalLastName: 'Review' } })
  await expect.poll(async () => (await api.get(`/reviews/${customer.customerId}`)).status).toBe(200)
  const act = (path: string, body: object) =>
    api.post(path, { ...body, reason: canary() }, { headers: { 'x-idempotency-key': path } })
  expect((await act(`/reviews/${customer.customerId}/decision`, { decision: 'APPROVE' })).status).toBe(200)
  expect((await act(`/customers/${customer.customerId}/deactivate`, {})).status).toBe(200)
  expect((await act(`/customers/${customer.customerId}/reactivate`, {})).status).toBe(200)
  const { body } = await api.get(`/reviews/${customer.customerId}`)
  expect(findings(JSON.stringify(body))).toHaveLength(3)
}

test('the same canaries are found where they belong: the search can find', async () => {
  const email = `${canary()}@example.com`
  const customer = await createCustomer(api, {
    email,
    lastName: 'Approve',
    kycData: { legalLastName: 'Approve', legalFirstName: 'A' },
  })
  await waitForStatus(api, customer, 'ACTIVE')
  expect(findings(JSON.stringify((await api.get(`/customers/${customer.customerId}`)).body))).toHaveLength(1)
  await expect
    .poll(async () => findings(JSON.stringify((await api.get(`/events?resourceId=${customer.customerId}`)).body)))
    .toHaveLength(1)
})
