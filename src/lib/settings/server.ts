import type { settingsOf } from '../settings.ts'

export type Certificate = { certificateFile: string; keyFile: string }

/** Reads the files of a certificate: both or none. */
export function readTls({
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
export function readRateLimits(
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

export function readAddressLimits(
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
