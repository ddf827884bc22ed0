import { expect, test } from 'vitest'
import {
  createCustomer,
  eventsOf,
  patchCustomer,
  readCustomer,
  waitForStatus,
} from '../../support/customers/customers.ts'
import { startVerifying } from '../../support/customers/verifying-api.ts'

const api = await startVerifying()

const named = (legalLastName: string) => ({ kycData: { legalFirstName: 'Ada', legalLastName } })
const business = (legalBusinessName: string) => ({ kybData: { businessInfo: { legalBusinessName } } })

test('a customer is created with a link to its form, and reads the same by both paths', async () => {
  const created = await createCustomer(api, { firstName: 'Ada', lastName: 'Example' })
  expect(created).toMatchObject({ customerType: 'INDIVIDUAL', name: 'Ada Example', email: 'ada@example.com' })
  expect(created.verificationLink).toMatch(new RegExp(`^${api.baseUrl}/forms/verify/[\\w-]{50}$`))
  expect(created).not.toHaveProperty('verificationIssues')
  expect(created).not.toHaveProperty('availablePaymentMethods')
  expect(await readCustomer(api, created)).toEqual(created)
  expect((await api.get(`/customer/${created.customerId}`)).body).toEqual(created)
})

test.each([
  // body                                                                                name
  [{ firstName: 'Ada' }, 'Ada'],
  [{ customerType: 'BUSINESS', businessName: 'Example Goods' }, 'Example Goods'],
  [{}, ''],
  [{ firstName: ' ', kycData: { legalFirstName: 'Ada', legalLastName: 'Legal' } }, 'Ada Legal'],
  [{ kycData: { legalFirstName: 'Ada', legalLastName: 'Legal' } }, 'Ada Legal'],
  [{ firstName: 'Addie', kycData: { legalFirstName: 'Ada', legalLastName: 'Legal' } }, 'Addie'],
  [{ customerType: 'BUSINESS', kybData: { businessInfo: { legalBusinessName: 'Legal Inc' } } }, 'Legal Inc'],
])('%o is called %o', async (given, name) => {
  expect((await createCustomer(api, given)).name).toBe(name)
})

test('POST with data answers CREATED and moves to UNDER_REVIEW right after, with events of both and of the review', async () => {
  const created = await createCustomer(api, named('Review'))
  const reviewed = await waitForStatus(api, created, 'UNDER_REVIEW')
  expect(reviewed.verificationIssues).toEqual([])
  const moves = ['customer.created CREATED', 'customer.updated UNDER_REVIEW', 'customer.updated UNDER_REVIEW']
  await expect.poll(() => eventsOf(api, created)).toEqual(moves)
})

test.each([
  ['an individual', 'INDIVIDUAL', named],
  ['a business', 'BUSINESS', business],
] as const)('%s with missing data corrects it and is approved', async (_who, customerType, data) => {
  const customer = await createCustomer(api, { customerType })
  const first = await patchCustomer(api, customer, data('Issue-DOCUMENT_EXPIRED Issue-ADDRESS_TOO_SHORT'))
  expect(first.body).toMatchObject({ customerStatus: 'UNDER_REVIEW', verificationIssues: [] })
  const needs = await waitForStatus(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  expect(needs.verificationIssues?.map((issue) => issue.code)).toEqual(['DOCUMENT_EXPIRED', 'ADDRESS_TOO_SHORT'])
  for (const issue of needs.verificationIssues ?? []) expect(issue.message.length).toBeGreaterThan(10)

  const again = (await patchCustomer(api, customer, data('Approve'))).body
  expect(again.customerStatus).toBe('UNDER_REVIEW')
  expect(again.verificationIssues?.map((issue) => issue.code)).toEqual(['DOCUMENT_EXPIRED', 'ADDRESS_TOO_SHORT'])
  const active = await waitForStatus(api, customer, 'ACTIVE')
  expect(active).not.toHaveProperty('verificationIssues')
  await expect
    .poll(() => eventsOf(api, customer))
    .toEqual([
      'customer.created CREATED',
      'customer.updated UNDER_REVIEW',
      'customer.updated NEEDS_ADDITIONAL_INFORMATION',
      'customer.updated UNDER_REVIEW',
      'customer.updated ACTIVE',
    ])
})

test('updatedAt changes only with the status', async () => {
  const customer = await createCustomer(api)
  expect((await readCustomer(api, customer, '?includePaymentMethods=true')).updatedAt).toBe(customer.updatedAt)
  const patched = (await patchCustomer(api, customer, named('Review'))).body
  expect(patched.updatedAt > customer.updatedAt).toBe(true)
})

test.each(['Review', 'Approve', 'Reject'])(
  'PATCH is refused after %s, even when the body is bad too',
  async (lastName) => {
    const customer = await createCustomer(api)
    await patchCustomer(api, customer, named(lastName))
    const status = { Review: 'UNDER_REVIEW', Approve: 'ACTIVE', Reject: 'REJECTED' }[lastName] ?? ''
    await waitForStatus(api, customer, status)
    if (lastName === 'Review') await expect.poll(() => readCustomer(api, customer)).toHaveProperty('review')
    const before = await readCustomer(api, customer)
    for (const body of [named('Other'), { nonsense: true }, {}]) {
      const refused = await patchCustomer(api, customer, body)
      expect([refused.status, refused.body.error]).toEqual([400, 'PATCH_NOT_ALLOWED'])
    }
    expect(await readCustomer(api, customer)).toEqual(before)
  },
)

test('one of several concurrent PATCHes starts a review', async () => {
  const customer = await createCustomer(api)
  const answers = await Promise.all(Array.from({ length: 16 }, () => patchCustomer(api, customer, named('Review'))))
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
  expect(new Set(answers.filter((answer) => answer.status !== 200).map((answer) => answer.body.error))).toEqual(
    new Set(['PATCH_NOT_ALLOWED']),
  )
  const moves = ['customer.created CREATED', 'customer.updated UNDER_REVIEW', 'customer.updated UNDER_REVIEW']
  await expect.poll(() => eventsOf(api, customer)).toEqual(moves)
})

test('a customer is deactivated and reactivated with a reason, only from the right states', async () => {
  const customer = await createCustomer(api, named('Approve'))
  const post = (move: string, body: object = { reason: 'Asked to' }) =>
    api.post(`/customers/${customer.customerId}/${move}`, body)
  await waitForStatus(api, customer, 'ACTIVE')
  expect((await post('deactivate', {})).body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field: 'reason' }] })
  expect((await post('reactivate')).body).toMatchObject({ error: 'CONFLICT' })
  expect((await post('deactivate')).body.customerStatus).toBe('DEACTIVATED')
  expect((await post('deactivate')).body).toMatchObject({ error: 'CONFLICT' })
  expect((await readCustomer(api, customer, '?includePaymentMethods=true')).availablePaymentMethods).toEqual([])
  expect((await post('reactivate')).body.customerStatus).toBe('ACTIVE')
})

test('payment methods follow status, type and country', async () => {
  const address = {
    countryCode: 'US',
    streetLine1: '548 Market Street',
    city: 'San Francisco',
    stateRegionProvince: 'CA',
    postalCode: '94104',
  }
  const customer = await createCustomer(api)
  expect((await readCustomer(api, customer, '?includePaymentMethods=true')).availablePaymentMethods).toEqual([])
  await patchCustomer(api, customer, { kycData: { ...named('Approve').kycData, address } })
  await waitForStatus(api, customer, 'ACTIVE')
  const { availablePaymentMethods } = await readCustomer(api, customer, '?includePaymentMethods=true')
  expect(availablePaymentMethods).toEqual([
    'ACH',
    'WIRE',
    'ARBITRUM',
    'BASE',
    'ETHEREUM',
    'OPTIMISM',
    'POLYGON',
    'SOLANA',
  ])
  expect(await readCustomer(api, customer, '?includePaymentMethods=false')).not.toHaveProperty(
    'availablePaymentMethods',
  )
})

test('customers are listed newest first, in pages, and by organization', async () => {
  const { organizationId } = await api.app.organizations.create({
    name: 'Lists',
    tier: 'BUILDER',
    parentOrganizationId: null,
  })
  const child = await api.app.organizations.create({
    name: 'Child',
    tier: 'BUILDER',
    parentOrganizationId: organizationId,
  })
  const { apiKey } = await api.app.credentials.createFullKey('Lists', organizationId)
  const make = (email: string, more = {}) =>
    api.post('/customers', { customerType: 'INDIVIDUAL', email, ...more }, { apiKey })
  for (let at = 1; at <= 12; at++) await make(`c${at}@example.com`)
  await make('child@example.com', { organizationId: child.organizationId })
  const list = async (query: string) => (await api.get(`/customers?${query}`, { apiKey })).body
  const first = await list('')
  expect(first.customers.map(({ email }) => email)).toEqual([
    'child@example.com',
    ...Array.from({ length: 9 }, (_, at) => `c${12 - at}@example.com`),
  ])
  const rest = await list(`pageToken=${first.nextPageToken}`)
  expect([rest.customers.map(({ email }) => email), rest.nextPageToken]).toEqual([
    ['c3@example.com', 'c2@example.com', 'c1@example.com'],
    '',
  ])
  expect((await list(`organizationId=${child.organizationId}`)).customers.map(({ email }) => email)).toEqual([
    'child@example.com',
  ])
  expect((await list('organizationId=0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11')).customers).toEqual([])
})

test('an idempotent POST creates one customer, and its stored answer is sealed', async () => {
  const body = { customerType: 'INDIVIDUAL', email: 'canary-idempotent@example.com' }
  const headers = { 'x-idempotency-key': 'customer-1' }
  const first = await api.post('/customers', body, { headers })
  const again = await api.post('/customers', body, { headers })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
})

test('a PATCH replaces a first submission that has not started', async () => {
  // Without workers and without the start after POST: as if the process had crashed in between.
  const customer = await createCustomer(api)
  await api.app.database.query({
    text: `insert into svc.submissions (organization_id, customer_id, submission, state, submitted_at, due_at)
           values ($1, $2, 0, 'QUEUED', svc.now(), svc.now())`,
    values: [customer.organizationId, customer.customerId],
  })
  await patchCustomer(api, customer, named('Approve'))
  await waitForStatus(api, customer, 'ACTIVE')
  await expect
    .poll(() =>
      api.app.database.query({
        text: 'select state from svc.submissions where customer_id = $1',
        values: [customer.customerId],
      }),
    )
    .toEqual([{ state: 'DECIDED' }, { state: 'DECIDED' }])
})

test('an unreadable submission does not delay the others', async () => {
  const broken = await createCustomer(api)
  await patchCustomer(api, broken, named('Review'))
  const text = 'select state from svc.submissions where customer_id = $1'
  const stateOfBroken = () => api.app.database.query({ text, values: [broken.customerId] })
  await expect.poll(stateOfBroken).toEqual([{ state: 'MANUAL' }])
  await api.app.database.query({
    text: `update svc.customers set sealed_identity = 'broken' where customer_id = $1`,
    values: [broken.customerId],
  })
  await api.app.database.query({
    text: `update svc.submissions set state = 'REVIEWING', due_at = svc.now() where customer_id = $1`,
    values: [broken.customerId],
  })
  const healthy = []
  for (let at = 0; at < 3; at++) healthy.push(await createCustomer(api))
  for (const customer of healthy) await patchCustomer(api, customer, named('Approve'))
  for (const customer of healthy) await waitForStatus(api, customer, 'ACTIVE')
  expect((await readCustomer(api, broken)).customerStatus).toBe('UNDER_REVIEW')
  await expect.poll(() => api.logs.join('')).toContain('a submission could not be verified and is retried later')
  // After a few retries a reviewer gets it.
  await api.app.database.query({
    text: `update svc.submissions set fence = 8, due_at = svc.now() where customer_id = $1`,
    values: [broken.customerId],
  })
  await expect.poll(stateOfBroken).toEqual([{ state: 'MANUAL' }])
})

test('a CREATED customer cannot be deactivated, and the state is refused before the body', async () => {
  const { customerId } = await createCustomer(api)
  for (const path of [`/customers/${customerId}/deactivate`, `/sandbox/customers/${customerId}/verification`]) {
    expect((await api.post(path, {})).body).toMatchObject({ error: 'CONFLICT' })
  }
})
