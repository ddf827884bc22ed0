import { afterAll, expect, test } from 'vitest'
import { createRescreenService } from '../../../src/reviews/rescreen.ts'
import type { ScreenedName, ScreeningMatch } from '../../../src/screening/screening.ts'
import { type Customer, eventsOf, readCustomer } from '../../support/customers/customers.ts'
import {
  activeCustomer,
  decideReview,
  isBlocked,
  listReviews,
  readReview,
  sandboxDecide,
} from '../../support/customers/reviews.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '3600', SVC_RATE_LIMIT_SANDBOX: '0' })
const worker = await api.app.startWorker()
afterAll(() => worker.stop())
const { database, customers, reviews, verification } = api.app
const conflict = { status: 409, body: { error: 'CONFLICT' } }

/** Creates a list of the given last names. */
function createList() {
  const list = {
    version: 1,
    entries: new Map<string, Partial<ScreeningMatch>>(),
    asked: [] as ScreenedName[],
    failures: 0,
  }
  const hitOf = ({ name, field }: ScreenedName): ScreeningMatch[] => {
    const entry = [...list.entries].find(([listed]) => name.includes(listed))
    const place = { list: 'ofac-sdn', programs: [], listVersion: list.version }
    const base = { ...place, entryNumber: '306', listedName: 'LISTED, Ada', score: 92 }
    const hit = { ...base, strength: 'possible' as const, reasons: ['one letter differs'], ...(field ? { field } : {}) }
    return entry ? [{ ...hit, ...entry[1] }] : []
  }
  const rescreening = createRescreenService({
    database,
    customers,
    reviews,
    findWallets: async () => [],
    watchList: {
      currentVersion: async () => list.version,
      screenAddresses: async () => [],
      screenDocuments: async () => [],
      screen: async (parties) => {
        list.asked.push(...parties)
        return parties.flatMap(hitOf)
      },
    },
    onFailure: () => {
      list.failures += 1
    },
  })
  const rescreenAll = async () => {
    while ((await rescreening.rescreenDue(50, 30_000)) > 0);
  }
  return { list, rescreening, rescreenAll }
}

/** Counts events, including those not sequenced yet. */
async function countEvents({ customerId }: Customer): Promise<number> {
  const text = 'select count(*)::int as told from svc.events where resource_id = $1'
  const [row] = await database.query<{ told: number }>({ text, values: [customerId] })
  return row?.told ?? 0
}

let names = 0
const uniqueName = () => `Quillfeather${++names}`

test('a match of a served customer opens a review and blocks payments, invisibly to the customer', async () => {
  const name = uniqueName()
  const customer = await activeCustomer(api, { legalLastName: name, dateOfBirth: '1990-05-17' })
  const { list, rescreenAll } = createList()
  await rescreenAll()
  expect(await isBlocked(api, customer)).toBe(false)
  expect(list.asked).toContainEqual({
    kind: 'INDIVIDUAL',
    name: `Ada ${name}`,
    dateOfBirth: '1990-05-17',
    field: 'kycData.legalLastName',
  })
  const before = await readCustomer(api, customer, '?includePaymentMethods=true')
  const toldBefore = await countEvents(customer)

  list.version = 2
  list.entries.set(name, {})
  await rescreenAll()
  expect(await isBlocked(api, customer)).toBe(true)
  expect(await verification.findBlocked(asTx(database), customer.organizationId, [customer.customerId])).toEqual(
    new Set([customer.customerId]),
  )
  const review = await readReview(api, customer)
  expect(review).toMatchObject({
    reason: 'WATCH_LIST_HIT',
    reviewStatus: 'OPEN',
    customerStatus: 'ACTIVE',
    findings: [
      {
        code: 'AML_WARNING',
        field: 'kycData.legalLastName',
        watchList: {
          listVersion: 2,
          entryNumber: '306',
          listedName: 'LISTED, Ada',
          score: 92,
          strength: 'possible',
          reasons: ['one letter differs'],
        },
      },
    ],
  })
  expect(JSON.stringify(review)).not.toContain(name)
  expect(await readCustomer(api, customer, '?includePaymentMethods=true')).toEqual(before)
  expect(await countEvents(customer)).toBe(toldBefore)
  expect(list.failures).toBe(0)
})

test('a cleared match unblocks without an event, and the same entry of a newer list opens no review', async () => {
  const name = uniqueName()
  const customer = await activeCustomer(api, { legalLastName: name })
  const before = await readCustomer(api, customer)
  const toldBefore = await countEvents(customer)
  const { list, rescreenAll } = createList()
  list.entries.set(name, {})
  list.version = 3
  await rescreenAll()
  expect(await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: ['MISSING_NAME'] })).toMatchObject(
    conflict,
  )
  expect((await decideReview(api, customer, { decision: 'APPROVE' })).status).toBe(200)
  expect(await isBlocked(api, customer)).toBe(false)
  expect(await readCustomer(api, customer)).toEqual(before)
  expect(await countEvents(customer)).toBe(toldBefore)

  list.version = 4
  list.entries.set(name, { score: 90 })
  await rescreenAll()
  expect(await isBlocked(api, customer)).toBe(false)

  list.version = 5
  list.entries.set(name, { listedName: 'LISTED, Ada May', strength: 'match' })
  await rescreenAll()
  expect(await isBlocked(api, customer)).toBe(true)
  expect(await readReview(api, customer)).toMatchObject({ findings: [{ code: 'AML_MATCH' }] })
})

test('a confirmed match rejects the customer with an event, and payments stay blocked', async () => {
  const name = uniqueName()
  const customer = await activeCustomer(api, { legalLastName: name })
  const { list, rescreenAll } = createList()
  list.entries.set(name, { strength: 'match' })
  list.version = 6
  await rescreenAll()
  const decided = (await decideReview(api, customer, { decision: 'REJECT', issues: ['AML_MATCH'] })).body
  expect(decided).toMatchObject({ customerStatus: 'REJECTED', decision: 'REJECT' })
  await expect.poll(async () => (await eventsOf(api, customer)).at(-1)).toBe('customer.updated REJECTED')
  expect(await isBlocked(api, customer)).toBe(true)
  list.version = 7
  await rescreenAll()
  expect((await listReviews(api, `customerId=${customer.customerId}`)).reviews).toEqual([])
})

test('a deactivated customer is screened too, and stays blocked for good after a confirmed match', async () => {
  const name = uniqueName()
  const customer = await activeCustomer(api, { legalLastName: name })
  await api.post(`/customers/${customer.customerId}/deactivate`, { reason: 'Asked to' })
  const { list, rescreenAll } = createList()
  list.entries.set(name, {})
  list.version = 8
  await rescreenAll()
  expect(await isBlocked(api, customer)).toBe(true)
  expect((await decideReview(api, customer, { decision: 'REJECT' })).status).toBe(200)
  expect((await readCustomer(api, customer)).customerStatus).toBe('DEACTIVATED')
  await api.post(`/customers/${customer.customerId}/reactivate`, { reason: 'A customer again' })
  expect((await readCustomer(api, customer)).customerStatus).toBe('ACTIVE')
  expect(await isBlocked(api, customer)).toBe(true)
})

test('a later finding joins the open review, and decisions on the old version are refused', async () => {
  const name = uniqueName()
  const customer = await activeCustomer(api, { legalLastName: name })
  const { list, rescreenAll } = createList()
  list.entries.set(name, {})
  list.version = 9
  await rescreenAll()
  const first = await readReview(api, customer)
  list.entries.set(name, { entryNumber: '307' })
  list.version = 10
  await rescreenAll()
  const second = await readReview(api, customer)
  expect(second).toMatchObject({ reviewId: first.reviewId, version: first.version + 1, findings: { length: 2 } })
  const stale = { decision: 'APPROVE', version: first.version }
  expect(await decideReview(api, customer, stale)).toMatchObject(conflict)
  expect(await isBlocked(api, customer)).toBe(true)
  expect((await decideReview(api, customer, { ...stale, version: second.version })).status).toBe(200)
})

test('a customer approved despite a match is not blocked by the same match', async () => {
  const name = uniqueName()
  const customer = await activeCustomer(api, { legalLastName: name })
  const { list, rescreenAll } = createList()
  list.entries.set(name, {})
  list.version = 11
  // As the checks would have recorded it at the submission.
  const [hit] = await screenedAs(list.version)
  await database.query({
    text: `insert into svc.reviews (organization_id, customer_id, review_id, version, reason, submission, status, findings,
             opened_at, decision, decided_at, decided_by)
           values ($1, $2, gen_random_uuid(), 1, 'MANUAL_SUBMISSION', 1, 'DECIDED', $3, svc.now(), 'APPROVE', svc.now(), 'x')`,
    values: [customer.organizationId, customer.customerId, JSON.stringify([hit])],
  })
  await rescreenAll()
  expect(await isBlocked(api, customer)).toBe(false)
})

async function screenedAs(listVersion: number) {
  const place = { list: 'ofac-sdn', programs: [], listVersion, entryNumber: '306' }
  const entry = { ...place, listedName: 'LISTED, Ada', score: 92, strength: 'possible' }
  return [
    { code: 'AML_WARNING', leadsTo: 'review', field: 'kycData.legalLastName', watchList: { ...entry, reasons: [] } },
  ]
}

test.each(['sealed_identity', 'sealed_profile'])(
  'a customer whose %s cannot be opened does not delay the others',
  async (column) => {
    const broken = await activeCustomer(api, { legalLastName: uniqueName() })
    const name = uniqueName()
    const customer = await activeCustomer(api, { legalLastName: name })
    await database.query({
      text: `update svc.customers set ${column} = 'x' where customer_id = $1`,
      values: [broken.customerId],
    })
    const { list, rescreenAll, rescreening } = createList()
    list.entries.set(name, {})
    list.version = column === 'sealed_identity' ? 12 : 13
    await rescreenAll()
    expect(list.failures).toBe(1)
    expect(await isBlocked(api, customer)).toBe(true)
    expect(await rescreening.countUnscreened()).toBe(1)
    await database.query({
      text: `update svc.screenings set screened_version = 1000 where customer_id = $1`,
      values: [broken.customerId],
    })
  },
)

test('in the sandbox a match needs no list', async () => {
  const customer = await activeCustomer(api)
  const before = await readCustomer(api, customer)
  const waiting = await verification.countWaiting()
  expect((await sandboxDecide(api, customer, { outcome: 'REVIEW' })).body).toEqual(before)
  expect((await verification.countWaiting())?.manual).toBe((waiting?.manual ?? 0) + 1)
  expect(await isBlocked(api, customer)).toBe(true)
  expect(await readReview(api, customer)).toMatchObject({ reason: 'WATCH_LIST_HIT', findings: [{ code: 'AML_MATCH' }] })
  expect((await sandboxDecide(api, customer, { outcome: 'REJECT' })).status).toBe(200)
  expect(await readReview(api, customer)).toMatchObject({ reviewStatus: 'DECIDED', customerStatus: 'REJECTED' })
  expect(await isBlocked(api, customer)).toBe(true)
})

test('all invariants hold', async () => {
  const { checks } = await api.app.verify()
  expect(checks.filter((check) => !check.ok)).toEqual([])
})
