import { isIP } from 'node:net'
import path from 'node:path'
import { bankCalendars } from './catalog/banking-days.ts'
import type { EvmNetwork } from './catalog/chain-ids.ts'
import { gasFacts, nodeFacts, solanaFacts } from './catalog/gas.ts'
import { isPaymentMethod, type PaymentMethod, paymentMethodNames } from './catalog/payment-methods.ts'
import { type AuditSettings, readAudit } from './lib/settings/audit.ts'
import { type BankFilesConfig, readBankFiles } from './lib/settings/bank.ts'
import { type ChainSettings, readChainSettings } from './lib/settings/chains.ts'
import { type DatabaseSettings, readDatabase } from './lib/settings/database.ts'
import { checkMasterKey, checkSignerKey, type KeySettings, readKeys } from './lib/settings/keys.ts'
import { type QuotaSettings, readQuotas } from './lib/settings/quotas.ts'
import { type RateSettings, readRates } from './lib/settings/rates.ts'
import { checkRole, type SettingsReader } from './lib/settings/roles.ts'
import { readSandbox, type SandboxSettings } from './lib/settings/sandbox.ts'
import { readHost, readServer, readServing, type ServerSettings, type ServingSettings } from './lib/settings/server.ts'
import { readSigningSettings, type SigningSettings } from './lib/settings/signing.ts'
import { readVerification, type VerificationSettings } from './lib/settings/verification.ts'
import { readWebhookSettings, type WebhookSettings } from './lib/settings/webhooks.ts'
import { ConfigError, nearest, settingsOf } from './lib/settings.ts'

/** Every setting of a deployment. This file is the only reader of the environment. */
export type Config = DatabaseSettings &
  KeySettings &
  ServerSettings &
  VerificationSettings &
  WebhookSettings &
  SandboxSettings &
  ServingSettings &
  RateSettings &
  QuotaSettings &
  AuditSettings & {
    environment: 'sandbox' | 'production'
    host: string
    /** The port. Svc may use the next free one unless the setting names it. */
    port: { number: number; isExplicit: boolean }
    publicUrl: string | undefined
    dataFolder: string
    /** The number of free wallet addresses of each kind that the signer keeps ready. */
    addressPoolSize: number
    logLevel: string
    leaseMs: number
    /** The age of the last success of a check of money at which payouts are halted: of recent postings, and of all. */
    checkAges: { quickSeconds: number; fullSeconds: number }
    /** The folder of the sealed documents. */
    blobFolder: string
    /** The address of the hosted forms; by default the service's own address + /forms. */
    formsUrl: string | undefined
    /** The exchange of files with banks; undefined when the sandbox's bank is only simulated in memory. */
    bankFiles: BankFilesConfig | undefined
    /** The nodes of the networks. */
    chains: ChainSettings<keyof typeof nodeFacts>
    /** The bounds within which the signer signs, and relayers pay for gas. */
    signing: SigningSettings<EvmNetwork>
    /** The rails and networks that this deployment offers. */
    paymentMethods: readonly PaymentMethod[]
    /** Business time until a balance rule runs again after a run that moved nothing. */
    ruleCoolDownSeconds: number
    /** The value in whole dollars from which the first payout to a payment account causes an event; 0 for none. */
    alertPayoutUsd: number
    /** The number of persons who must agree to a movement of own money. */
    treasuryApprovals: number
    /** How many auto fiat accounts an organization can open. */
    mostVirtualAccounts: number
    /** The retention period of a customer's records after its last change of status. An erasure waits for its end. */
    retentionDays: number
  }

export function readConfig(
  env: Record<string, string | undefined>,
  cwd: string,
  reader: SettingsReader = 'service',
): Config {
  const settings = settingsOf(env)
  const { text, oneOf, integer, url, complain, problems, known } = settings
  const environment = oneOf('SVC_ENVIRONMENT', ['sandbox', 'production'] as const, 'sandbox')
  const config: Config = {
    environment,
    host: readHost(environment, settings),
    port: { number: integer('PORT', 8080, 0, 65_535), isExplicit: text('PORT') !== undefined },
    publicUrl: url('SVC_PUBLIC_URL', ['http:', 'https:'], 'https://pay.example.com')?.replace(/\/+$/, ''),
    dataFolder: path.resolve(cwd, text('SVC_DATA_DIR') ?? '.svc'),
    ...readDatabase(environment, settings),
    ...readKeys(settings),
    addressPoolSize: integer('SVC_ADDRESS_POOL_SIZE', 200, 1, 100_000),
    ...readServer(environment, settings, isIP),
    logLevel: oneOf('SVC_LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent'] as const, 'info'),
    leaseMs: integer('SVC_LEASE_MS', 30_000, 100, 3_600_000),
    checkAges: {
      quickSeconds: integer('SVC_CHECK_MAX_AGE', 900, 120, 86_400),
      fullSeconds: integer('SVC_FULL_CHECK_MAX_AGE', 172_800, 7_200, 2_592_000),
    },
    blobFolder: path.resolve(cwd, text('SVC_BLOB_DIR') ?? path.join(text('SVC_DATA_DIR') ?? '.svc', 'blobs')),
    formsUrl: url('SVC_FORMS_URL', ['http:', 'https:'], 'https://pay.example.com/forms')?.replace(/\/+$/, ''),
    ...readVerification(environment, settings),
    ...readWebhookSettings(environment, settings),
    ...readSandbox(environment, settings),
    ...readCounterparties(environment, settings, cwd),
    ...readServing(settings),
    paymentMethods: readMethods(settings),
    ...readRates(environment, settings),
    ruleCoolDownSeconds: integer('SVC_RULE_COOL_DOWN', 3_600, 1, 2_592_000),
    ...readQuotas(environment, settings),
    alertPayoutUsd: integer('SVC_ALERT_PAYOUT_USD', 10_000, 0, 1_000_000_000),
    treasuryApprovals: integer('SVC_TREASURY_APPROVALS', 1, 1, 2),
    ...readAudit(environment, settings, cwd),
    retentionDays: integer('SVC_RETENTION_DAYS', environment === 'sandbox' ? 0 : 1_825, 0, 36_500),
  }
  checkMasterKey(config, complain)
  checkSignerKey(config, complain)
  checkRole(config, complain, reader)
  for (const name of Object.keys(env)) {
    // A misspelt setting must not silently fall back to its default: SVC_ENVIROMENT=production would run a sandbox.
    if (!name.startsWith('SVC_') || known.has(name)) continue
    problems.push({ setting: name, problem: 'is not a setting of Svc', example: `${nearest(name, known)}=…` })
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** Reads how banks and chains are reached. */
function readCounterparties(environment: Config['environment'], settings: ReturnType<typeof settingsOf>, cwd: string) {
  return {
    chains: readChainSettings<keyof typeof nodeFacts>(settings, nodeFacts),
    signing: readSigningSettings(settings, environment, gasFacts, solanaFacts),
    bankFiles: readBankFiles(environment, settings, cwd, bankCalendars),
    mostVirtualAccounts: settings.integer('SVC_VIRTUAL_ACCOUNTS_PER_ORGANIZATION', 10_000, 1, 1_000_000_000),
  }
}

function readMethods({ list }: ReturnType<typeof settingsOf>): readonly PaymentMethod[] {
  const what = `some of ${paymentMethodNames.join(', ')}`
  const given = list('SVC_PAYMENT_METHODS', [...paymentMethodNames], isPaymentMethod, 'ACH,WIRE,BASE,SOLANA', what)
  return paymentMethodNames.filter((method) => given.includes(method))
}
