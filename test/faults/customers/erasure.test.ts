import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { type Customer, createCustomer, patchCustomer, readCustomer } from '../../support/customers/customers.ts'
import { startApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { canary, findings, kybData, kycData, searchTables } from '../../support/secrets/canary-data.ts'

/** No trace of an erased customer remains, neither in clear text nor readable with any remaining key. */
const { folder, remove } = await makeFolder('svc forgotten ')
const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_BLOB_DIR: folder })
const worker = await api.app.startWorker()
afterAll(async () => {
  await worker.stop()
  await owner.close()
  await remove()
})
const owner = openDatabase({ connection: api.database.owner })

async function filesOf(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
}

async function makeRejected(body: object): Promise<Customer> {
  const headers = { 'x-idempotency-key': canary() }
  const customer = (await api.post('/customers', { email: `${canary()}@example.com`, ...body }, { headers })).body
  await eventually(async () => {
    const { customerStatus } = await readCustomer(api, customer)
    expect(['UNDER_REVIEW', 'NEEDS_ADDITIONAL_INFORMATION']).toContain(customerStatus)
  })
  await eventually(async () => {
    const rejected = await api.post(`/sandbox/customers/${customer.customerId}/verification`, { outcome: 'REJECT' })
    expect(rejected.status).toBe(200)
  })
  return customer
}

/** Opens every sealed value of a table that the remaining keys can open. */
async function openAllOf(table: string, sealed: string, place: (row: Record<string, string>) => object) {
  const rows = await owner.query<Record<string, string> & { sealed: Buffer }>({
    text: `select t.*, t.${sealed} as sealed from svc.${table} as t where t.${sealed} is not null`,
  })
  return Promise.all(
    rows.map(async (row) => {
      const organizationId = row.data_key_organization_id ?? row.organization_id ?? ''
      const at = place(row) as { table: string; row: string; column: string }
      const opened = await api.app.vault.openField(organizationId, row.data_key_id ?? '', at, row.sealed)
      return opened.outcome === 'OPENED' ? opened.bytes.toString() : ''
    }),
  )
}

async function everythingReadable(customers: readonly Customer[]): Promise<string> {
  const texts: unknown[] = []
  for (const { customerId } of customers) {
    texts.push((await api.get(`/customers/${customerId}?includeVerification=true&includePaymentMethods=true`)).body)
    texts.push((await api.get(`/events?resourceId=${customerId}&pageSize=100`)).body)
  }
  texts.push((await api.get('/customers?pageSize=100')).body, (await api.get('/events?pageSize=100')).body)
  const events = await openAllOf('events', 'sealed_data', (row) => {
    return { table: 'events', row: row.event_id, column: 'data' }
  })
  const answers = await openAllOf('idempotency_keys', 'sealed_answer', (row) => {
    const key = JSON.stringify([row.organization_id, row.route, row.idempotency_key])
    return { table: 'idempotency_keys', row: key, column: 'answer' }
  })
  return [JSON.stringify(texts), ...events, ...answers].join('\n')
}

test('after erasure no table, file, log, answer or event holds the customer’s data', async () => {
  const ada = await makeRejected({
    customerType: 'INDIVIDUAL',
    firstName: canary(),
    lastName: canary(),
    kycData: kycData(),
  })
  const shop = await makeRejected({ customerType: 'BUSINESS', businessName: canary(), kybData: kybData() })
  await patchCustomer(api, ada, { kycData: { legalFirstName: canary() } })
  expect(findings(await everythingReadable([ada, shop])).length).toBeGreaterThan(10) // control: the search works
  const files = (await filesOf()).length
  expect(files).toBeGreaterThan(2)
  const stays = await createCustomer(api, { firstName: 'Stays', lastName: 'Readable' })

  for (const { customerId } of [ada, shop]) expect((await api.post(`/customers/${customerId}/erase`)).status).toBe(200)

  await eventually(async () => expect(await filesOf()).toEqual([]))
  // Idempotency keys stay: the caller chooses them, and must not put a name there.
  const caller = /idempotency_keys: canary\d{3}quux/i
  expect((await searchTables(api.database.owner)).filter((each) => !caller.test(each))).toEqual([])
  await eventually(async () => expect(findings(await everythingReadable([ada, shop]))).toEqual([]))
  expect(findings(api.logs.join('\n'))).toEqual([])
  expect(await readCustomer(api, stays)).toMatchObject({ name: 'Stays Readable' })
  expect((await api.app.verify()).checks.filter((check) => !check.ok)).toEqual([])
})

test('the worker retries the deletion of a file', async () => {
  const customer = await makeRejected({ customerType: 'INDIVIDUAL', kycData: kycData() })
  const [file] = await filesOf()
  expect((await readFile(file ?? '')).length).toBeGreaterThan(1_000)
  await owner.query({
    text: `update svc.blobs set lease_until = clock_timestamp() + interval '1 hour', fence = fence + 1
            where removed_at is null`,
  })
  await api.post(`/customers/${customer.customerId}/erase`)
  await owner.query({ text: `update svc.blobs set lease_until = null where removed_at is null` })
  await eventually(async () => expect(await filesOf()).toEqual([]))
})

test('a file that cannot be deleted delays no other deletion', async () => {
  const stuck = await makeRejected({ customerType: 'INDIVIDUAL', kycData: kycData() })
  const stuckFiles = await filesOf()
  const other = await makeRejected({ customerType: 'INDIVIDUAL', kycData: kycData() })
  for (const file of stuckFiles) await rm(file).then(() => mkdir(file))
  expect((await filesOf()).length).toBeGreaterThan(0)
  const hold = (until: string) =>
    owner.query({ text: `update svc.blobs set lease_until = ${until}, fence = fence + 1 where removed_at is null` })
  await hold(`clock_timestamp() + interval '1 hour'`)
  for (const { customerId } of [stuck, other]) await api.post(`/customers/${customerId}/erase`)
  await hold('null')
  await eventually(async () => expect(await filesOf()).toEqual([]))
  await eventually(() => expect(api.logs.join()).toContain('remove erased files'))
})
