import { afterAll, expect, test } from 'vitest'
import { startApi } from '../support/api.ts'
import {
  createCustomer,
  customerIn,
  eventsOf,
  patchCustomer,
  readCustomer,
  waitForStatus,
} from '../support/customers.ts'

const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0' })
const worker = await api.app.startWorker()
afterAll(() => worker.stop())

const named = (legalLastName: string) => ({ kycData: { legalFirstName: 'Ada', legalLastName } })
const business = (legalBusinessName: string) => ({ kybData: { businessInfo: { legalBusinessName } } })

test('a customer is created with a link to its form, and reads the same by both paths', async () => {
  const created = await createCustomer(api, { firstName: 'Ada', lastName: 'Example' })
  expect(created).toMatchObject({ customerType: 'INDIVIDUAL', name: 'Ada Example', email: 'ada@example.com' })
  expect(created.verificationLink).toMatch(new RegExp(`^${api.baseUrl}/forms/verify/[\\w-]{50}$`))
  expect(created).not.toHaveProperty('verificationIssues')
  expect(created).not.toHaveProperty('availablePaymentMethods')
  expect(await readCustomer(api, created)).toEqual(created)
  expect(customerIn(await api.get(`/customer/${created.customerId}`))).toEqual(created)
})

test.each([
  // what is given                                                                       name
  [{ firstName: 'Ada' }, 'Ada'],
  [{ customerType: 'BUSINESS', businessName: 'Example Goods' }, 'Example Goods'],
  [{}, ''],
  [{ kycData: { legalFirstName: 'Ada', legalLastName: 'Legal' } }, 'Ada Legal'],
  [{ firstName: 'Addie', kycData: { legalFirstName: 'Ada', legalLastName: 'Legal' } }, 'Addie'],
  [{ customerType: 'BUSINESS', kybData: { businessInfo: { legalBusinessName: 'Legal Inc' } } }, 'Legal Inc'],
])('%o is called %o', async (given, name) => {
  expect((await createCustomer(api, given)).name).toBe(name)
})

test('POST with data answers CREATED and moves to UNDER_REVIEW right after, with both events', async () => {
  const created = await createCustomer(api, named('Review'))
  const reviewed = await waitForStatus(api, created, 'UNDER_REVIEW')
  expect(reviewed.verificationIssues).toEqual([])
  await expect.poll(() => eventsOf(api, created)).toEqual(['customer.created CREATED', 'customer.updated UNDER_REVIEW'])
})

test.each([
  ['an individual', 'INDIVIDUAL', named],
  ['a business', 'BUSINESS', business],
] as const)('the whole loop of %s: missing data, corrected data, approved', async (_who, customerType, data) => {
  const customer = await createCustomer(api, { customerType })
  const first = await patchCustomer(api, customer, data('Issue-DOCUMENT_EXPIRED Issue-ADDRESS_TOO_SHORT'))
  expect(customerIn(first)).toMatchObject({ customerStatus: 'UNDER_REVIEW', verificationIssues: [] })
  const needs = await waitForStatus(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  expect(needs.verificationIssues?.map((issue) => issue.code)).toEqual(['DOCUMENT_EXPIRED', 'ADDRESS_TOO_SHORT'])
  for (const issue of needs.verificationIssues ?? []) expect(issue.message.length).toBeGreaterThan(10)

  const again = customerIn(await patchCustomer(api, customer, data('Approve')))
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

test('updatedAt moves with the status and only with it', async () => {
  const customer = await createCustomer(api)
  expect((await readCustomer(api, customer, '?includePaymentMethods=true')).updatedAt).toBe(customer.updatedAt)
  const patched = customerIn(await patchCustomer(api, customer, named('Review')))
  expect(patched.updatedAt > customer.updatedAt).toBe(true)
})

test.each(['Review', 'Approve', 'Reject'])(
  'PATCH is refused after %s, even when the body is bad too',
  async (lastName) => {
    const customer = await createCustomer(api)
    await patchCustomer(api, customer, named(lastName))
    const status = { Review: 'UNDER_REVIEW', Approve: 'ACTIVE', Reject: 'REJECTED' }[lastName] ?? ''
    const before = await waitForStatus(api, customer, status)
    for (const body of [named('Other'), { nonsense: true }, {}]) {
      const refused = await patchCustomer(api, customer, body)
      expect([refused.status, refused.body.error]).toEqual([400, 'PATCH_NOT_ALLOWED'])
    }
    expect(await readCustomer(api, customer)).toEqual(before)
  },
)

test('of racing PATCHes one starts a review', async () => {
  const customer = await createCustomer(api)
  const answers = await Promise.all(Array.from({ length: 16 }, () => patchCustomer(api, customer, named('Review'))))
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
  expect(new Set(answers.filter((answer) => answer.status !== 200).map((answer) => answer.body.error))).toEqual(
    new Set(['PATCH_NOT_ALLOWED']),
  )
  await expect
    .poll(() => eventsOf(api, customer))
    .toEqual(['customer.created CREATED', 'customer.updated UNDER_REVIEW'])
})

test('a customer is deactivated and reactivated with a reason, and not from other states', async () => {
  const customer = await createCustomer(api, named('Approve'))
  const post = (move: string, body: object = { reason: 'Asked to' }) =>
    api.post(`/customers/${customer.customerId}/${move}`, body)
  await waitForStatus(api, customer, 'ACTIVE')
  expect((await post('deactivate', {})).body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field: 'reason' }] })
  expect((await post('reactivate')).body).toMatchObject({ error: 'CONFLICT' })
  expect(customerIn(await post('deactivate')).customerStatus).toBe('DEACTIVATED')
  expect((await post('deactivate')).body).toMatchObject({ error: 'CONFLICT' })
  expect((await readCustomer(api, customer, '?includePaymentMethods=true')).availablePaymentMethods).toEqual([])
  expect(customerIn(await post('reactivate')).customerStatus).toBe('ACTIVE')
})

test('payment methods follow status, type and country', async () => {
  const address = {
    countryCode: 'US',
    streetLine1: '548 Market Street',
    city: 'San Francisco',
    stateRegionProvince: 'CA',
    postalCode: '94104',
  }
  const customer = await createCustomer(api, { kycData: { ...named('Approve').kycData, address } })
  expect((await readCustomer(api, customer, '?includePaymentMethods=true')).availablePaymentMethods).toEqual([])
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
  const list = async (query: string) =>
    (await api.get(`/customers${query}`, { apiKey })).body as unknown as {
      customers: { email: string }[]
      nextPageToken: string
    }
  const first = await list('')
  expect(first.customers.map(({ email }) => email)).toEqual([
    'child@example.com',
    ...Array.from({ length: 9 }, (_, at) => `c${12 - at}@example.com`),
  ])
  const rest = await list(`?pageToken=${first.nextPageToken}`)
  expect([rest.customers.map(({ email }) => email), rest.nextPageToken]).toEqual([
    ['c3@example.com', 'c2@example.com', 'c1@example.com'],
    '',
  ])
  expect((await list(`?organizationId=${child.organizationId}`)).customers.map(({ email }) => email)).toEqual([
    'child@example.com',
  ])
  expect((await list('?organizationId=0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11')).customers).toEqual([])
})

test('an idempotent POST creates one customer, and its stored answer is sealed', async () => {
  const body = { customerType: 'INDIVIDUAL', email: 'canary-idempotent@example.com' }
  const headers = { 'x-idempotency-key': 'customer-1' }
  const first = await api.post('/customers', body, { headers })
  const again = await api.post('/customers', body, { headers })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
})
