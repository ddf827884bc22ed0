import { afterAll, expect, test } from 'vitest'
import {
  type Customer,
  createCustomer,
  eventsOf,
  patchCustomer,
  waitForStatus,
} from '../../support/customers/customers.ts'
import { startApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'

const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RETENTION_DAYS: '30' })
const worker = await api.app.startWorker()
afterAll(() => worker.stop())

const erase = ({ customerId }: Customer, headers: Record<string, string> = {}) =>
  api.call('POST', `/customers/${customerId}/erase`, { headers })
const advance = (advance: string) => api.post('/sandbox/clock', { advance })

async function makeDeactivated(): Promise<Customer> {
  const customer = await createCustomer(api, {
    firstName: 'Ada',
    lastName: 'Approve',
    kycData: { legalFirstName: 'Ada' },
  })
  await waitForStatus(api, customer, 'ACTIVE')
  return (await api.post(`/customers/${customer.customerId}/deactivate`, { reason: 'Asked to leave' })).body
}

test('a customer who never submitted anything is erased at once', async () => {
  const customer = await createCustomer(api, { firstName: 'Ada', lastName: 'Example' })
  const erased = await erase(customer)
  expect(erased.status).toBe(200)
  const { verificationLink, requirements, ...left } = customer
  expect(erased.body).toEqual({ ...left, name: '', email: 'erased@invalid.example' })
  expect((await api.get(`/customers/${customer.customerId}`)).body).toEqual(erased.body)
  const { customers } = (await api.get('/customers')).body
  expect(customers.find(({ customerId }) => customerId === customer.customerId)).toEqual(erased.body)
})

test('records of a served customer are kept for exactly the retention period', async () => {
  const customer = await makeDeactivated()
  const until = new Date(Date.parse(customer.updatedAt) + 30 * 86_400_000)
  expect((await erase(customer)).body).toMatchObject({
    error: 'CONFLICT',
    message: `The records of this customer must be kept until ${until.toISOString()}`,
  })
  await advance('P30D')
  expect((await erase(customer)).body).toMatchObject({ name: '', customerStatus: 'DEACTIVATED' })
})

test('the integrator gets an erasure event, and earlier events without personal data', async () => {
  const customer = await makeDeactivated()
  await advance('P30D')
  await erase(customer)
  const events = () => api.get(`/events?resourceId=${customer.customerId}&pageSize=100`)
  await eventually(async () => {
    const { events: shown } = (await events()).body
    const [last, ...past] = shown.map(({ data }) => data)
    expect(last).toMatchObject({ customerId: customer.customerId, name: '', email: 'erased@invalid.example' })
    expect(past).toEqual([1, 2, 3, 4].map(() => ({ erased: true })))
  })
})

test('a customer who is served or under review is not erased', async () => {
  const active = await createCustomer(api, { lastName: 'Approve', kycData: { legalFirstName: 'A' } })
  await waitForStatus(api, active, 'ACTIVE')
  const waiting = await createCustomer(api, { lastName: 'Review', kycData: { legalFirstName: 'A' } })
  await waitForStatus(api, waiting, 'UNDER_REVIEW')
  await advance('P30D')
  expect((await erase(active)).body).toMatchObject({
    error: 'CONFLICT',
    message: expect.stringContaining('deactivate'),
  })
  expect(await erase(waiting)).toMatchObject({ status: 409, body: { error: 'CONFLICT' } })
  expect((await api.get(`/customers/${active.customerId}`)).body).toMatchObject({ email: 'ada@example.com' })
})

test('an erased customer cannot be changed', async () => {
  const customer = await makeDeactivated()
  const never = await createCustomer(api)
  await advance('P30D')
  const before = (await erase(customer)).body
  await erase(never)
  expect((await erase(customer)).body).toEqual(before)
  expect(await patchCustomer(api, never, { kycData: { legalFirstName: 'B' } })).toMatchObject({
    status: 400,
    body: { error: 'PATCH_NOT_ALLOWED' },
  })
  for (const move of ['reactivate', 'deactivate']) {
    expect(await api.post(`/customers/${customer.customerId}/${move}`, { reason: 'x' })).toMatchObject({ status: 409 })
  }
  const decided = await api.post(`/sandbox/customers/${customer.customerId}/verification`, { outcome: 'REJECT' })
  expect(decided.status).toBe(409)
  expect((await api.get(`/customers/${customer.customerId}`)).body).toEqual(before)
  const acts = await api.app.database.query({
    text: `select audit_id from svc.audit where subject_id = $1 and action = 'customer.erased'`,
    values: [customer.customerId],
  })
  expect(acts).toHaveLength(1)
})

test('a stored answer with personal data is not repeated after an erasure', async () => {
  const headers = { 'x-idempotency-key': 'create to erase' }
  const body = { customerType: 'INDIVIDUAL', email: 'ada@example.com', firstName: 'Ada' }
  const customer = (await api.post('/customers', body, { headers })).body
  await erase(customer)
  await expect
    .poll(() => api.post('/customers', body, { headers }))
    .toMatchObject({
      status: 409,
      body: { error: 'CONFLICT' },
    })
})

test('64 concurrent requests erase a customer once', async () => {
  const customer = await createCustomer(api)
  const answers = await Promise.all(Array.from({ length: 64 }, () => erase(customer)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  await expect.poll(() => eventsOf(api, customer)).toHaveLength(2)
})

test('of a concurrent erasure and submission, one is refused without effect', async () => {
  for (let round = 0; round < 20; round += 1) {
    const customer = await createCustomer(api)
    const [erased, patched] = await Promise.all([
      erase(customer),
      patchCustomer(api, customer, { kycData: { legalFirstName: 'Ada' } }),
    ])
    expect([erased.status, patched.status].sort()).toEqual(erased.status === 200 ? [200, 400] : [200, 409])
    const { email } = (await api.get(`/customers/${customer.customerId}`)).body
    expect(email).toBe(erased.status === 200 ? 'erased@invalid.example' : 'ada@example.com')
  }
})

test('of a concurrent erasure and reactivation, one is refused', async () => {
  for (let round = 0; round < 10; round += 1) {
    const customer = await makeDeactivated()
    await advance('P30D')
    const [erased, reactivated] = await Promise.all([
      erase(customer),
      api.post(`/customers/${customer.customerId}/reactivate`, { reason: 'A customer again' }),
    ])
    expect([erased.status, reactivated.status].sort()).toEqual([200, 409])
    const read = (await api.get(`/customers/${customer.customerId}`)).body
    expect(read).toMatchObject(
      erased.status === 200
        ? { customerStatus: 'DEACTIVATED', name: '' }
        : { customerStatus: 'ACTIVE', name: 'Ada Approve' },
    )
  }
})
