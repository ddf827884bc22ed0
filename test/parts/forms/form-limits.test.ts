import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLimits } from '../../../src/forms/hosting/session-wire.ts'
import type { PageRequest } from '../../../src/http/pages/page.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const request = { address: '192.0.2.1' } as PageRequest

/** Sends requests evenly for some minutes, and counts those that are let through. */
function countPassed({ limitRate }: ReturnType<typeof createLimits>, perMinute: number, minutes: number): number {
  const startMs = Date.now()
  return Array.from({ length: perMinute * minutes }, (_, at) => {
    vi.setSystemTime(startMs + Math.round((at * 60_000) / perMinute))
    return passes(limitRate)
  }).filter(Boolean).length
}

function passes(limitRate: (request: PageRequest) => void): boolean {
  try {
    limitRate(request)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'RATE_LIMITED' })
    return false
  }
}

test.each([606, 700, 1_200])('of %i requests a minute from one address, the limit of 600 gets through', (perMinute) => {
  const limits = createLimits({ requestsPerMinute: 600, failuresPerMinute: 600 })
  // The address uses up its saved requests.
  while (passes(limits.limitRate));
  const passed = countPassed(limits, perMinute, 10)
  expect(passed).toBeGreaterThan(5_900)
  expect(passed).toBeLessThanOrEqual(6_000)
})
