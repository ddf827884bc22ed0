import { afterAll, expect, test } from 'vitest'
import { issueCodes } from '../../../src/catalog/issues/verification-issues.ts'
import { createCustomer, patchCustomer, readCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { startApi } from '../../support/runner/api.ts'

// One hour, so that only the test triggers decisions.
const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '3600' })
const worker = await api.app.startWorker()
afterAll(() => worker.stop())

async function underReview() {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: { legalFirstName: 'Ada', legalLastName: 'Example' } })
  return customer
}
const decide = (customerId: string, body: object) => api.post(`/sandbox/customers/${customerId}/verification`, body)

test.each([
  [{ outcome: 'APPROVE' }, 'ACTIVE', undefined],
  [{ outcome: 'REJECT', issues: ['FRAUD_WARNING'] }, 'REJECTED', ['FRAUD_WARNING']],
  [
    { outcome: 'NEEDS_INFO', issues: ['DOCUMENT_EXPIRED', 'MISSING_NAME'] },
    'NEEDS_ADDITIONAL_INFORMATION',
    ['DOCUMENT_EXPIRED', 'MISSING_NAME'],
  ],
  [{ outcome: 'NEEDS_INFO' }, 'NEEDS_ADDITIONAL_INFORMATION', ['VERIFICATION_ISSUE']],
  [{ outcome: 'REVIEW' }, 'UNDER_REVIEW', []],
])('%o makes the customer %s', async (body, status, codes) => {
  const customer = await underReview()
  const decided = (await decide(customer.customerId, body)).body
  expect(decided.customerStatus).toBe(status)
  expect(decided.verificationIssues?.map((issue) => issue.code)).toEqual(codes)
  expect(await readCustomer(api, customer)).toEqual(decided)
})

test.each([
  ['NEEDS_INFO', 'NEEDS_ADDITIONAL_INFORMATION'],
  ['APPROVE', 'ACTIVE'],
])('after %s a customer can still be rejected, but not approved or asked for information', async (outcome, status) => {
  const customer = await underReview()
  expect((await decide(customer.customerId, { outcome })).body.customerStatus).toBe(status)
  for (const other of ['APPROVE', 'NEEDS_INFO']) {
    expect((await decide(customer.customerId, { outcome: other })).body).toMatchObject({ error: 'CONFLICT' })
  }
  const rejected = (await decide(customer.customerId, { outcome: 'REJECT', issues: ['AML_MATCH'] })).body
  expect([rejected.customerStatus, rejected.verificationIssues?.[0]?.code]).toEqual(['REJECTED', 'AML_MATCH'])
  expect((await decide(customer.customerId, { outcome: 'REJECT' })).body).toMatchObject({ error: 'CONFLICT' })
})

test('data that came with the creation can be decided at once, before a worker starts its review', async () => {
  const kycData = { legalFirstName: 'Ada', legalLastName: 'Example' }
  const decideAtOnce = async () => {
    const { customerId } = await createCustomer(api, { kycData })
    return (await decide(customerId, { outcome: 'APPROVE' })).body.customerStatus
  }
  // Many at once: the review that the creation starts is then often behind the decision.
  const statuses = await Promise.all(Array.from({ length: 16 }, decideAtOnce))
  expect(new Set(statuses)).toEqual(new Set(['ACTIVE']))
})

test('every issue code of the interface can be reached', async () => {
  const customer = await underReview()
  const decided = (await decide(customer.customerId, { outcome: 'NEEDS_INFO', issues: issueCodes })).body
  expect(decided.verificationIssues?.map((issue) => issue.code)).toEqual([...issueCodes])
})

test('invalid decisions are refused', async () => {
  const created = await createCustomer(api)
  expect((await decide(created.customerId, { outcome: 'APPROVE' })).body).toMatchObject({ error: 'CONFLICT' })
  const customer = await underReview()
  expect((await decide(customer.customerId, { outcome: 'MAYBE' })).body).toMatchObject({
    error: 'BAD_REQUEST',
    details: [{ field: 'outcome' }],
  })
  expect((await decide(customer.customerId, { outcome: 'NEEDS_INFO', issues: ['X'] })).body).toMatchObject({
    details: [{ field: 'issues[0]' }],
  })
})

test('the outcome is delayed by business time', async () => {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: { legalFirstName: 'Ada', legalLastName: 'Approve' } })
  expect((await readCustomer(api, customer)).customerStatus).toBe('UNDER_REVIEW')
  await api.post('/sandbox/clock', { advance: 'PT1H1S' })
  await waitForStatus(api, customer, 'ACTIVE')
})

test('a late outcome of an older submission changes nothing', async () => {
  const customer = await createCustomer(api)
  // The first submission would be rejected; before the checks run, a reviewer asks for more and a second one arrives.
  await patchCustomer(api, customer, { kycData: { legalFirstName: 'Ada', legalLastName: 'Reject' } })
  await decide(customer.customerId, { outcome: 'NEEDS_INFO' })
  await patchCustomer(api, customer, { kycData: { legalLastName: 'Approve' } })
  // As if a worker had kept the old submission: it becomes due again.
  await api.app.database.query({
    text: `update svc.submissions set state = 'REVIEWING', due_at = svc.now() where customer_id = $1 and submission = 1`,
    values: [customer.customerId],
  })
  await expect
    .poll(async () => {
      const text = 'select state from svc.submissions where customer_id = $1 and submission = 1'
      return api.app.database.query({ text, values: [customer.customerId] })
    })
    .toEqual([{ state: 'DECIDED' }])
  expect((await readCustomer(api, customer)).customerStatus).toBe('UNDER_REVIEW')
  await api.post('/sandbox/clock', { advance: 'PT1H1S' })
  await waitForStatus(api, customer, 'ACTIVE')
})

test('the scenarios list every magic value', async () => {
  const { scenarios } = (await api.get('/sandbox/scenarios')).body
  const values = scenarios.map((scenario) => scenario.value)
  expect(values).toEqual(
    expect.arrayContaining(['Approve', 'Reject', 'Review', ...issueCodes.map((code) => `Issue-${code}`)]),
  )
})

test('metrics show how long verification took and how many are late', async () => {
  const text = (await api.get('/metrics')).body
  expect(text).toMatch(/svc_verification_seconds_count\{outcome="approve"\} \d/)
  expect(text).toMatch(/svc_verifications_waiting\{kind="manual",promise="kept"\} \d/)
})

test('a sandbox decision writes its audit row', async () => {
  const customer = await underReview()
  await decide(customer.customerId, { outcome: 'NEEDS_INFO', issues: ['DOCUMENT_EXPIRED'] })
  const text = `select action, details from svc.audit where subject_id = $1`
  expect(await api.app.database.query({ text, values: [customer.customerId] })).toEqual([
    { action: 'sandbox.customer_decided', details: { outcome: 'NEEDS_INFO', issues: ['DOCUMENT_EXPIRED'] } },
  ])
})
