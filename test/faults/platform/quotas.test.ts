import { readdir } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { insertBlobs, readFileBytes } from '../../../src/customers/files/store.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createCustomer, readCustomer } from '../../support/customers/customers.ts'
import { makeJpeg } from '../../support/customers/document-files.ts'
import { startApi } from '../../support/runner/api.ts'
import { makeDatabase } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { emitEvents } from '../../support/webhooks/receiver.ts'

const database = await makeDatabase()
const { folder, remove } = await makeFolder('svc quotas ')
const settings = { SVC_RATE_LIMIT_SANDBOX: '0', SVC_BLOB_DIR: folder, SVC_WEBHOOK_ATTEMPTS_PER_ORGANIZATION: '4' }
const api = await startApi(settings, { database })
const worker = await api.app.startWorker()
afterAll(async () => {
  await worker.stop()
  await remove()
})

const readQuotas = async (from = api, apiKey = api.apiKey) =>
  first((await from.get('/organizations', { apiKey })).body.organizations).quotas
const filesIn = async (of: string) =>
  (await readdir(of, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length
const picture = `data:image/jpeg;base64,${(await makeJpeg()).toString('base64')}`
const kycData = { documents: [{ type: 'GOVERNMENT_ID', subtype: 'PASSPORT', frontIdImage: picture }] }

test('of concurrent files that fill a quota together, those that fit are kept and the others are not', async () => {
  const organizationId = newId()
  const keep = () =>
    api.app.database.inTx((tx) =>
      insertBlobs(tx, { organizationId, customerId: newId() }, [{ blobId: newId(), byteLength: 40 }], 100),
    )
  const kept = await Promise.all(Array.from({ length: 6 }, keep))
  expect(kept.filter(Boolean)).toHaveLength(2)
  expect(await readFileBytes(api.app.database, [organizationId])).toEqual(new Map([[organizationId, 80]]))
  const rows = { text: 'select bytes from svc.blobs where organization_id = $1', values: [organizationId] }
  expect(await api.app.database.query(rows)).toHaveLength(2)
})

test('a file beyond the quota is refused without an effect, and an erasure makes room', async () => {
  const kept = await createCustomer(api, { kycData })
  const { fileBytes } = await readQuotas()
  const used = fileBytes?.used ?? 0
  expect(used).toBeGreaterThan(1_000)
  expect(fileBytes).toEqual({ used, allowed: 100_000_000_000 })

  const most = String(Math.floor(used * 1.5))
  const limited = await startApi({ ...settings, SVC_FILE_BYTES_PER_ORGANIZATION: most }, { database })
  const own = { apiKey: api.apiKey }
  const customer = await createCustomer(api)
  const files = await filesIn(folder)
  const refusal = {
    error: 'CONFLICT',
    message: `An organization can have at most ${most} bytes of files: erase customers first`,
  }
  const changed = await limited.call('PATCH', `/customers/${customer.customerId}`, { ...own, body: { kycData } })
  expect(changed).toMatchObject({ status: 409, body: refusal })
  const created = await limited.post('/customers', { ...customerBody, kycData }, own)
  expect(created).toMatchObject({ status: 409, body: refusal })
  expect(await readCustomer(api, customer)).toEqual(customer)
  expect(await filesIn(folder)).toBe(files)
  expect((await readQuotas(limited)).fileBytes).toEqual({ used, allowed: Number(most) })

  await eventually(async () => {
    const path = `/sandbox/customers/${kept.customerId}/verification`
    expect((await api.post(path, { outcome: 'REJECT' })).status).toBe(200)
  })
  expect((await api.post(`/customers/${kept.customerId}/erase`)).status).toBe(200)
  await eventually(async () => expect((await readQuotas()).fileBytes?.used).toBe(0))
  expect(await filesIn(folder)).toBe(files - 1)
  expect((await limited.call('PATCH', `/customers/${customer.customerId}`, { ...own, body: { kycData } })).status).toBe(
    200,
  )
})

const customerBody = { customerType: 'INDIVIDUAL', firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' }

test('attempts beyond the quota are dropped, the oldest first, and all deliveries stay', async () => {
  const inbox = (await api.post('/sandbox/inbox')).body
  const { webhookId, organizationId } = (await api.post('/webhooks', { url: inbox.url, events: ['deposit.created'] }))
    .body
  const deliveries = async () => (await api.get(`/webhooks/${webhookId}/deliveries?pageSize=100`)).body.deliveries
  for (let sent = 1; sent <= 7; sent++) {
    await emitEvents(api, organizationId, [{}])
    await eventually(async () =>
      expect((await deliveries()).filter(({ status }) => status === 'DELIVERED')).toHaveLength(sent),
    )
  }
  await eventually(async () => expect((await readQuotas()).webhookAttempts).toEqual({ used: 4, allowed: 4 }))
  const kept = (await deliveries()).map((each) => each.attempts?.length ?? 0)
  expect(kept).toEqual([1, 1, 1, 1, 0, 0, 0])
  const rows = { text: 'select attempt from svc.webhook_attempts where organization_id = $1', values: [organizationId] }
  expect(await api.app.database.query(rows)).toHaveLength(4)
})
