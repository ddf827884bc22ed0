import { isIP } from 'node:net'
import path from 'node:path'
import { ConfigError, nearest, settingsOf } from './lib/settings.ts'

/** Everything a deployment can set. This file is the only reader of the environment. */
export type Config = {
  environment: 'sandbox' | 'production'
  host: string
  /** Not set by the user: the next free port may be taken instead. */
  port: { number: number; isExplicit: boolean }
  publicUrl: string | undefined
  dataFolder: string
  databaseUrl: string | undefined
  databaseOwnerUrl: string | undefined
  masterKey: string | undefined
  masterKeyFile: string | undefined
  /** Keys that data may still be wrapped with while a new master key takes over. */
  previousMasterKeys: string[]
  /** Requests a minute of one organization, by tier; the sandbox has one figure for all. 0 is no limit. */
  requestsPerMinute: Record<'BUILDER' | 'STARTUP' | 'ENTERPRISE', number>
  failedAuthenticationsPerMinute: number
  tls: { certificateFile: string; keyFile: string } | undefined
  trustedProxies: string[]
  metricsAllowedAddresses: string[]
  /** A port of its own for /metrics and the health checks; also what a worker can be asked on. */
  metricsPort: number | undefined
  /** How long /readyz says no before the process stops taking requests, so that a load balancer notices. */
  drainDelayMs: number
  logLevel: string
  leaseMs: number
  /** Where documents are kept, sealed. */
  blobFolder: string
  /** Address of the hosted forms; the service's own address + /forms unless set. */
  formsUrl: string | undefined
  /** How long the sandbox takes to verify a customer. */
  verificationDelayMs: number
  /** Whether a webhook may name this machine, over plain http too. Never in production. */
  webhooksMayCallLoopback: boolean
  bodyBytesInFlight: number
  /** How long records of customers are kept after the matter ended, before they may be erased. */
  retentionDays: number
}

/** Marks keys that a sandbox made for itself; production never accepts one. */
export const sandboxKeyPrefix = 'svc_sandbox_key_'

const exampleKey = '$(openssl rand -base64 32)'
export function readConfig(env: Record<string, string | undefined>, cwd: string): Config {
  const { text, oneOf, integer, url, list, complain, problems, known } = settingsOf(env)
  const environment = oneOf('SVC_ENVIRONMENT', ['sandbox', 'production'] as const, 'sandbox')
  const certificateFile = text('SVC_TLS_CERT')
  const keyFile = text('SVC_TLS_KEY')
  if ((certificateFile === undefined) !== (keyFile === undefined)) {
    const missing = certificateFile ? 'SVC_TLS_KEY' : 'SVC_TLS_CERT'
    complain(missing, 'must be set together with its other half', '/etc/svc/tls.pem')
  }
  const config: Config = {
    environment,
    host: text('HOST') ?? (environment === 'sandbox' ? '127.0.0.1' : '0.0.0.0'),
    port: { number: integer('PORT', 8080, 0, 65_535), isExplicit: text('PORT') !== undefined },
    publicUrl: url('SVC_PUBLIC_URL', ['http:', 'https:'], 'https://pay.example.com')?.replace(/\/+$/, ''),
    dataFolder: path.resolve(cwd, text('SVC_DATA_DIR') ?? '.svc'),
    databaseUrl: url('DATABASE_URL', ['postgres:', 'postgresql:'], 'postgres://svc@localhost:5432/svc'),
    databaseOwnerUrl: url('DATABASE_OWNER_URL', ['postgres:', 'postgresql:'], 'postgres://owner@localhost:5432/svc'),
    masterKey: text('SVC_MASTER_KEY'),
    masterKeyFile: text('SVC_MASTER_KEY_FILE'),
    previousMasterKeys: list(
      'SVC_PREVIOUS_MASTER_KEYS',
      [],
      is32Bytes,
      `${exampleKey},${exampleKey}`,
      '32 bytes in base64',
    ),
    requestsPerMinute: readRateLimits(environment, integer),
    failedAuthenticationsPerMinute: integer(
      'SVC_RATE_LIMIT_FAILED_AUTHENTICATION',
      environment === 'sandbox' ? 600 : 30,
      0,
      1_000_000,
    ),
    tls: certificateFile && keyFile ? { certificateFile, keyFile } : undefined,
    trustedProxies: list('SVC_TRUSTED_PROXIES', [], isAddressRange, '10.0.0.0/8,127.0.0.1'),
    metricsAllowedAddresses: list('SVC_METRICS_ALLOWED_ADDRESSES', ['127.0.0.1', '::1'], isIP, '10.0.0.7,127.0.0.1'),
    metricsPort: text('SVC_METRICS_PORT') === undefined ? undefined : integer('SVC_METRICS_PORT', 9_464, 0, 65_535),
    drainDelayMs: integer('SVC_DRAIN_DELAY_MS', environment === 'sandbox' ? 0 : 5_000, 0, 600_000),
    logLevel: oneOf('SVC_LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent'] as const, 'info'),
    leaseMs: integer('SVC_LEASE_MS', 30_000, 100, 3_600_000),
    blobFolder: path.resolve(cwd, text('SVC_BLOB_DIR') ?? path.join(text('SVC_DATA_DIR') ?? '.svc', 'blobs')),
    formsUrl: url('SVC_FORMS_URL', ['http:', 'https:'], 'https://pay.example.com/forms')?.replace(/\/+$/, ''),
    verificationDelayMs:
      environment === 'sandbox' ? 1_000 * integer('SVC_SANDBOX_VERIFICATION_DELAY', 3, 0, 86_400) : 0,
    webhooksMayCallLoopback:
      oneOf('SVC_WEBHOOK_ALLOW_LOOPBACK', ['true', 'false'] as const, 'true') === 'true' && environment === 'sandbox',
    bodyBytesInFlight: integer('SVC_BODY_BYTES_IN_FLIGHT', 256 * 1024 * 1024, 105_000_000, 64 * 1024 ** 3),
    retentionDays: integer('SVC_RETENTION_DAYS', environment === 'sandbox' ? 0 : 1_825, 0, 36_500),
  }
  if (config.databaseOwnerUrl && !config.databaseUrl) {
    complain('DATABASE_URL', 'must be set when DATABASE_OWNER_URL is', 'postgres://svc@localhost:5432/svc')
  }
  checkMasterKey(config, complain)
  checkProduction(config, complain)
  for (const name of Object.keys(env)) {
    // A misspelt setting must not silently mean its default: SVC_ENVIROMENT=production would run a sandbox.
    if (!name.startsWith('SVC_') || known.has(name)) continue
    problems.push({ setting: name, problem: 'is not a setting of Svc', example: `${nearest(name, known)}=…` })
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function isAddressRange(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/')
  const widest = isIP(address) === 6 ? 128 : 32
  return isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= widest && rest.length === 0
}

type Complain = (setting: string, problem: string, example: string) => void

function readRateLimits(
  environment: Config['environment'],
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

function is32Bytes(text: string): boolean {
  return Buffer.from(text.replace(sandboxKeyPrefix, ''), 'base64').length === 32
}

function checkMasterKey(config: Config, complain: Complain): void {
  const { masterKey, masterKeyFile, environment } = config
  if (masterKey !== undefined && masterKeyFile !== undefined) {
    complain('SVC_MASTER_KEY_FILE', 'must not be set together with SVC_MASTER_KEY', '/run/secrets/svc-master-key')
  }
  if (environment === 'production' && config.previousMasterKeys.some((key) => key.startsWith(sandboxKeyPrefix))) {
    complain('SVC_PREVIOUS_MASTER_KEYS', 'has a key that was made by a sandbox', exampleKey)
  }
  if (masterKey === undefined) return
  if (environment === 'production' && masterKey.startsWith(sandboxKeyPrefix)) {
    complain('SVC_MASTER_KEY', 'was made by a sandbox and may not guard real money', exampleKey)
  } else if (!is32Bytes(masterKey)) {
    complain('SVC_MASTER_KEY', 'must be 32 bytes in base64', exampleKey)
  }
}

function checkProduction(config: Config, complain: Complain): void {
  if (config.environment !== 'production') return
  if (!config.databaseUrl) complain('DATABASE_URL', 'is required in production', 'postgres://svc@db.internal:5432/svc')
  if (!config.masterKey && !config.masterKeyFile) complain('SVC_MASTER_KEY', 'is required in production', exampleKey)
  if (!config.tls && config.trustedProxies.length === 0) {
    complain(
      'SVC_TLS_CERT',
      'production speaks HTTPS only: set it with SVC_TLS_KEY, or name SVC_TRUSTED_PROXIES',
      '/etc/svc/tls.pem',
    )
  }
  if (!config.publicUrl)
    complain('SVC_PUBLIC_URL', 'is required in production: links to forms begin with it', 'https://pay.example.com')
  if (config.publicUrl?.startsWith('http:')) {
    complain('SVC_PUBLIC_URL', 'must start with https:// in production', 'https://pay.example.com')
  }
}
