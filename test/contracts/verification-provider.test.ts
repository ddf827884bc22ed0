import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
import { makeApplicant, makeApplyingBusiness } from '../support/applicants.ts'
import {
  type Customer,
  createCustomer,
  eventsOf,
  patchCustomer,
  readCustomer,
  waitForStatus,
} from '../support/customers.ts'
import { makeFolder } from '../support/folder.ts'
import { makeAddress } from '../support/identities.ts'
import { type ProviderSimulator, startProviderSimulator } from '../support/provider-simulator.ts'

/** Whoever has the last word, a customer goes the same ways: these hold for the built-in checks and for a provider. */
describe.each([
  ['the built-in checks', false],
  ['an outside provider', true],
] as const)('%s', (_who, isOutside) => {
  let api: TestApi
  let provider: ProviderSimulator
  const sentOut = () => provider.known.size

  beforeAll(async () => {
    provider = await startProviderSimulator()
    provider.judge = () => ({ status: 'APPROVED' })
    const { folder, remove } = await makeFolder('svc provider ')
    const settings = { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_BLOB_DIR: folder }
    api = await startApi({ ...settings, ...(isOutside ? provider.settings : {}) })
    provider.service = api.baseUrl
    const worker = await api.app.startWorker()
    afterAll(async () => {
      await worker.stop()
      await provider.close()
      await remove()
    })
  })

  async function waitForState(customer: Customer, state: string): Promise<string[]> {
    const text = `select state, findings from svc.submissions where customer_id = $1 order by submission desc limit 1`
    const read = () =>
      api.app.database.query<{ state: string; findings: { code: string }[] }>({ text, values: [customer.customerId] })
    await expect.poll(async () => (await read())[0]?.state, { timeout: 10_000 }).toBe(state)
    return ((await read())[0]?.findings ?? []).map(({ code }) => code)
  }

  test.each([
    ['a person', 'INDIVIDUAL', () => ({ kycData: makeApplicant() })],
    ['a business', 'BUSINESS', () => ({ kybData: makeApplyingBusiness() })],
  ] as const)('%s with complete data is approved, and each step is told once', async (_what, customerType, data) => {
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
    ['an address that is too short', { address: makeAddress({ streetLine1: 'A 1' }) }, 'ADDRESS_TOO_SHORT'],
    ['a national id that cannot be', { nationalIdNumber: '000-00-0000' }, 'ID_NUMBER_NOT_VERIFIED'],
  ])('%s goes back to the customer, is told to nobody outside, and can be mended', async (_what, changes, code) => {
    const before = sentOut()
    const { nationalIdNumber, documents, ...rest } = makeApplicant()
    const kycData = { nationalIdNumber, documents, ...rest, ...changes }
    const customer = await createCustomer(api, { kycData })
    const needs = await waitForStatus(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
    expect(needs.verificationIssues?.map((issue) => issue.code)).toContain(code)
    expect(sentOut()).toBe(before)
    await patchCustomer(api, customer, { kycData: { nationalIdNumber, documents, ...rest } })
    await waitForStatus(api, customer, 'ACTIVE')
  })

  test('a code that nobody knows needs a person, whatever anybody else says', async () => {
    const customer = await createCustomer(api, { kycData: makeApplicant({ sourceOfFunds: 'LOTTERY' }) })
    expect(await waitForState(customer, 'MANUAL')).toEqual(['VERIFICATION_ISSUE'])
    expect((await readCustomer(api, customer)).customerStatus).toBe('UNDER_REVIEW')
  })

  test('an identity that was seen before needs a person, whatever anybody else says', async () => {
    const kycData = makeApplicant()
    await waitForStatus(api, await createCustomer(api, { kycData }), 'ACTIVE')
    const second = await createCustomer(api, { kycData })
    expect(await waitForState(second, 'MANUAL')).toContain('ID_PREVIOUSLY_SEEN')
  })

  test('a person’s decision stands, also while somebody else is still deciding', async () => {
    provider.judge = () => ({ status: 'PENDING' })
    const customer = await createCustomer(api, { kycData: makeApplicant({ sourceOfFunds: 'LOTTERY' }) })
    await waitForStatus(api, customer, 'UNDER_REVIEW')
    const decision = { outcome: 'REJECT', issues: ['FRAUD_WARNING'] }
    await api.post(`/sandbox/customers/${customer.customerId}/verification`, decision)
    for (const [reference] of provider.known) {
      provider.decide(reference, { status: 'APPROVED' })
      await provider.call(reference)
    }
    provider.judge = () => ({ status: 'APPROVED' })
    // Somebody who comes later is through: whatever was to happen to the first has happened.
    await waitForStatus(api, await createCustomer(api, { kycData: makeApplicant() }), 'ACTIVE')
    expect((await readCustomer(api, customer)).customerStatus).toBe('REJECTED')
  })

  test.each([
    ['Approve', 'ACTIVE'],
    ['Reject', 'REJECTED'],
    ['Issue-DOCUMENT_EXPIRED', 'NEEDS_ADDITIONAL_INFORMATION'],
  ])('in the sandbox the name %s still decides by itself', async (legalLastName, status) => {
    const before = sentOut()
    const customer = await createCustomer(api, { kycData: { legalFirstName: 'Ada', legalLastName } })
    await waitForStatus(api, customer, status)
    expect(sentOut()).toBe(before)
  })

  test('all invariants hold', async () => {
    expect(await api.app.verify()).toMatchObject({ ok: true })
  })
})
