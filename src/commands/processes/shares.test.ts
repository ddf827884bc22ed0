import { expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { listExceededLimits, shareLimits } from './shares.ts'

const limits = { SVC_RATE_LIMIT_PUBLIC: '600', SVC_RATE_LIMIT_FAILED_AUTHENTICATION: '3', SVC_RATE_LIMIT_FORMS: '0' }

function read(settings: Record<string, string>) {
  return readConfig({ ...limits, ...settings }, '/srv/svc')
}

test('each process has its share of a limit, and no limit stays none', () => {
  expect(shareLimits(read({ SVC_PROCESSES: '7' }))).toMatchObject({
    publicRequestsPerMinute: 86,
    failedAuthenticationsPerMinute: 1,
    formRequestsPerMinute: 0,
    bodyBytesInFlight: 105_000_000,
  })
})

test('limits that the processes exceed together are named with what they allow', () => {
  expect(listExceededLimits(read({ SVC_PROCESSES: '2' }))).toEqual([])
  expect(listExceededLimits(read({ SVC_PROCESSES: '4' }))).toEqual([
    { setting: 'SVC_RATE_LIMIT_FAILED_AUTHENTICATION', value: 3, allowed: 4 },
    { setting: 'SVC_BODY_BYTES_IN_FLIGHT', value: 268_435_456, allowed: 420_000_000 },
  ])
  const room = { SVC_BODY_BYTES_IN_FLIGHT: '420000000', SVC_RATE_LIMIT_FAILED_AUTHENTICATION: '4' }
  expect(listExceededLimits(read({ SVC_PROCESSES: '4', ...room }))).toEqual([])
})
