import { expect, test } from 'vitest'
import { createRescreenService } from '../../../src/reviews/rescreen.ts'
import { activeCustomer, decideReview, isBlocked, readReview, sandboxDecide } from '../../support/customers/reviews.ts'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '3600' })

/** A rescreen that pauses in the middle until the test releases it. */
function startHanging(leaseMs: number) {
  let release = () => {}
  let arrived = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const inside = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const failures: unknown[] = []
  const hit = {
    list: 'ofac-sdn',
    programs: [],
    listVersion: 1,
    entryNumber: '306',
    listedName: 'EXAMPLE, Ada',
    score: 92,
    reasons: [],
  }
  const rescreening = createRescreenService({
    ...api.app,
    watchList: {
      currentVersion: async () => 1,
      screenAddresses: async () => [],
      screenDocuments: async () => [],
      screen: async () => {
        arrived()
        await held
        return [{ ...hit, strength: 'possible' }]
      },
    },
    onFailure: (error) => failures.push(error),
  })
  const done = rescreening.rescreenDue(1, leaseMs)
  return { release, inside, done, failures, rescreening }
}

test('a rescreen worker that lost its lease writes nothing, and its successor writes the result once', async () => {
  const customer = await activeCustomer(api)
  const late = startHanging(0)
  await late.inside
  const successor = startHanging(60_000)
  await successor.inside
  late.release()
  await late.done
  expect([await isBlocked(api, customer), await late.rescreening.countUnscreened()]).toEqual([false, 1])
  successor.release()
  await successor.done
  expect([...late.failures, ...successor.failures]).toEqual([])
  expect([await isBlocked(api, customer), await late.rescreening.countUnscreened()]).toEqual([true, 0])
})

test('a customer under review cannot be erased; a later erasure removes the reasons and keeps the decision', async () => {
  const customer = await activeCustomer(api)
  await sandboxDecide(api, customer, { outcome: 'REVIEW' })
  await api.post(`/customers/${customer.customerId}/deactivate`, { reason: 'Ada asked to leave' })
  const erase = () => api.post(`/customers/${customer.customerId}/erase`)
  expect(await erase()).toMatchObject({ status: 409, body: { error: 'CONFLICT' } })
  await decideReview(api, customer, { decision: 'APPROVE', reason: 'Ada is another person' })
  expect((await readReview(api, customer)).notes).toMatchObject([
    { act: 'review.decided', text: 'Ada is another person' },
    { act: 'customer.deactivated', text: 'Ada asked to leave' },
  ])
  expect((await erase()).status).toBe(200)
  expect(await readReview(api, customer)).toMatchObject({ reviewStatus: 'DECIDED', decision: 'APPROVE', notes: [] })
  // The name is erased, so there is nothing to screen.
  const successor = startHanging(60_000)
  await successor.done
  expect(await successor.rescreening.countUnscreened()).toBe(0)
})
