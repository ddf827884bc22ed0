import { expect, test } from 'vitest'
import { makeApplicant } from '../../support/customers/applicants.ts'
import {
  createCustomer,
  eventsOf,
  patchCustomer,
  readCustomer,
  waitForStatus,
} from '../../support/customers/customers.ts'
import { startVerifying } from '../../support/customers/verifying-api.ts'
import { eventually } from '../../support/runner/eventually.ts'

const api = await startVerifying()

const asked = 'NEEDS_ADDITIONAL_INFORMATION'
const named = { firstName: 'Ada', lastName: 'Example' }

/** The submitted data, as the API shows it. */
async function dataOf(customer: { customerId: string }) {
  const { verification } = await readCustomer(api, customer, '?includeVerification=true')
  return verification as { kycData: Record<string, unknown> }
}

test('null clears a field, an object and a list, at any depth', async () => {
  const customer = await createCustomer(api)
  const whole = makeApplicant({ legalMiddleName: 'King', documents: [] })
  await patchCustomer(api, customer, {
    kycData: { ...whole, address: { ...whole.address, streetLine2: 'Floor 12' } },
  })
  await waitForStatus(api, customer, asked)
  const cleared = await patchCustomer(api, customer, {
    kycData: { legalMiddleName: null, address: { streetLine2: null }, documents: null, employmentStatus: null },
  })
  expect(cleared.body).toMatchObject({ customerStatus: 'UNDER_REVIEW' })
  const { kycData } = await dataOf(customer)
  for (const name of ['legalMiddleName', 'documents', 'employmentStatus']) expect(kycData).not.toHaveProperty(name)
  expect(kycData.address).toEqual(whole.address)
  expect(kycData.legalFirstName).toBe('Ada')
})

test('a patch that clears only what is not there is no submission', async () => {
  const customer = await createCustomer(api)
  for (const body of [{ kycData: { legalMiddleName: null, address: { streetLine2: null } } }, { firstName: null }]) {
    expect((await patchCustomer(api, customer, body)).status).toBe(400)
  }
  expect(await readCustomer(api, customer)).toMatchObject({ customerStatus: 'CREATED' })
  await patchCustomer(api, customer, { kycData: { legalMiddleName: 'King', address: null } })
  await waitForStatus(api, customer, asked)
  const both = { legalMiddleName: null, documents: null }
  expect((await patchCustomer(api, customer, { kycData: both })).body).toMatchObject({ customerStatus: 'UNDER_REVIEW' })
})

test('nulls in the items of a list are left out', async () => {
  const customer = await createCustomer(api)
  const [passport] = makeApplicant().documents
  await patchCustomer(api, customer, {
    kycData: { documents: [{ ...passport, backIdImage: null, description: null }] },
  })
  const { kycData } = await dataOf(customer)
  expect(Object.keys((kycData.documents as object[])[0] ?? {})).not.toContain('description')
})

test('the national id is cleared whole or not at all', async () => {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: makeApplicant({ documents: [] }) })
  await waitForStatus(api, customer, asked)
  const half = await patchCustomer(api, customer, { kycData: { nationalIdNumber: null } })
  expect(half.body).toMatchObject({
    message: 'kycData.nationalIdType must be null as well: the three fields of a national id are cleared together',
    details: [{}, {}, {}],
  })
  const none = { nationalIdType: null, nationalIdNumber: null, nationalIdIssuingCountry: null }
  expect((await patchCustomer(api, customer, { kycData: none })).status).toBe(200)
})

test('null is refused for what is not optional: the data as a whole, the email, and on creation', async () => {
  const customer = await createCustomer(api)
  for (const body of [{ kycData: null }, { email: null }]) {
    expect((await patchCustomer(api, customer, body)).body).toMatchObject({ error: 'BAD_REQUEST' })
  }
  const body = { customerType: 'INDIVIDUAL', email: 'ada@example.com', kycData: { legalMiddleName: null } }
  expect((await api.post('/customers', body)).body).toMatchObject({ details: [{ field: 'kycData.legalMiddleName' }] })
})

test('email and names can be changed alone, which leaves the status and sends an event', async () => {
  const customer = await createCustomer(api, named)
  const changed = (await patchCustomer(api, customer, { email: 'ada@example.org', lastName: 'Quill' })).body
  const { requirements, ...rest } = customer
  expect(changed).toEqual({ ...rest, requirements, name: 'Ada Quill', email: 'ada@example.org' })
  expect(await readCustomer(api, customer)).toEqual(changed)
  await eventually(async () =>
    expect(await eventsOf(api, customer)).toEqual(['customer.created CREATED', 'customer.updated CREATED']),
  )
  const cleared = (await patchCustomer(api, customer, { firstName: null })).body
  expect(cleared).toMatchObject({ name: 'Quill', customerStatus: 'CREATED' })
})

test('a corrected name settles a mismatch', async () => {
  const customer = await createCustomer(api, named)
  await patchCustomer(api, customer, { kycData: makeApplicant({ legalLastName: 'Quill' }) })
  const stopped = await waitForStatus(api, customer, asked)
  expect(stopped.verificationIssues).toMatchObject([{ code: 'ID_DATA_MISMATCH', field: 'kycData.legalLastName' }])
  const corrected = (await patchCustomer(api, customer, { lastName: 'Quill' })).body
  expect(corrected).toMatchObject({ customerStatus: asked, requirements: { due: [] }, updatedAt: stopped.updatedAt })
  await patchCustomer(api, customer, { lastName: 'Quill', kycData: { legalLastName: 'Quill' } })
  expect(await waitForStatus(api, customer, 'ACTIVE')).toMatchObject({ name: 'Ada Quill' })
})

test('email and names cannot be changed while data is locked', async () => {
  const customer = await createCustomer(api, named)
  await patchCustomer(api, customer, { kycData: makeApplicant() })
  await waitForStatus(api, customer, 'ACTIVE')
  const refused = await patchCustomer(api, customer, { lastName: 'Quill' })
  expect([refused.status, refused.body.error]).toEqual([400, 'PATCH_NOT_ALLOWED'])
})

test.each([
  {},
  { kycData: {} },
  { kycData: { legalFirstName: '   ' } },
  { kycData: { address: { streetLine1: '     ' } } },
  { firstName: '  ' },
])('%j has no content and is refused', async (body) => {
  const customer = await createCustomer(api)
  expect((await patchCustomer(api, customer, body)).body).toMatchObject({
    error: 'BAD_REQUEST',
    details: [{ field: 'body', message: 'must have at least one field with content' }],
  })
})

test('a blank beside content changes nothing', async () => {
  const customer = await createCustomer(api, named)
  await patchCustomer(api, customer, { kycData: makeApplicant({ documents: [] }) })
  await waitForStatus(api, customer, asked)
  await patchCustomer(api, customer, { lastName: ' ', kycData: { legalLastName: '  ', documents: [] } })
  expect((await dataOf(customer)).kycData.legalLastName).toBe('Example')
  expect((await readCustomer(api, customer)).name).toBe('Ada Example')
})

test('a corrected submission keeps its files, and no file is stored in the data', async () => {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: makeApplicant({ documents: [] }) })
  await waitForStatus(api, customer, asked)
  await patchCustomer(api, customer, { kycData: { documents: makeApplicant().documents } })
  await waitForStatus(api, customer, 'ACTIVE')
  const text = 'select octet_length(sealed_identity) as bytes from svc.customers where customer_id = $1'
  const [stored] = await api.app.database.query<{ bytes: number }>({ text, values: [customer.customerId] })
  expect(stored?.bytes).toBeLessThan(5_000)
})
