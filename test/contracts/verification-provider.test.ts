import { afterAll, describe, expect, test } from 'vitest'
import { makeApplicant, makeApplyingBusiness } from '../support/customers/applicants.ts'
import {
  type Customer,
  createCustomer,
  eventsOf,
  patchCustomer,
  readCustomer,
  waitForStatus,
} from '../support/customers/customers.ts'
import { makeAddress } from '../support/customers/identities.ts'
import { startProviderSimulator } from '../support/customers/provider-simulator.ts'
import { startApi } from '../support/runner/api.ts'
import { makeFolder } from '../support/runner/folder.ts'

/** Customers pass through the same states with the built-in checks and with a provider, which decides last. */
const verifiers = [
  await startVerifier('the built-in checks', { isOutside: false }),
  await startVerifier('an outside provider', { isOutside: true }),
]

async function startVerifier(name: string, { isOutside }: { isOutside: boolean }) {
  const provider = await startProviderSimulator()
  provider.judge = () => ({ status: 'APPROVED' })
  const { folder, remove } = await makeFolder('svc provider ')
  const settings = { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_BLOB_DIR: folder }
  const api = await startApi({ ...settings, ...(isOutside ? provider.settings : {}) })
  provider.service = api.baseUrl
  const worker = await api.app.startWorker()
  afterAll(async () => {
    await worker.stop()
    await provider.close()
    await remove()
  })
  const sentOut = () => provider.known.size
  const findingsIn = async (state: string, { customerId }: Customer): Promise<string[]> => {
    const text = `select state, findings from svc.submissions where customer_id = $1 order by submission desc limit 1`
    type Row = { state: string; findings: { code: string }[] }
    const read = async () => (await api.app.database.query<Row>({ text, values: [customerId] }))[0]
    await expect.poll(async () => (await read())?.state).toBe(state)
    return ((await read())?.findings ?? []).map(({ code }) => code)
  }
  return { name, isOutside, api, provider, sentOut, findingsIn }
}

describe.each(verifiers)('$name', ({ isOutside, api, sentOut }) => {
  test.each([
    ['a person', 'INDIVIDUAL', () => ({ kycData: makeApplicant() })],
    ['a business', 'BUSINESS', () => ({ kybData: makeApplyingBusiness() })],
  ] as const)('%s with complete data is approved, with one event for each step', async (_what, customerType, data) => {
    const before = sentOut()
    const customer = await createCustomer(api, { customerType, ...data() })
    expect(await waitForStatus(api, customer, 'ACTIVE')).not.toHaveProperty('verificationIssues')
    await expect
      .poll(() => eventsOf(api, customer))
      .toEqual(['customer.created CREATED', 'customer.updated UNDER_REVIEW', 'customer.updated ACTIVE'])
    expect(sentOut() - before).toBe(isOutside ? 1 : 0)
  })

  test.each([
    ['nothing but a name', { documents: [], address: undefined }, 'NO_GOVERNMENT_ID'],
    ['an address of dots', { address: makeAddress({ streetLine1: '.....' }) }, 'ADDRESS_TOO_SHORT'],
    ['an impossible national id', { nationalIdNumber: '000-00-0000' }, 'ID_NUMBER_NOT_VERIFIED'],
  ])(
    'a submission with %s is returned to the customer, not sent to the provider, and can be corrected',
    async (_what, changes, code) => {
      const before = sentOut()
      const { nationalIdNumber, documents, ...rest } = makeApplicant()
      const kycData = { nationalIdNumber, documents, ...rest, ...changes }
      const customer = await createCustomer(api, { kycData })
      const needs = await waitForStatus(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
      expect(needs.verificationIssues?.map((issue) => issue.code)).toContain(code)
      expect(sentOut()).toBe(before)
      await patchCustomer(api, customer, { kycData: { nationalIdNumber, documents, ...rest } })
      await waitForStatus(api, customer, 'ACTIVE')
    },
  )

  test.each([
    ['Approve', 'ACTIVE'],
    ['Reject', 'REJECTED'],
    ['Issue-DOCUMENT_EXPIRED', 'NEEDS_ADDITIONAL_INFORMATION'],
  ])('in the sandbox the name %s alone decides the outcome', async (legalLastName, status) => {
    const before = sentOut()
    const customer = await createCustomer(api, { kycData: { legalFirstName: 'Ada', legalLastName } })
    await waitForStatus(api, customer, status)
    expect(sentOut()).toBe(before)
  })
})

describe.each(verifiers)('$name', ({ api, provider, findingsIn }) => {
  test('an unknown code needs a reviewer, regardless of every other check', async () => {
    const customer = await createCustomer(api, { kycData: makeApplicant({ sourceOfFunds: 'XYZ' }) })
    expect(await findingsIn('MANUAL', customer)).toEqual(['VERIFICATION_ISSUE'])
    expect((await readCustomer(api, customer)).customerStatus).toBe('UNDER_REVIEW')
  })

  test('an identity that was seen before needs a reviewer, regardless of every other check', async () => {
    const kycData = makeApplicant()
    await waitForStatus(api, await createCustomer(api, { kycData }), 'ACTIVE')
    const second = await createCustomer(api, { kycData })
    expect(await findingsIn('MANUAL', second)).toContain('ID_PREVIOUSLY_SEEN')
  })

  test('a reviewer’s decision stands, also while the provider is still deciding', async () => {
    provider.judge = () => ({ status: 'PENDING' })
    const customer = await createCustomer(api, { kycData: makeApplicant({ sourceOfFunds: 'XYZ' }) })
    await waitForStatus(api, customer, 'UNDER_REVIEW')
    const decision = { outcome: 'REJECT', issues: ['FRAUD_WARNING'] }
    await api.post(`/sandbox/customers/${customer.customerId}/verification`, decision)
    for (const [reference] of provider.known) {
      provider.decide(reference, { status: 'APPROVED' })
      await provider.call(reference)
    }
    provider.judge = () => ({ status: 'APPROVED' })
    // Once a later customer is decided, all work due for the first one is done.
    await waitForStatus(api, await createCustomer(api, { kycData: makeApplicant() }), 'ACTIVE')
    expect((await readCustomer(api, customer)).customerStatus).toBe('REJECTED')
  })

  test('all invariants hold', async () => {
    expect(await api.app.verify()).toMatchObject({ ok: true })
  })
})
