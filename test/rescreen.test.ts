import { expect, test } from 'vitest'
import { makeRescreenService } from '../src/reviews/rescreen-service.ts'
import { startApi } from './support/api.ts'
import { activeCustomer, isBlocked } from './support/reviews.ts'

const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '3600' })

/** A rescreen that waits in the middle until it is told to go on. */
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
  const hit = { listVersion: 1, entryNumber: '306', listedName: 'EXAMPLE, Ada', score: 92, reasons: [] }
  const rescreening = makeRescreenService({
    ...api.app,
    watchList: {
      currentVersion: async () => 1,
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

test('a worker that lost its lease in the middle writes nothing, and whoever took over writes it once', async () => {
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
