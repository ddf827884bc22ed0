import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createCustomer, patchCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { startApi } from '../../support/runner/api.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { canariesUsed, canary, findings, kybData, kycData, searchTables } from '../../support/secrets/canary-data.ts'

/** Unique texts in every field: none may appear where personal data does not belong. */
const usedBefore = canariesUsed()
const { folder, remove } = await makeFolder('svc canary ')
const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_BLOB_DIR: folder })
const worker = await api.app.startWorker()
afterAll(async () => {
  await worker.stop()
  await remove()
})

/** Decrypts a file as the service does, with its customer's key. */
async function openBlob(blobId: string, sealed: Buffer): Promise<Buffer> {
  const [owner] = await api.app.database.query<{ organizationId: string; customerId: string }>({
    text: `select organization_id as "organizationId", customer_id as "customerId" from svc.blobs where blob_id = $1`,
    values: [blobId],
  })
  const customer = await api.app.customers.open([owner?.organizationId ?? ''], owner?.customerId ?? '')
  return customer?.key?.open({ table: 'blobs', row: blobId, column: 'bytes' }, sealed) ?? Buffer.alloc(0)
}

test('no table, log, metric or file holds personal data in clear text', async () => {
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
  // Rejections as well: each names the field and never the value.
  const refused = await patchCustomer(api, await createCustomer(api), {
    kycData: { phoneNumber: canary(), nationality: canary(), dateOfBirth: canary(), employmentStatus: `${canary()} x` },
  })
  expect(findings(JSON.stringify(refused.body))).toEqual([])
  await api.get(`/customers/${ada.customerId}?includeVerification=true`)
  await giveReasons()

  expect(await searchTables(api.database.owner)).toEqual([])
  expect(findings(api.logs.join('\n'))).toEqual([])
  expect(findings(await (await fetch(`${api.baseUrl}/metrics`)).text())).toEqual([])
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const bytes = await readFile(path.join(entry.parentPath, entry.name))
    const plain = await openBlob(entry.name, bytes)
    expect(plain.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff])) // the decrypted file is the picture …
    for (let at = 0; at + 16 <= plain.length; at += 4_096) {
      expect(bytes.includes(plain.subarray(at, at + 16))).toBe(false) // … and the stored bytes show none of it
    }
    expect(findings(bytes.toString('latin1'))).toEqual([])
  }
  expect(canariesUsed() - usedBefore).toBeGreaterThan(40)
})

/** Reasons that operators and reviewers write may name people as well. */
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

test('negative control: the search finds the canaries where they belong', async () => {
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
