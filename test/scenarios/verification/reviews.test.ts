import { afterAll, expect, test } from 'vitest'
import {
  createCustomer,
  eventsOf,
  patchCustomer,
  readCustomer,
  waitForStatus,
} from '../../support/customers/customers.ts'
import {
  customerInReview,
  decideReview,
  listReviews,
  readReview,
  sandboxDecide,
} from '../../support/customers/reviews.ts'
import { createKey, startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'

// One hour, so that only the test triggers decisions.
const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '3600', SVC_RATE_LIMIT_SANDBOX: '0' })
const worker = await api.app.startWorker()
afterAll(() => worker.stop())

const conflict = { status: 409, body: { error: 'CONFLICT' } }

async function keyWith(scopes: string[]): Promise<string> {
  return (await createKey(api, { name: 'Reviewer', scopes })).apiKey
}

test('a submission for a reviewer opens a review with findings and without personal data', async () => {
  const customer = await customerInReview(api, ['AML_WARNING', 'DOCUMENT_EXPIRED'])
  const review = await readReview(api, customer)
  expect(review).toMatchObject({
    customerId: customer.customerId,
    customerType: 'INDIVIDUAL',
    customerStatus: 'UNDER_REVIEW',
    reviewStatus: 'OPEN',
    reason: 'MANUAL_SUBMISSION',
    version: 1,
    submission: 1,
    isLate: false,
    notes: [],
    findings: [{ code: 'AML_WARNING' }, { code: 'DOCUMENT_EXPIRED' }],
  })
  expect(JSON.stringify(review)).not.toContain('Example')
  const { notes: _, documents: __, ...listed } = review
  expect((await listReviews(api, `customerId=${customer.customerId}`)).reviews).toEqual([listed])
  expect((await readCustomer(api, customer)).verificationIssues).toEqual([])
})

test('the checks open a review with all findings, including those that the customer could correct', async () => {
  const customer = await createCustomer(api, {
    kycData: { legalFirstName: 'A', legalLastName: 'Issue-AML_MATCH Issue-DOCUMENT_EXPIRED' },
  })
  await waitForStatus(api, customer, 'UNDER_REVIEW')
  await api.app.database.query({
    text: 'update svc.submissions set due_at = svc.now() where customer_id = $1',
    values: [customer.customerId],
  })
  await expect.poll(async () => (await api.get(`/reviews/${customer.customerId}`)).status).toBe(200)
  const { findings } = await readReview(api, customer)
  expect(findings.map(({ code }) => code)).toEqual(['AML_MATCH', 'DOCUMENT_EXPIRED'])
})

test.each([
  ['APPROVE', {}, 'ACTIVE', undefined],
  ['NEEDS_INFO', { issues: ['DOCUMENT_EXPIRED'] }, 'NEEDS_ADDITIONAL_INFORMATION', ['DOCUMENT_EXPIRED']],
  ['REJECT', {}, 'REJECTED', []],
  ['REJECT', { issues: ['FRAUD_WARNING'] }, 'REJECTED', ['FRAUD_WARNING']],
] as const)(
  '%s with %o makes the customer %s, with its event and its audit row',
  async (decision, more, status, issues) => {
    const customer = await customerInReview(api)
    const decided = await decideReview(api, customer, { decision, ...more, version: 1 })
    expect(decided.status).toBe(200)
    const codes = issues ?? []
    expect(decided.body).toMatchObject({
      reviewStatus: 'DECIDED',
      customerStatus: status,
      decision,
      issues: codes,
      isLate: false,
      decidedBy: expect.stringMatching(/^api_key:/),
      decidedAt: expect.any(String),
    })
    const after = await readCustomer(api, customer)
    expect(after.customerStatus).toBe(status)
    expect(after.verificationIssues?.map(({ code }) => code)).toEqual(issues)
    await expect.poll(async () => (await eventsOf(api, customer)).at(-1)).toBe(`customer.updated ${status}`)
    const [act] = await api.app.database.query({
      text: `select details from svc.audit where subject_id = $1 and action = 'review.decided'`,
      values: [customer.customerId],
    })
    const { reviewId } = decided.body
    expect(act).toEqual({
      details: { reviewId, why: 'MANUAL_SUBMISSION', submission: 1, decision, issues: codes },
    })
    expect((await readReview(api, customer)).notes).toMatchObject([{ act: 'review.decided', text: 'Looked at it' }])
  },
)

test('of 64 concurrent decisions of a review, one takes effect', async () => {
  const customer = await customerInReview(api)
  const decisions = ['APPROVE', 'REJECT'] as const
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, at) => decideReview(api, customer, { decision: decisions[at % 2] })),
  )
  const statuses = answers.map((answer) => answer.status)
  expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 63 }, () => 409)])
  expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.error))).toEqual(
    new Set(['CONFLICT']),
  )
  const won = answers.findIndex(({ status }) => status === 200)
  const after = await readCustomer(api, customer)
  expect(after.customerStatus).toBe(decisions[won % 2] === 'APPROVE' ? 'ACTIVE' : 'REJECTED')
  await expect.poll(() => eventsOf(api, customer)).toHaveLength(4) // created, submitted, in review, decided
  expect((await readReview(api, customer)).notes).toHaveLength(1)
})

test('a decision repeated with its idempotency key has one effect and one answer', async () => {
  const customer = await customerInReview(api)
  const key = { headers: { 'x-idempotency-key': customer.customerId } }
  const first = await decideReview(api, customer, { decision: 'APPROVE' }, key)
  const second = await decideReview(api, customer, { decision: 'APPROVE' }, key)
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
})

test.each([
  [{ decision: 'NEEDS_INFO' }, 'issues'],
  [{ decision: 'NEEDS_INFO', issues: [] }, 'issues'],
  [{ decision: 'NEEDS_INFO', issues: ['NO_SUCH_CODE'] }, 'issues[0]'],
  [{ decision: 'MAYBE' }, 'decision'],
  [{ decision: 'APPROVE', reason: '' }, 'reason'],
  [{ decision: 'APPROVE', version: 0 }, 'version'],
])('%o is refused, names %s and changes nothing', async (body, field) => {
  const customer = await customerInReview(api)
  const refused = await decideReview(api, customer, body)
  expect(refused).toMatchObject({ status: 400, body: { details: [{ field }] } })
  expect(await readReview(api, customer)).toMatchObject({ reviewStatus: 'OPEN' })
})

test('a decision about an older submission does not affect a newer one', async () => {
  const customer = await customerInReview(api)
  const first = await readReview(api, customer)
  await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: ['DOCUMENT_EXPIRED'] })
  expect(await decideReview(api, customer, { decision: 'REJECT' })).toMatchObject(conflict)
  await patchCustomer(api, customer, { kycData: { legalLastName: 'Sample' } })
  expect(await decideReview(api, customer, { decision: 'REJECT' })).toMatchObject(conflict)
  await sandboxDecide(api, customer, { outcome: 'REVIEW' })
  const second = await readReview(api, customer)
  expect(second).toMatchObject({ submission: 2, version: 2, reviewStatus: 'OPEN' })
  expect(second.reviewId).not.toBe(first.reviewId)
  expect(await decideReview(api, customer, { decision: 'REJECT', version: first.version })).toMatchObject(conflict)
  expect((await readCustomer(api, customer)).customerStatus).toBe('UNDER_REVIEW')
  expect((await decideReview(api, customer, { decision: 'APPROVE', version: second.version })).status).toBe(200)
})

test('an open review of an older submission cannot decide the newest', async () => {
  const customer = await customerInReview(api)
  const { database } = api.app
  // As if a newer submission had arrived beside the open review.
  const text = 'update svc.customers set submission = 2 where customer_id = $1'
  await database.query({ text, values: [customer.customerId] })
  expect(await decideReview(api, customer, { decision: 'APPROVE' })).toMatchObject(conflict)
  expect((await readCustomer(api, customer)).customerStatus).toBe('UNDER_REVIEW')
  await database.query({ text: text.replace('= 2', '= 1'), values: [customer.customerId] })
  expect((await decideReview(api, customer, { decision: 'APPROVE' })).status).toBe(200)
})

test('a sandbox decision also decides the review', async () => {
  const customer = await customerInReview(api)
  await sandboxDecide(api, customer, { outcome: 'NEEDS_INFO', issues: ['MISSING_NAME'] })
  expect(await readReview(api, customer)).toMatchObject({
    reviewStatus: 'DECIDED',
    decision: 'NEEDS_INFO',
    issues: ['MISSING_NAME'],
    customerStatus: 'NEEDS_ADDITIONAL_INFORMATION',
  })
})

test('a customer who was never in review has no review', async () => {
  const customer = await createCustomer(api)
  expect((await api.get(`/reviews/${customer.customerId}`)).status).toBe(404)
  for (const act of ['claim', 'release', 'decision']) {
    expect((await api.post(`/reviews/${customer.customerId}/${act}`, {})).status).toBe(404)
  }
})

test('only the claimant of a review can decide it until the claim is released', async () => {
  const customer = await customerInReview(api)
  const other = { apiKey: await keyWith(['reviews:read', 'reviews:write']) }
  const act = (name: 'claim' | 'release', options = {}, body?: object) =>
    api.post(`/reviews/${customer.customerId}/${name}`, body, options)
  const claimed = (await act('claim')).body
  const minutesLeft = (Date.parse(claimed.claimedUntil ?? '') - Date.now()) / 60_000
  expect(minutesLeft).toBeGreaterThan(28)
  expect(minutesLeft).toBeLessThan(31)
  expect(await act('claim', other)).toMatchObject(conflict)
  expect(await act('release', other)).toMatchObject(conflict)
  expect(await decideReview(api, customer, { decision: 'APPROVE' }, other)).toMatchObject(conflict)
  const longer = (await act('claim', {}, { minutes: 480 })).body
  expect(Date.parse(longer.claimedUntil ?? '')).toBeGreaterThan(Date.parse(claimed.claimedUntil ?? ''))
  expect((await act('release')).body).not.toHaveProperty('claimedBy')
  expect((await act('release')).status).toBe(200)
  expect((await act('claim', other)).body.claimedBy).not.toBe(claimed.claimedBy)
  expect((await decideReview(api, customer, { decision: 'APPROVE' }, other)).status).toBe(200)
  expect(await act('claim', other)).toMatchObject(conflict)
})

test('an expired claim can be taken over; claims expire by real time', async () => {
  const customer = await customerInReview(api)
  const other = { apiKey: await keyWith(['reviews:write']) }
  await api.post(`/reviews/${customer.customerId}/claim`)
  await api.post('/sandbox/clock', { advance: 'P1D' })
  expect(await api.post(`/reviews/${customer.customerId}/claim`, {}, other)).toMatchObject(conflict)
  await api.app.database.query({
    text: `update svc.reviews set claimed_until = clock_timestamp() where customer_id = $1`,
    values: [customer.customerId],
  })
  expect(await readReview(api, customer)).not.toHaveProperty('claimedBy')
  expect((await api.post(`/reviews/${customer.customerId}/claim`, {}, other)).status).toBe(200)
})

test('of many concurrent claims, one succeeds', async () => {
  const customer = await customerInReview(api)
  const keys = await Promise.all(Array.from({ length: 12 }, () => keyWith(['reviews:write'])))
  const answers = await Promise.all(
    keys.map((apiKey) => api.post(`/reviews/${customer.customerId}/claim`, {}, { apiKey })),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 11 }, () => 409)])
})

test('the list is oldest first, in pages, and by status', async () => {
  const customers = [await customerInReview(api), await customerInReview(api), await customerInReview(api)]
  const wanted = customers.map(({ customerId }) => customerId)
  const seen: string[] = []
  let token = ''
  do {
    const page = await listReviews(api, `pageSize=2&pageToken=${token}`)
    seen.push(...page.reviews.map(({ customerId }) => customerId))
    token = page.nextPageToken
  } while (token)
  expect(seen.slice(-3)).toEqual(wanted)
  expect(new Set(seen).size).toBe(seen.length)
  await decideReview(api, first(customers), { decision: 'APPROVE' })
  const open = await listReviews(api, `customerId=${wanted[0]}`)
  expect(open.reviews).toEqual([])
  const decided = await listReviews(api, `status=DECIDED&customerId=${wanted[0]}`)
  expect(decided.reviews).toMatchObject([{ decision: 'APPROVE' }])
  expect((await api.get(`/reviews?status=OPEN&pageToken=${token || 'x'}`)).status).toBe(400)
})

test('after three business days a review is late, in its answer and in the metrics', async () => {
  const customer = await customerInReview(api)
  const { openedAt, dueAt } = await readReview(api, customer)
  expect(Date.parse(dueAt) - Date.parse(openedAt)).toBeGreaterThanOrEqual(3 * 86_400_000)
  await api.post('/sandbox/clock', { advance: 'P7D' })
  expect((await readReview(api, customer)).isLate).toBe(true)
  const metrics = (await api.get('/metrics')).body
  expect(metrics).toMatch(/svc_verifications_waiting\{kind="manual",promise="late"\} [1-9]/)
  await decideReview(api, customer, { decision: 'APPROVE' })
  expect(await readReview(api, customer)).toMatchObject({ isLate: true, reviewStatus: 'DECIDED' })
})

test('all invariants hold', async () => {
  const { checks } = await api.app.verify()
  expect(checks.filter((check) => !check.ok)).toEqual([])
})
