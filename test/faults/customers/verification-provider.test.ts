import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createOutboundHttp } from '../../../src/adapters/outbound-http.ts'
import { createHttpProvider } from '../../../src/adapters/verification/http-provider.ts'
import { readSigningSecret } from '../../../src/lib/standard-webhooks.ts'
import { makeApplicant } from '../../support/customers/applicants.ts'
import {
  type Customer,
  createCustomer,
  eventsOf,
  readCustomer,
  waitForStatus,
} from '../../support/customers/customers.ts'
import { type Fault, startProviderSimulator } from '../../support/customers/provider-simulator.ts'
import { seededRandom, startCuttingProxy } from '../../support/faults/cutting-proxy.ts'
import { startApi } from '../../support/runner/api.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

const provider = await startProviderSimulator()
const { hostname: host, port } = new URL(provider.url)
const proxy = await startCuttingProxy({ host, port: Number(port) }, seededRandom(seed))
const { folder, remove } = await makeFolder('svc provider ')
const api = await startApi({
  SVC_SANDBOX_VERIFICATION_DELAY: '0',
  SVC_BLOB_DIR: folder,
  ...provider.settings,
  SVC_VERIFICATION_PROVIDER_URL: provider.url.replace(port, String(proxy.port)),
})
provider.service = api.baseUrl
const worker = await api.app.startWorker()
afterAll(async () => {
  await worker.stop()
  await proxy.close()
  await provider.close()
  await remove()
})
beforeEach(() => {
  provider.judge = () => ({ status: 'APPROVED' })
  provider.service = undefined
  provider.faults = []
  provider.requests = []
})

const approvedOnce = ['customer.created CREATED', 'customer.updated UNDER_REVIEW', 'customer.updated ACTIVE']

async function referenceOf({ customerId }: Customer): Promise<string> {
  const text = 'select reference from svc.provider_requests where customer_id = $1'
  const rows = await api.app.database.query<{ reference: string }>({ text, values: [customerId] })
  return rows[0]?.reference ?? ''
}

/** Advances business time until the customer has the status. */
async function hurryTo(customer: Customer, status: string): Promise<void> {
  const hurry = async () => {
    await api.post('/sandbox/clock', { advance: 'PT2M' })
    return (await readCustomer(api, customer)).customerStatus
  }
  await expect.poll(hurry, { interval: 100 }).toBe(status)
}

const onAsk = (does: Fault['does']): Fault[] => [{ on: 'GET', does }]
const onDocument = (does: Fault['does']): Fault[] => [{ on: 'PUT document', does }]
const onSubmit = (does: Fault['does']): Fault[] => [{ on: 'PUT', does }]

test.each([
  onSubmit('fails before the effect'),
  onSubmit('fails after the effect'),
  onSubmit('loses the reply after the effect'),
  onSubmit('answers no JSON'),
  onSubmit('does not let us in'),
  onSubmit('is not there'),
  onSubmit('redirects'),
  onDocument('fails before the effect'),
  onDocument('loses the reply after the effect'),
  onAsk('fails before the effect'),
  onAsk('answers no JSON'),
  onAsk('answers without end'),
  onAsk('answers an unknown status'),
  onAsk('answers about another customer'),
  onAsk('answers unreadable issues'),
  onAsk('is not there'),
  onAsk('does not let us in'),
  onAsk('redirects'),
  [...onSubmit('loses the reply after the effect'), ...onAsk('fails after the effect'), ...onAsk('is not there')],
])('a submission reaches the provider once and is decided once: $on $does', async (...faults) => {
  provider.faults = [...faults]
  const logged = api.logs.length
  const customer = await createCustomer(api, { kycData: makeApplicant() })
  await hurryTo(customer, 'ACTIVE')
  expect(provider.faults).toEqual([])
  expect(provider.known.get(await referenceOf(customer))?.submitted).toBe(1)
  await expect.poll(() => eventsOf(api, customer)).toEqual(approvedOnce)
  // A warning is logged, except for a successful answer whose body the service does not need.
  const isQuiet = JSON.stringify(faults) === JSON.stringify(onSubmit('answers no JSON'))
  const warned = api.logs
    .slice(logged)
    .some((line) => line.includes('the verification provider failed or gave an unusable answer'))
  expect(warned).toBe(!isQuiet)
})

test('a submission that the provider rejects for good goes to a reviewer at once', async () => {
  provider.faults = onSubmit('refuses the content')
  const customer = await createCustomer(api, { kycData: makeApplicant() })
  const text = 'select state, findings from svc.submissions where customer_id = $1'
  await expect
    .poll(async () => JSON.stringify(await api.app.database.query({ text, values: [customer.customerId] })))
    .toMatch(/MANUAL.*THIRD_PARTY_API_FAILED/)
  expect(provider.requests.filter((each) => each.startsWith('PUT') && !each.includes('documents'))).toHaveLength(1)
})

test('a submission that the provider no longer knows is retried under the same reference', async () => {
  provider.judge = () => ({ status: 'PENDING' })
  const customer = await createCustomer(api, { kycData: makeApplicant() })
  await expect.poll(() => referenceOf(customer)).not.toBe('')
  const reference = await referenceOf(customer)
  await expect.poll(() => provider.known.get(reference)?.submitted).toBe(1)
  provider.known.delete(reference)
  provider.judge = () => ({ status: 'APPROVED' })
  await hurryTo(customer, 'ACTIVE')
  expect(provider.known.get(reference)?.documents.size).toBe(1)
})

test('a callback that arrives during a poll is not lost', async () => {
  provider.judge = () => ({ status: 'PENDING' })
  provider.service = api.baseUrl
  const customer = await createCustomer(api, { kycData: makeApplicant() })
  await expect.poll(() => provider.known.get(provider.requests.at(-1)?.slice(4) ?? '')?.submitted).toBe(1)
  // From here on no work becomes due without the callback.
  await api.post('/sandbox/clock', { freeze: true })
  onTestFinished(async () => void (await api.post('/sandbox/clock', { resume: true })))
  provider.faults = onAsk('decides and calls back while it answers')
  await provider.call(await referenceOf(customer))
  await waitForStatus(api, customer, 'ACTIVE')
})

test('when a reviewer and the provider decide at the same moment, one decision counts', async () => {
  provider.judge = () => ({ status: 'PENDING' })
  const customers = await Promise.all(
    Array.from({ length: 8 }, () => createCustomer(api, { kycData: makeApplicant() })),
  )
  const references = await Promise.all(
    customers.map(async (customer) => {
      await expect.poll(() => referenceOf(customer)).not.toBe('')
      const reference = await referenceOf(customer)
      await expect.poll(() => provider.known.get(reference)?.submitted).toBe(1)
      return reference
    }),
  )
  provider.service = api.baseUrl
  const race = async (customer: Customer, at: number) => {
    provider.decide(references[at] ?? '', { status: 'APPROVED' })
    await provider.call(references[at] ?? '')
    // Each a little later than the previous one, so that some precede the provider's answer and some follow it.
    for (let wait = 0; wait < at * 2; wait += 1) await readCustomer(api, customer)
    return api.post(`/sandbox/customers/${customer.customerId}/verification`, { outcome: 'NEEDS_INFO' })
  }
  const decisions = await Promise.all(customers.map(race))
  for (const { status } of decisions) expect([200, 409]).toContain(status)
  for (const [at, customer] of customers.entries()) {
    const winner = decisions[at]?.status === 200 ? 'NEEDS_ADDITIONAL_INFORMATION' : 'ACTIVE'
    await waitForStatus(api, customer, winner)
    const told = [...approvedOnce.slice(0, 2), `customer.updated ${winner}`]
    await expect.poll(() => eventsOf(api, customer)).toEqual(told)
  }
})

test('a submission goes to a reviewer after the provider was unreachable for a day', async () => {
  provider.faults = Array.from({ length: 50 }, (): Fault[] => [
    { on: 'PUT document', does: 'fails before the effect' },
    { on: 'GET', does: 'fails before the effect' },
  ]).flat()
  const customer = await createCustomer(api, { kycData: makeApplicant() })
  await expect.poll(() => referenceOf(customer)).not.toBe('')
  await api.post('/sandbox/clock', { advance: 'P1DT1M' })
  const text = 'select state, findings from svc.submissions where customer_id = $1'
  await expect
    .poll(async () => JSON.stringify(await api.app.database.query({ text, values: [customer.customerId] })))
    .toMatch(/MANUAL.*THIRD_PARTY_API_FAILED/)
})

test('a provider that accepts a submission at the last moment still gets its full time to decide', async () => {
  provider.faults = onDocument('fails before the effect')
  provider.judge = () => ({ status: 'PENDING' })
  const customer = await createCustomer(api, { kycData: makeApplicant() })
  const text =
    'select state, fence > 0 and lease_until is null as tried from svc.provider_requests where customer_id = $1'
  const read = () => api.app.database.query({ text, values: [customer.customerId] })
  await expect.poll(read).toEqual([{ state: 'SENDING', tried: true }])
  await api.post('/sandbox/clock', { advance: 'P1DT1M' })
  await expect.poll(read).toEqual([{ state: 'WAITING', tried: true }])
})

test(
  'lost replies duplicate no submission and lose no customer',
  async () => {
    provider.service = api.baseUrl
    await playRounds({ short: 1, full: 50 }, async () => {
      const cutsBefore = proxy.cuts()
      proxy.setRate(0.3)
      const customers = await Promise.all(
        Array.from({ length: 10 }, () => createCustomer(api, { kycData: makeApplicant() })),
      )
      for (const customer of customers) await hurryTo(customer, 'ACTIVE')
      proxy.setRate(0)
      expect(proxy.cuts() - cutsBefore, `seed ${seed}: nothing was cut`).toBeGreaterThan(0)
      for (const customer of customers) {
        await expect.poll(() => eventsOf(api, customer), { message: `seed ${seed}` }).toEqual(approvedOnce)
        expect(provider.known.get(await referenceOf(customer))?.submitted, `seed ${seed}`).toBe(1)
      }
    })
  },
  roundsTimeoutMs,
)

test('a timeout is an unknown outcome, never a failure', async () => {
  const http = createOutboundHttp()
  // A separate provider: workers still poll the other one about customers of earlier tests, and would meet its faults.
  const silent = await startProviderSimulator()
  onTestFinished(async () => {
    await http.close()
    await silent.close()
  })
  silent.judge = () => ({ status: 'APPROVED' })
  const secrets = [readSigningSecret(silent.secret) ?? Buffer.alloc(0)]
  const waiting = (timeoutMs: number) => createHttpProvider({ http, url: silent.url, secrets, timeoutMs })
  const [impatient, patient] = [waiting(200), waiting(60_000)]
  const submission = { customerType: 'INDIVIDUAL', profile: { email: '' }, identity: {}, documents: [] } as const
  silent.faults = [...onSubmit('never answers after the effect'), ...onAsk('never answers')]
  expect(await impatient.submit('silent', submission)).toMatchObject({ outcome: 'unknown' })
  expect(await impatient.poll('silent')).toMatchObject({ outcome: 'no answer' })
  expect(await patient.poll('silent')).toEqual({ outcome: 'decided', status: 'APPROVED', issues: [] })
  expect(await patient.poll('unknown')).toEqual({ outcome: 'unknown reference' })
})

test('every invariant holds', async () => {
  expect(await api.app.verify()).toMatchObject({ ok: true })
})
