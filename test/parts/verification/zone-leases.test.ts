import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { closeReview, openSubmissionReview } from '../../../src/reviews/submission-store.ts'
import type { ZoneReader } from '../../../src/verification/read-zones.ts'
import { createVerificationService } from '../../../src/verification/service.ts'
import { makeApplicant } from '../../support/customers/applicants.ts'
import { createCustomer, patchCustomer, readCustomer } from '../../support/customers/customers.ts'
import { makePassportJpeg } from '../../support/customers/passport-pictures.ts'
import { startApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'
import { makeFolder } from '../../support/runner/folder.ts'

/** Two workers, while the documents of a submission are read for longer than a lease. */
const { folder, remove } = await makeFolder('svc zone leases ')
afterAll(remove)
const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_BLOB_DIR: folder })
const owner = openDatabase({ connection: api.database.owner })
afterAll(owner.close)

function makeWorker(readZone: ZoneReader) {
  const outcomes: string[] = []
  const failures: unknown[] = []
  const { database, customers, screening } = api.app
  const { advanceDue } = createVerificationService({
    database,
    customers,
    screening,
    readZone,
    findWallets: async () => [],
    reviews: { open: openSubmissionReview, close: closeReview },
    identityKey: Buffer.alloc(32, 1),
    hasMagicNames: false,
    documentPolicy: { mustBePlausible: false, mayApprove: true },
    asksProvider: false,
    onDecided: (outcome) => outcomes.push(outcome),
    onFailure: (error) => failures.push(error),
  })
  return { advance: (leaseMs: number) => advanceDue(5, leaseMs), outcomes, failures }
}

/** A worker that reads a picture until it is told to end. */
function makeSlowWorker() {
  const began = Promise.withResolvers<void>()
  const read = Promise.withResolvers<undefined>()
  const worker = makeWorker(() => {
    began.resolve()
    return read.promise
  })
  return { ...worker, began: began.promise, endReading: () => read.resolve(undefined) }
}

async function submitPassport() {
  const applicant = makeApplicant()
  const passport = first(applicant.documents)
  const { legalLastName: lastName = '', legalFirstName: firstName = '', dateOfBirth = '' } = applicant
  const jpeg = await makePassportJpeg({ ...passport, country: 'USA', lastName, firstName, dateOfBirth })
  const frontIdImage = `data:image/jpeg;base64,${jpeg.toString('base64')}`
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: { ...applicant, documents: [{ ...passport, frontIdImage }] } })
  return customer
}

const leaseOf = async ({ customerId }: { customerId: string }) => {
  const text = 'select lease_until as until from svc.submissions where customer_id = $1'
  return first(await owner.query<{ until: Date | null }>({ text, values: [customerId] })).until?.getTime() ?? 0
}

test('the lease is renewed while documents are read, and no other worker claims the submission', async () => {
  const leaseMs = 300
  const customer = await submitPassport()
  const slow = makeSlowWorker()
  const other = makeWorker(async () => undefined)
  const work = slow.advance(leaseMs)
  await slow.began
  const before = await leaseOf(customer)
  await eventually(async () => expect(await leaseOf(customer)).toBeGreaterThan(before + 2 * leaseMs))
  expect(await other.advance(leaseMs)).toBe(0)
  slow.endReading()
  await work
  expect([slow.outcomes, slow.failures]).toEqual([['approve'], []])
  expect(await readCustomer(api, customer)).toMatchObject({ customerStatus: 'ACTIVE' })
})

test('a worker that lost its lease while it read changes nothing', async () => {
  const leaseMs = 60_000
  const customer = await submitPassport()
  const slow = makeSlowWorker()
  const other = makeWorker(async () => undefined)
  const work = slow.advance(leaseMs)
  await slow.began
  await owner.query({ text: `update svc.submissions set lease_until = clock_timestamp() - interval '1 second'` })
  expect(await other.advance(leaseMs)).toBe(1)
  const active = await readCustomer(api, customer)
  expect(active).toMatchObject({ customerStatus: 'ACTIVE' })
  slow.endReading()
  await work
  expect([other.outcomes, slow.outcomes, slow.failures]).toEqual([['approve'], [], []])
  expect(await readCustomer(api, customer)).toEqual(active)
})
