import type { Config } from '../../config.ts'
import type { AddressLimits } from '../../lib/settings/server.ts'

/** The least of SVC_BODY_BYTES_IN_FLIGHT: each process must be able to hold the largest body. */
const leastBodyBytes = 105_000_000

const addressLimits: Record<keyof AddressLimits, string> = {
  failedAuthenticationsPerMinute: 'SVC_RATE_LIMIT_FAILED_AUTHENTICATION',
  formRequestsPerMinute: 'SVC_RATE_LIMIT_FORMS',
  publicRequestsPerMinute: 'SVC_RATE_LIMIT_PUBLIC',
}

/** Divides the limits that each process counts in its memory, so that all together allow what one process would. */
export function shareLimits(config: Config): Config {
  const share = (limit: number) => Math.ceil(limit / config.processes)
  return {
    ...config,
    failedAuthenticationsPerMinute: share(config.failedAuthenticationsPerMinute),
    formRequestsPerMinute: share(config.formRequestsPerMinute),
    publicRequestsPerMinute: share(config.publicRequestsPerMinute),
    bodyBytesInFlight: Math.max(leastBodyBytes, share(config.bodyBytesInFlight)),
  }
}

/** A setting that the processes exceed together, because the share of each has a least value. */
export type ExceededLimit = { setting: string; value: number; allowed: number }

export function listExceededLimits(config: Config): ExceededLimit[] {
  const { processes, bodyBytesInFlight } = config
  const shared = shareLimits(config)
  const limits = Object.entries(addressLimits)
    .map(([name, setting]) => ({ setting, value: config[name as keyof AddressLimits] }))
    // A limit that is rounded up exceeds itself by less than one request of each process.
    .filter(({ value }) => value > 0 && value < processes)
    .map((limit) => ({ ...limit, allowed: processes }))
  const allowed = processes * shared.bodyBytesInFlight
  if (bodyBytesInFlight / processes < leastBodyBytes)
    limits.push({ setting: 'SVC_BODY_BYTES_IN_FLIGHT', value: bodyBytesInFlight, allowed })
  return limits
}
