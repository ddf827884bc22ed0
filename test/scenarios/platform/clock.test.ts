import { expect, test } from 'vitest'
import { createKey, startApi } from '../../support/runner/api.ts'

const api = await startApi()
const move = async (body: object) => {
  const answer = await api.post('/sandbox/clock', body)
  expect(answer.status).toBe(200)
  return answer.body
}

test('business time freezes, advances exactly while frozen, and continues from there', async () => {
  const frozen = await move({ freeze: true })
  expect(frozen.frozen).toBe(true)
  expect((await api.get('/sandbox/clock')).body).toEqual(frozen)
  expect((await move({ freeze: true })).now).toBe(frozen.now)

  const later = await move({ advance: 'PT5M1S' })
  expect(Date.parse(later.now) - Date.parse(frozen.now)).toBe(301_000)

  const resumed = await move({ resume: true })
  expect(resumed.frozen).toBe(false)
  expect(Date.parse(resumed.now)).toBeGreaterThanOrEqual(Date.parse(later.now))
  expect(Date.parse(resumed.now) - Date.parse(later.now)).toBeLessThan(60_000)
})

test('business time advances while running, by calendar months too, and never backwards', async () => {
  const before = await move({ resume: true })
  const after = await move({ advance: 'P1M' })
  const aMonthLater = new Date(before.now)
  aMonthLater.setUTCMonth(aMonthLater.getUTCMonth() + 1)
  expect(Math.abs(Date.parse(after.now) - aMonthLater.getTime())).toBeLessThan(60_000)
  expect((await move({ resume: true })).now >= after.now).toBe(true)
})

test('credentials expire by real time, not business time', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const key = await createKey(api, { name: 'An hour', scopes: ['organizations:read'], expiresAt: soon })
  await move({ advance: 'P1Y' })
  expect((await api.get('/organizations', key)).status).toBe(200)
})

test.each([
  [{}, /exactly one/],
  [{ freeze: true, resume: true }, /exactly one/],
  [{ freeze: false }, /^freeze must be true/],
  [{ advance: '5 minutes' }, /^advance must be an ISO 8601 duration/],
  [{ advance: '-PT5M' }, /^advance /],
  [{ advance: 'P999999999Y' }, /^advance must not go past/],
  [{ advance: 'P990Y' }, /^advance must not go past/],
  [{ advance: 5 }, /^advance must be a string/],
] as const)('%o is refused and changes nothing', async (body, message) => {
  const frozen = await move({ freeze: true })
  const answer = await api.post('/sandbox/clock', body)
  expect(answer.status).toBe(400)
  expect(answer.body.message).toMatch(message)
  expect((await api.get('/sandbox/clock')).body).toEqual(frozen)
})
