import { isIP } from 'node:net'
import path from 'node:path'
import { bankCalendars } from './catalog/banking-days.ts'
import type { EvmNetwork } from './catalog/chain-ids.ts'
import { gasFacts, nodeFacts, solanaFacts } from './catalog/gas.ts'
import { isPaymentMethod, type PaymentMethod, paymentMethodNames } from './catalog/payment-methods.ts'
import { type AuditAnchor, readAuditAnchor } from './lib/settings/audit.ts'
import { type BankFilesConfig, readBankFiles } from './lib/settings/bank.ts'
import {
  type ChainSettings,
  type LocalChainsConfig,
  noLocalChains,
  readChainSettings,
  readLocalChains,
} from './lib/settings/chains.ts'
import { checkMasterKey, checkSignerKey, exampleKey, is32Bytes } from './lib/settings/keys.ts'
import { readProvider, type VerificationProvider } from './lib/settings/provider.ts'
import { checkDatabaseTls, containsEveryAddress } from './lib/settings/safety.ts'
import type { AddressLimits, Certificate } from './lib/settings/server.ts'
import { readAddressLimits, readRateLimits, readTls } from './lib/settings/server.ts'
import { readSigningSettings, type SigningSettings } from './lib/settings/signing.ts'
import { ConfigError, nearest, settingsOf } from './lib/settings.ts'

/** Every setting of a deployment. This file is the only reader of the environment. */
export type Config = AddressLimits & {
  environment: 'sandbox' | 'production'
  host: string
  /** The port. Svc may use the next free one unless the setting names it. */
  port: { number: number; isExplicit: boolean }
  publicUrl: string | undefined
  dataFolder: string
  databaseUrl: string | undefined
  databaseOwnerUrl: string | undefined
  databaseSignerUrl: string | undefined
  /** False when the operator accepts a database without a checked certificate. */
  requiresDatabaseTls: boolean
  masterKey: string | undefined
  masterKeyFile: string | undefined
  /** Keys that may still wrap data during a rotation of the master key. */
  previousMasterKeys: string[]
  /** The key of the signer. Every other process refuses to start with it. */
  signerKey: string | undefined
  signerKeyFile: string | undefined
  /** The number of free wallet addresses of each kind that the signer keeps ready. */
  addressPoolSize: number
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
  logLevel: string
  leaseMs: number
  /** The age of the last success of a check of money at which payouts are halted: of recent postings, and of all. */
  checkAges: { quickSeconds: number; fullSeconds: number }
  /** The folder of the sealed documents. */
  blobFolder: string
  /** The address of the hosted forms; by default the service's own address + /forms. */
  formsUrl: string | undefined
  /** The delay of a verification in the sandbox. */
  verificationDelayMs: number
  verificationProvider: VerificationProvider | undefined
  /** Whether a match is cleared by a reviewer's key, or a key of the platform, alone. */
  reviewsNeedTwo: boolean
  /** The age at which a watch list is too old, and whether the operator accepts approvals and payouts without one. */
  watchLists: { maxAgeSeconds: number; acceptsUnscreened: boolean }
  /** True when our own checks of documents may approve a customer whom no outside provider has checked. */
  builtinDocumentChecksApprove: boolean
  /** Allows webhooks to this machine, over plain http too. Never in production. */
  webhooksMayCallLoopback: boolean
  /** The exchange of files with banks; undefined when the sandbox's bank is only simulated in memory. */
  bankFiles: BankFilesConfig | undefined
  /** The time that a sandbox bank or chain takes to pay, in business time. */
  sandboxPayoutDelaySeconds: number
  /** The opening balance of each sandbox bank account and treasury, in whole units. */
  sandboxLiquidity: number
  /** Sandbox: `local` runs EVM networks of its own, `memory` only simulates their transfers. */
  sandboxChains: 'local' | 'memory'
  /** The local chains. */
  localChains: LocalChainsConfig
  /** The nodes of the networks. */
  chains: ChainSettings<keyof typeof nodeFacts>
  /** The bounds within which the signer signs, and relayers pay for gas. */
  signing: SigningSettings<EvmNetwork>
  bodyBytesInFlight: number
  /** The rails and networks that this deployment offers. */
  paymentMethods: readonly PaymentMethod[]
  /** The sources of rates, in order of preference. */
  rateSources: ('fixed' | 'ecb' | 'kraken')[]
  ratesEveryMs: number
  ecbUrl: string
  krakenUrl: string
  /** The limits of guaranteed quotes between currencies, in whole dollars. */
  guarantees: { perTransactionUsd: number; perOrganizationUsd: number; windowSeconds: number }
  /** Business time until a balance rule runs again after a run that moved nothing. */
  ruleCoolDownSeconds: number
  /** The number of persons who must agree to a movement of own money. */
  treasuryApprovals: number
  /** How many auto fiat accounts an organization can open. */
  mostVirtualAccounts: number
  /** The place where heads of audit chains are kept outside the database. */
  auditAnchor: AuditAnchor | undefined
  /** The name of the person who runs a command. */
  operator: string | undefined
  /** The retention period of a customer's records after its last change of status. An erasure waits for its end. */
  retentionDays: number
}

const ecbRates = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml'
const krakenRates = 'https://api.kraken.com'

/**
 * The signer and all other processes hold different keys. Each refuses to start with the other's. Commands such as
 * `svc migrate` may have the owner's login, which processes that run for long must not.
 */
export type SettingsReader = 'service' | 'command' | 'signer'

export function readConfig(
  env: Record<string, string | undefined>,
  cwd: string,
  reader: SettingsReader = 'service',
): Config {
  const settings = settingsOf(env)
  const { text, oneOf, integer, url, list, complain, problems, known } = settings
  const environment = oneOf('SVC_ENVIRONMENT', ['sandbox', 'production'] as const, 'sandbox')
  const config: Config = {
    environment,
    host: text('HOST') ?? (environment === 'sandbox' ? '127.0.0.1' : '0.0.0.0'),
    port: { number: integer('PORT', 8080, 0, 65_535), isExplicit: text('PORT') !== undefined },
    publicUrl: url('SVC_PUBLIC_URL', ['http:', 'https:'], 'https://pay.example.com')?.replace(/\/+$/, ''),
    dataFolder: path.resolve(cwd, text('SVC_DATA_DIR') ?? '.svc'),
    ...readDatabase(settings),
    masterKey: text('SVC_MASTER_KEY'),
    masterKeyFile: text('SVC_MASTER_KEY_FILE'),
    previousMasterKeys: list(
      'SVC_PREVIOUS_MASTER_KEYS',
      [],
      is32Bytes,
      `${exampleKey},${exampleKey}`,
      '32 bytes in base64',
    ),
    signerKey: text('SVC_SIGNER_KEY'),
    signerKeyFile: text('SVC_SIGNER_KEY_FILE'),
    addressPoolSize: integer('SVC_ADDRESS_POOL_SIZE', 200, 1, 100_000),
    requestsPerMinute: readRateLimits(environment, integer),
    ...readAddressLimits(environment, integer),
    tls: readTls(settings),
    trustedProxies: list('SVC_TRUSTED_PROXIES', [], isProxyRange, '10.0.0.0/8,127.0.0.1', proxyRanges),
    metricsAllowedAddresses: list('SVC_METRICS_ALLOWED_ADDRESSES', ['127.0.0.1', '::1'], isIP, '10.0.0.7,127.0.0.1'),
    metricsPort: text('SVC_METRICS_PORT') === undefined ? undefined : integer('SVC_METRICS_PORT', 9_464, 0, 65_535),
    metricsHost: text('SVC_METRICS_HOST') ?? text('HOST') ?? (environment === 'sandbox' ? '127.0.0.1' : '0.0.0.0'),
    drainDelayMs: integer('SVC_DRAIN_DELAY_MS', environment === 'sandbox' ? 0 : 5_000, 0, 600_000),
    logLevel: oneOf('SVC_LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent'] as const, 'info'),
    leaseMs: integer('SVC_LEASE_MS', 30_000, 100, 3_600_000),
    checkAges: {
      quickSeconds: integer('SVC_CHECK_MAX_AGE', 900, 120, 86_400),
      fullSeconds: integer('SVC_FULL_CHECK_MAX_AGE', 172_800, 7_200, 2_592_000),
    },
    blobFolder: path.resolve(cwd, text('SVC_BLOB_DIR') ?? path.join(text('SVC_DATA_DIR') ?? '.svc', 'blobs')),
    formsUrl: url('SVC_FORMS_URL', ['http:', 'https:'], 'https://pay.example.com/forms')?.replace(/\/+$/, ''),
    ...readVerification(environment, settings),
    webhooksMayCallLoopback:
      oneOf('SVC_WEBHOOK_ALLOW_LOOPBACK', ['true', 'false'] as const, 'true') === 'true' && environment === 'sandbox',
    ...readCounterparties(environment, settings, cwd),
    bodyBytesInFlight: integer('SVC_BODY_BYTES_IN_FLIGHT', 256 * 1024 * 1024, 105_000_000, 64 * 1024 ** 3),
    ...readQuoting(environment, settings),
    ruleCoolDownSeconds: integer('SVC_RULE_COOL_DOWN', 3_600, 1, 2_592_000),
    treasuryApprovals: integer('SVC_TREASURY_APPROVALS', 1, 1, 2),
    ...readAudit(environment, settings, cwd),
    retentionDays: integer('SVC_RETENTION_DAYS', environment === 'sandbox' ? 0 : 1_825, 0, 36_500),
  }
  if (config.databaseOwnerUrl && !config.databaseUrl) {
    complain('DATABASE_URL', 'must be set when DATABASE_OWNER_URL is', 'postgres://svc@localhost:5432/svc')
  }
  checkMasterKey(config, complain)
  checkSignerKey(config, complain)
  if (reader === 'signer') checkSigner(config, complain)
  else checkService(config, complain, reader)
  for (const name of Object.keys(env)) {
    // A misspelt setting must not silently fall back to its default: SVC_ENVIROMENT=production would run a sandbox.
    if (!name.startsWith('SVC_') || known.has(name)) continue
    problems.push({ setting: name, problem: 'is not a setting of Svc', example: `${nearest(name, known)}=…` })
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function readDatabase({ url, oneOf }: ReturnType<typeof settingsOf>) {
  const protocols = ['postgres:', 'postgresql:']
  return {
    databaseUrl: url('DATABASE_URL', protocols, 'postgres://svc@localhost:5432/svc'),
    databaseOwnerUrl: url('DATABASE_OWNER_URL', protocols, 'postgres://owner@localhost:5432/svc'),
    databaseSignerUrl: url('DATABASE_SIGNER_URL', protocols, 'postgres://signer@localhost:5432/svc'),
    requiresDatabaseTls: oneOf('SVC_DATABASE_TLS', ['required', 'off'] as const, 'required') === 'required',
  }
}

/** Reads a short name in one spelling, so that two names are two persons. */
function readOperator({ text, complain }: ReturnType<typeof settingsOf>): string | undefined {
  const name = text('SVC_OPERATOR')
  if (name === undefined || /^[a-z0-9][a-z0-9._-]{0,39}$/.test(name)) return name
  complain('SVC_OPERATOR', 'must be 1 to 40 lower-case letters, digits, dots, hyphens and underscores', 'ada')
  return undefined
}

/** Reads how the audit log names the person who runs a command, and where the heads of its chains are kept. */
function readAudit(environment: Config['environment'], settings: ReturnType<typeof settingsOf>, cwd: string) {
  return { operator: readOperator(settings), auditAnchor: readAuditAnchor(environment, settings, cwd) }
}

/** Reads how banks and chains are reached, or simulated. */
function readCounterparties(environment: Config['environment'], settings: ReturnType<typeof settingsOf>, cwd: string) {
  return {
    ...readSandbox(environment, settings),
    chains: readChainSettings<keyof typeof nodeFacts>(settings, nodeFacts),
    signing: readSigningSettings(settings, environment, gasFacts, solanaFacts),
    bankFiles: readBankFiles(environment, settings, cwd, bankCalendars),
    mostVirtualAccounts: settings.integer('SVC_VIRTUAL_ACCOUNTS_PER_ORGANIZATION', 10_000, 1, 1_000_000_000),
  }
}

/** Reads the sandbox settings. Production does not know them and refuses to start with one. */
function readSandbox(environment: Config['environment'], settings: ReturnType<typeof settingsOf>) {
  const { integer, oneOf } = settings
  if (environment === 'production') {
    return {
      verificationDelayMs: 0,
      sandboxPayoutDelaySeconds: 0,
      sandboxLiquidity: 0,
      sandboxChains: 'memory' as const,
      localChains: noLocalChains,
    }
  }
  return {
    verificationDelayMs: 1_000 * integer('SVC_SANDBOX_VERIFICATION_DELAY', 3, 0, 86_400),
    sandboxPayoutDelaySeconds: integer('SVC_SANDBOX_PAYOUT_DELAY', 1, 0, 86_400),
    sandboxLiquidity: integer('SVC_SANDBOX_LIQUIDITY', 1_000_000_000, 0, 1_000_000_000_000),
    sandboxChains: oneOf('SVC_SANDBOX_CHAINS', ['local', 'memory'] as const, 'local'),
    localChains: readLocalChains(settings),
  }
}

/** Reads who verifies and screens. The sandbox approves and pays without a watch list unless it is told not to. */
function readVerification(environment: Config['environment'], settings: ReturnType<typeof settingsOf>) {
  const { integer, oneOf } = settings
  const isSandbox = environment === 'sandbox'
  const [documents, unscreened] = isSandbox ? (['approve', 'true'] as const) : (['review', 'false'] as const)
  const fourEyes = isSandbox ? 'false' : 'true'
  return {
    verificationProvider: readProvider(environment, settings),
    builtinDocumentChecksApprove:
      oneOf('SVC_BUILTIN_DOCUMENT_CHECKS', ['approve', 'review'] as const, documents) === 'approve',
    reviewsNeedTwo: oneOf('SVC_REVIEW_FOUR_EYES', ['true', 'false'] as const, fourEyes) === 'true',
    watchLists: {
      maxAgeSeconds: integer('SVC_WATCH_LIST_MAX_AGE', 259_200, 3_600, 31_536_000),
      acceptsUnscreened: oneOf('SVC_ACCEPT_UNSCREENED', ['true', 'false'] as const, unscreened) === 'true',
    },
  }
}

function readMethods({ list }: ReturnType<typeof settingsOf>): readonly PaymentMethod[] {
  const [name, example] = ['SVC_PAYMENT_METHODS', 'ACH,WIRE,BASE,SOLANA']
  const given = list(
    name,
    [...paymentMethodNames],
    isPaymentMethod,
    example,
    `some of ${paymentMethodNames.join(', ')}`,
  )
  return paymentMethodNames.filter((method) => given.includes(method))
}

function readQuoting(environment: Config['environment'], settings: ReturnType<typeof settingsOf>) {
  const { list, integer, url } = settings
  return {
    paymentMethods: readMethods(settings),
    rateSources: list(
      'SVC_RATES',
      environment === 'sandbox' ? ['fixed'] : ['kraken', 'ecb'],
      (name) => ['fixed', 'ecb', 'kraken'].includes(name),
      'kraken,ecb',
      'some of fixed, ecb, kraken',
    ) as Config['rateSources'],
    ratesEveryMs: integer('SVC_RATES_EVERY_MS', 15_000, 200, 60_000),
    ecbUrl: url('SVC_RATES_ECB_URL', ['http:', 'https:'], ecbRates) ?? ecbRates,
    krakenUrl: (url('SVC_RATES_KRAKEN_URL', ['http:', 'https:'], krakenRates) ?? krakenRates).replace(/\/+$/, ''),
    guarantees: {
      perTransactionUsd: integer('SVC_GUARANTEE_PER_TRANSACTION', 10_000, 0, 1_000_000_000),
      perOrganizationUsd: integer('SVC_GUARANTEE_PER_ORGANIZATION', 100_000, 0, 1_000_000_000),
      // From the lifetime of a quote, so that no transaction begins with a guarantee that is over.
      windowSeconds: integer('SVC_GUARANTEE_WINDOW', 3_600, 300, 3_600),
    },
  }
}

const proxyRanges = 'addresses or ranges, none of which contains every address,'

function isProxyRange(text: string): boolean {
  return isAddressRange(text) && !containsEveryAddress(text)
}

function isAddressRange(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/')
  const widest = isIP(address) === 6 ? 128 : 32
  return isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= widest && rest.length === 0
}

type Complain = (setting: string, problem: string, example: string) => void

function checkSigner(config: Config, complain: Complain): void {
  if (config.environment !== 'production') return
  if (config.masterKey) complain('SVC_MASTER_KEY', 'must not be set for the signer', '')
  if (!config.signerKey && !config.signerKeyFile) complain('SVC_SIGNER_KEY', 'is required in production', exampleKey)
  if (!config.databaseSignerUrl) {
    complain(
      'DATABASE_SIGNER_URL',
      'is required in production',
      'postgres://svc_signer_login@db.internal:5432/svc?sslmode=verify-full',
    )
  }
  if (config.requiresDatabaseTls) checkDatabaseTls('DATABASE_SIGNER_URL', config.databaseSignerUrl, complain)
}

function checkService(config: Config, complain: Complain, reader: SettingsReader): void {
  if (config.signerKey) complain('SVC_SIGNER_KEY', 'must be set for the signer only', '')
  if (config.environment === 'production' && config.databaseSignerUrl) {
    complain('DATABASE_SIGNER_URL', 'must be set for the signer only', '')
  }
  if (config.environment === 'production' && config.signerKeyFile) {
    complain('SVC_SIGNER_KEY_FILE', 'must be set for the signer only', '')
  }
  if (config.environment === 'production' && config.databaseOwnerUrl && reader === 'service') {
    complain('DATABASE_OWNER_URL', 'must be set for svc migrate only', '')
  }
  checkProduction(config, complain)
}

function checkProduction(config: Config, complain: Complain): void {
  if (config.environment !== 'production') return
  if (!config.databaseUrl)
    complain('DATABASE_URL', 'is required in production', 'postgres://svc@db.internal:5432/svc?sslmode=verify-full')
  if (config.requiresDatabaseTls) {
    checkDatabaseTls('DATABASE_URL', config.databaseUrl, complain)
    checkDatabaseTls('DATABASE_OWNER_URL', config.databaseOwnerUrl, complain)
  }
  if (!config.masterKey && !config.masterKeyFile) complain('SVC_MASTER_KEY', 'is required in production', exampleKey)
  if (!config.tls && config.trustedProxies.length === 0) {
    complain(
      'SVC_TLS_CERT',
      'is required in production together with SVC_TLS_KEY, unless SVC_TRUSTED_PROXIES names an HTTPS proxy',
      '/etc/svc/tls.pem',
    )
  }
  if (config.rateSources.includes('fixed')) {
    complain('SVC_RATES', 'must not include fixed in production: fixed rates are no market prices', 'kraken,ecb')
  }
  for (const [setting, url] of [
    ['SVC_RATES_ECB_URL', config.ecbUrl],
    ['SVC_RATES_KRAKEN_URL', config.krakenUrl],
  ] as const) {
    if (url.startsWith('http:')) {
      complain(setting, 'must start with https:// in production', 'https://rates.internal')
    }
  }
  if (!config.publicUrl)
    complain('SVC_PUBLIC_URL', 'is required in production: links to forms begin with it', 'https://pay.example.com')
  for (const [setting, url] of [
    ['SVC_PUBLIC_URL', config.publicUrl],
    ['SVC_FORMS_URL', config.formsUrl],
  ] as const) {
    if (url?.startsWith('http:')) complain(setting, 'must start with https:// in production', 'https://pay.example.com')
  }
}
