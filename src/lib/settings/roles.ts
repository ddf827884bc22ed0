import type { settingsOf } from '../settings.ts'
import type { DatabaseSettings } from './database.ts'
import { exampleKey, type KeySettings } from './keys.ts'
import type { RateSettings } from './rates.ts'
import { checkDatabaseTls } from './safety.ts'
import type { ServerSettings } from './server.ts'

/**
 * The signer and all other processes hold different keys. Each refuses to start with the other's. Commands such as
 * `svc migrate` may have the owner's login, which processes that run for long must not.
 */
export type SettingsReader = 'service' | 'command' | 'signer'

type RoleSettings = DatabaseSettings &
  KeySettings &
  Pick<RateSettings, 'rateSources' | 'ecbUrl' | 'krakenUrl'> &
  Pick<ServerSettings, 'tls' | 'trustedProxies'> & {
    environment: 'sandbox' | 'production'
    publicUrl: string | undefined
    formsUrl: string | undefined
  }

type Complain = ReturnType<typeof settingsOf>['complain']

/** Refuses settings that do not belong to the role of the process, and names those that its role needs. */
export function checkRole(config: RoleSettings, complain: Complain, reader: SettingsReader): void {
  if (reader === 'signer') checkSigner(config, complain)
  else checkService(config, complain, reader)
}

/** Lists the settings that open customers' data or log in with other rights: a signer that is taken over has none. */
function settingsOfOthers(config: RoleSettings): [setting: string, isSet: boolean][] {
  return [
    ['DATABASE_URL', config.databaseUrl !== undefined],
    ['DATABASE_OWNER_URL', config.databaseOwnerUrl !== undefined],
    ['SVC_MASTER_KEY', config.masterKey !== undefined],
    ['SVC_MASTER_KEY_FILE', config.masterKeyFile !== undefined],
    ['SVC_PREVIOUS_MASTER_KEYS', config.previousMasterKeys.length > 0],
  ]
}

function checkSigner(config: RoleSettings, complain: Complain): void {
  if (config.environment !== 'production') return
  for (const [setting, isSet] of settingsOfOthers(config))
    if (isSet) complain(setting, 'must not be set for the signer', '')
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

function checkService(config: RoleSettings, complain: Complain, reader: SettingsReader): void {
  if (config.databaseOwnerUrl && !config.databaseUrl) {
    complain('DATABASE_URL', 'must be set when DATABASE_OWNER_URL is', 'postgres://svc@localhost:5432/svc')
  }
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

function checkProduction(config: RoleSettings, complain: Complain): void {
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
  checkRates(config, complain)
  checkAddresses(config, complain)
}

function checkRates({ rateSources, ecbUrl, krakenUrl }: RoleSettings, complain: Complain): void {
  if (rateSources.includes('fixed')) {
    complain('SVC_RATES', 'must not include fixed in production: fixed rates are no market prices', 'kraken,ecb')
  }
  for (const [setting, url] of [
    ['SVC_RATES_ECB_URL', ecbUrl],
    ['SVC_RATES_KRAKEN_URL', krakenUrl],
  ] as const) {
    if (url.startsWith('http:')) {
      complain(setting, 'must start with https:// in production', 'https://rates.internal')
    }
  }
}

function checkAddresses({ publicUrl, formsUrl }: RoleSettings, complain: Complain): void {
  if (!publicUrl)
    complain('SVC_PUBLIC_URL', 'is required in production: links to forms begin with it', 'https://pay.example.com')
  for (const [setting, url] of [
    ['SVC_PUBLIC_URL', publicUrl],
    ['SVC_FORMS_URL', formsUrl],
  ] as const) {
    if (url?.startsWith('http:')) complain(setting, 'must start with https:// in production', 'https://pay.example.com')
  }
}
