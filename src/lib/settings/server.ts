import type { settingsOf } from '../settings.ts'
import { isTooWideForProxies } from './safety.ts'

/** How a process listens, and whom it answers how often. */
export type ServerSettings = AddressLimits & {
  /** Rate limit of one organization by tier; the sandbox has one limit for all. 0 is no limit. */
  requestsPerMinute: Record<'BUILDER' | 'STARTUP' | 'ENTERPRISE', number>
  tls: Certificate | undefined
  trustedProxies: string[]
  metricsAllowedAddresses: string[]
  /** A separate port for /metrics and the health checks, in the API and the workers. */
  metricsPort: number | undefined
  /** The address on which that port listens. */
  metricsHost: string
  /** The time between "not ready" on /readyz and the last accepted request, for a load balancer to react. */
  drainDelayMs: number
}

const proxyRanges = 'addresses or ranges of at least /8 for IPv4 and /16 for IPv6'

export function readServer(
  environment: 'sandbox' | 'production',
  settings: ReturnType<typeof settingsOf>,
  isIP: IpVersionOf,
): ServerSettings {
  const { text, integer, list } = settings
  return {
    requestsPerMinute: readRateLimits(environment, integer),
    ...readAddressLimits(environment, integer),
    tls: readTls(settings),
    trustedProxies: list('SVC_TRUSTED_PROXIES', [], isProxyRangeBy(isIP), '10.0.0.0/8,127.0.0.1', proxyRanges),
    metricsAllowedAddresses: list('SVC_METRICS_ALLOWED_ADDRESSES', ['127.0.0.1', '::1'], isIP, '10.0.0.7,127.0.0.1'),
    metricsPort: text('SVC_METRICS_PORT') === undefined ? undefined : integer('SVC_METRICS_PORT', 9_464, 0, 65_535),
    metricsHost: text('SVC_METRICS_HOST') ?? readHost(environment, settings),
    drainDelayMs: integer('SVC_DRAIN_DELAY_MS', environment === 'sandbox' ? 0 : 5_000, 0, 600_000),
  }
}

/** Reads the address to listen on. A sandbox is for its own machine. */
export function readHost(
  environment: 'sandbox' | 'production',
  { text }: Pick<ReturnType<typeof settingsOf>, 'text'>,
): string {
  return text('HOST') ?? (environment === 'sandbox' ? '127.0.0.1' : '0.0.0.0')
}

/** Tells whether a text is an address of version 4 or 6; 0 for any other text. */
type IpVersionOf = (text: string) => number

function isProxyRangeBy(isIP: IpVersionOf): (text: string) => boolean {
  return (text) => {
    const [address = '', bits = '0', ...rest] = text.split('/')
    const widest = isIP(address) === 6 ? 128 : 32
    const isRange = isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= widest && rest.length === 0
    return isRange && !isTooWideForProxies(text)
  }
}

/** How much a process takes at the same time. */
export type ServingSettings = {
  /** The number of API processes that share the port. */
  processes: number
  bodyBytesInFlight: number
  /** The least speed of a request body; 0 is no limit. */
  leastUploadBytesPerSecond: number
}

export function readServing({ integer }: ReturnType<typeof settingsOf>): ServingSettings {
  return {
    processes: integer('SVC_PROCESSES', 1, 1, 64),
    bodyBytesInFlight: integer('SVC_BODY_BYTES_IN_FLIGHT', 256 * 1024 * 1024, 105_000_000, 64 * 1024 ** 3),
    leastUploadBytesPerSecond: integer('SVC_LEAST_UPLOAD_BYTES_PER_SECOND', 4_096, 0, 1_000_000),
  }
}

export type Certificate = { certificateFile: string; keyFile: string }

/** Reads the files of a certificate: both or none. */
function readTls({
  text,
  complain,
}: Pick<ReturnType<typeof settingsOf>, 'text' | 'complain'>): Certificate | undefined {
  const [certificateFile, keyFile] = [text('SVC_TLS_CERT'), text('SVC_TLS_KEY')]
  if (certificateFile && keyFile) return { certificateFile, keyFile }
  if (certificateFile) complain('SVC_TLS_KEY', 'must be set together with SVC_TLS_CERT', '/etc/svc/tls.pem')
  if (keyFile) complain('SVC_TLS_CERT', 'must be set together with SVC_TLS_KEY', '/etc/svc/tls.pem')
  return undefined
}

/** Reads the limits of requests. The sandbox has one for all tiers. */
function readRateLimits(
  environment: 'sandbox' | 'production',
  integer: (name: string, otherwise: number, least: number, most: number) => number,
) {
  const most = 10_000_000
  const sandbox = integer('SVC_RATE_LIMIT_SANDBOX', 6_000, 0, most)
  const production = {
    BUILDER: integer('SVC_RATE_LIMIT_BUILDER', 600, 0, most),
    STARTUP: integer('SVC_RATE_LIMIT_STARTUP', 3_000, 0, most),
    ENTERPRISE: integer('SVC_RATE_LIMIT_ENTERPRISE', 30_000, 0, most),
  }
  return environment === 'sandbox' ? { BUILDER: sandbox, STARTUP: sandbox, ENTERPRISE: sandbox } : production
}

/** Limits by the address of a client, per minute. 0 is no limit. */
export type AddressLimits = {
  failedAuthenticationsPerMinute: number
  formRequestsPerMinute: number
  publicRequestsPerMinute: number
}

function readAddressLimits(
  environment: 'sandbox' | 'production',
  integer: ReturnType<typeof settingsOf>['integer'],
): AddressLimits {
  const most = 1_000_000
  const isSandbox = environment === 'sandbox'
  return {
    failedAuthenticationsPerMinute: integer('SVC_RATE_LIMIT_FAILED_AUTHENTICATION', isSandbox ? 600 : 30, 0, most),
    publicRequestsPerMinute: integer('SVC_RATE_LIMIT_PUBLIC', isSandbox ? 6_000 : 600, 0, most),
    formRequestsPerMinute: integer('SVC_RATE_LIMIT_FORMS', isSandbox ? 6_000 : 600, 0, most),
  }
}
