import { expect, test } from 'vitest'
import { paymentMethodNames } from '../src/catalog/payment-methods.ts'
import { readConfig } from '../src/config.ts'
import { sandboxKeyPrefix } from '../src/lib/settings/keys.ts'
import type { SettingsReader } from '../src/lib/settings/roles.ts'
import { readSecretFiles } from '../src/lib/settings/safety.ts'
import { ConfigError } from '../src/lib/settings.ts'

const key = Buffer.alloc(32, 1).toString('base64')
const production = {
  SVC_ENVIRONMENT: 'production',
  DATABASE_URL: 'postgres://svc@db/svc?sslmode=verify-full',
  SVC_MASTER_KEY: key,
  SVC_TRUSTED_PROXIES: '10.0.0.0/8',
  SVC_PUBLIC_URL: 'https://pay.example.com',
}

const provider = {
  url: 'https://identity.example.com/svc/',
  secretName: 'SVC_VERIFICATION_PROVIDER_SECRET',
  secret: `whsec_${key}`,
  settings: {
    SVC_VERIFICATION_PROVIDER_URL: 'https://identity.example.com/svc/',
    SVC_VERIFICATION_PROVIDER_SECRET: `whsec_${key}`,
  },
}

function problemsOf(env: Record<string, string>, reader?: SettingsReader): string[] {
  try {
    readConfig(env, '/srv/svc', reader)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).problems.map((problem) => problem.setting).sort()
  }
}

const signer = {
  SVC_ENVIRONMENT: 'production',
  DATABASE_SIGNER_URL: 'postgres://signer@db/svc?sslmode=verify-full',
  SVC_SIGNER_KEY: Buffer.alloc(32, 2).toString('base64'),
}
const { SVC_ENVIRONMENT, ...ofTheSigner } = signer

// biome-ignore format: a table is read by column
test.each([
  // whose     what                                    settings                                               named
  ['service', 'the key of the signer',                 { SVC_SIGNER_KEY: signer.SVC_SIGNER_KEY },             ['SVC_SIGNER_KEY']],
  ['service', 'key and login of the signer',           { ...production, ...ofTheSigner },                     ['DATABASE_SIGNER_URL', 'SVC_SIGNER_KEY']],
  ['signer',  'all that it needs in production',       signer,                                                []],
  ['signer',  'nothing in the sandbox',                {},                                                    []],
  ['signer',  'nothing in production',                 { SVC_ENVIRONMENT },                                   ['DATABASE_SIGNER_URL', 'SVC_SIGNER_KEY']],
  ['signer',  'the master key in production',          { ...signer, SVC_MASTER_KEY: key },                    ['SVC_MASTER_KEY']],
  ['signer',  'a file of the master key',              { ...signer, SVC_MASTER_KEY_FILE: '/run/key' },        ['SVC_MASTER_KEY_FILE']],
  ['signer',  'former master keys in production',      { ...signer, SVC_PREVIOUS_MASTER_KEYS: key },          ['SVC_PREVIOUS_MASTER_KEYS']],
  ['signer',  'the login of the owner in production',  { ...signer, DATABASE_OWNER_URL: 'postgres://o@db/s' }, ['DATABASE_OWNER_URL']],
  ['signer',  'the login of the API in production',    { ...signer, DATABASE_URL: 'postgres://a@db/s' },       ['DATABASE_URL']],
  ['signer',  'the master key as its own',             { SVC_MASTER_KEY: key, SVC_SIGNER_KEY: key },          ['SVC_SIGNER_KEY']],
  ['signer',  'a sandbox key in production',           { ...signer, SVC_SIGNER_KEY: sandboxKeyPrefix + key }, ['SVC_SIGNER_KEY']],
  ['signer',  'a key and a file',                      { ...signer, SVC_SIGNER_KEY_FILE: '/run/key' },        ['SVC_SIGNER_KEY_FILE']],
  ['signer',  'half a key',                            { SVC_SIGNER_KEY: 'short' },                           ['SVC_SIGNER_KEY']],
  ['signer',  'unchecked certificates',                { ...signer, NODE_TLS_REJECT_UNAUTHORIZED: '0' },      ['NODE_TLS_REJECT_UNAUTHORIZED']],
  ['signer',  'a pool of nothing',                     { SVC_ADDRESS_POOL_SIZE: '0' },                        ['SVC_ADDRESS_POOL_SIZE']],
] as const)('the %s with %s: %o names %o', (reader, _what, env, named) => {
  expect(problemsOf(env, reader)).toEqual(named)
})

test('every setting has a default', () => {
  expect(readConfig({}, '/srv/svc')).toMatchObject({
    environment: 'sandbox',
    host: '127.0.0.1',
    port: { number: 8080, isExplicit: false },
    dataFolder: '/srv/svc/.svc',
    databaseUrl: undefined,
  })
})

test('webhooks may call this machine in a sandbox by default, and never in production', () => {
  const mayCall = (env: Record<string, string>) => readConfig(env, '/srv/svc').webhooksMayCallLoopback
  expect(mayCall({})).toBe(true)
  expect(mayCall({ SVC_WEBHOOK_ALLOW_LOOPBACK: 'false' })).toBe(false)
  expect(mayCall({ ...production, SVC_WEBHOOK_ALLOW_LOOPBACK: 'true' })).toBe(false)
  expect(problemsOf({ SVC_WEBHOOK_ALLOW_LOOPBACK: 'yes' })).toEqual(['SVC_WEBHOOK_ALLOW_LOOPBACK'])
})

test('endpoints of webhooks prove themselves at few ports in production, and anywhere in a sandbox without', () => {
  const read = (env: Record<string, string>) => readConfig(env, '/srv/svc').webhooks
  expect(read({})).toMatchObject({ ports: undefined, mustProve: false, attemptsKeptDays: 30, mostWebhooks: 100 })
  expect(read(production)).toMatchObject({ ports: [443, 8443], mustProve: true, replaysPerSecond: 50 })
  expect(read({ ...production, SVC_WEBHOOK_PORTS: 'any', SVC_WEBHOOK_CHALLENGE: 'false' })).toMatchObject({
    ports: undefined,
    mustProve: false,
  })
  expect(read({ SVC_WEBHOOK_PORTS: '443, 9443' }).ports).toEqual([443, 9443])
  for (const ports of ['0', '65536', '443;80', 'https']) {
    expect(problemsOf({ SVC_WEBHOOK_PORTS: ports })).toEqual(['SVC_WEBHOOK_PORTS'])
  }
})

test.each(['10.0.0.0/8', '127.0.0.1', 'fc00::/7', '2001:db8::/32', '::ffff:10.0.0.0/104', '::1'])(
  'a proxy at %s is accepted',
  (range) => expect(readConfig({ SVC_TRUSTED_PROXIES: range }, '/srv/svc').trustedProxies).toEqual([range]),
)

test('the bank of the sandbox runs by default, and never in production', () => {
  const runs = (env: Record<string, string>) => readConfig(env, '/srv/svc').bankFiles?.hasSandboxBank
  expect(runs({})).toBe(true)
  expect(runs({ SVC_SANDBOX_BANK: 'folders' })).toBe(false)
  expect(runs({ SVC_SANDBOX_BANK: 'memory' })).toBe(undefined)
  expect(runs(production)).toBe(false)
  expect(problemsOf({ ...production, SVC_SANDBOX_BANK: 'files' })).toEqual(['SVC_SANDBOX_BANK'])
})

test('every bad setting is listed at once, each with an example', () => {
  const env = {
    PORT: 'http',
    SVC_ENVIRONMENT: 'prod',
    DATABASE_URL: 'mysql://x',
    SVC_MASTER_KEY: 'short',
    SVC_LEASE_MS: '5',
  }
  expect(problemsOf(env)).toEqual(['DATABASE_URL', 'PORT', 'SVC_ENVIRONMENT', 'SVC_LEASE_MS', 'SVC_MASTER_KEY'])
  expect(() => readConfig(env, '/')).toThrow(/PORT: must be a whole number from 0 to 65535\n {4}for example PORT=8080/)
})

test.each([
  // what is wrong                     settings                                                       named
  ['three persons for own money', { SVC_TREASURY_APPROVALS: '3' }, ['SVC_TREASURY_APPROVALS']],
  ['a person in another spelling', { SVC_OPERATOR: 'Ada' }, ['SVC_OPERATOR']],
  ['no process', { SVC_PROCESSES: '0' }, ['SVC_PROCESSES']],
  ['too many processes', { SVC_PROCESSES: '65' }, ['SVC_PROCESSES']],
  ['no webhook', { SVC_WEBHOOKS_PER_ORGANIZATION: '0' }, ['SVC_WEBHOOKS_PER_ORGANIZATION']],
  ['too many webhooks', { SVC_WEBHOOKS_PER_ORGANIZATION: '10001' }, ['SVC_WEBHOOKS_PER_ORGANIZATION']],
  [
    'unchecked certificates in production',
    { ...production, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    ['NODE_TLS_REJECT_UNAUTHORIZED'],
  ],
  ['a misspelt setting', { SVC_ENVIROMENT: 'production' }, ['SVC_ENVIROMENT']],
  ['a certificate without its key', { SVC_TLS_CERT: '/a.pem' }, ['SVC_TLS_KEY']],
  ['a proxy that is no address', { SVC_TRUSTED_PROXIES: '10.0.0.0/99,x' }, ['SVC_TRUSTED_PROXIES']],
  ['an owner address alone', { DATABASE_OWNER_URL: 'postgres://o@db/svc' }, ['DATABASE_URL']],
  [
    'production with nothing set',
    { SVC_ENVIRONMENT: 'production' },
    ['DATABASE_URL', 'SVC_MASTER_KEY', 'SVC_PUBLIC_URL', 'SVC_TLS_CERT'],
  ],
  ['a sandbox secret in production', { ...production, SVC_MASTER_KEY: sandboxKeyPrefix + key }, ['SVC_MASTER_KEY']],
  ['a provider without its secret', { SVC_VERIFICATION_PROVIDER_URL: provider.url }, [provider.secretName]],
  ['a secret without its provider', { [provider.secretName]: provider.secret }, ['SVC_VERIFICATION_PROVIDER_URL']],
  ['a secret that is too short', { ...provider.settings, [provider.secretName]: 'c2hvcnQ=' }, [provider.secretName]],
  [
    'a provider over plain http',
    { ...provider.settings, SVC_VERIFICATION_PROVIDER_URL: 'http://identity.example.com' },
    ['SVC_VERIFICATION_PROVIDER_URL'],
  ],
  [
    'a provider on this machine over plain http in production',
    { ...production, ...provider.settings, SVC_VERIFICATION_PROVIDER_URL: 'http://127.0.0.1:9000' },
    ['SVC_VERIFICATION_PROVIDER_URL'],
  ],
  [
    'rates over plain http in production',
    { ...production, SVC_RATES_ECB_URL: 'http://rates.internal' },
    ['SVC_RATES_ECB_URL'],
  ],
  ['rates polled less often than they expire', { SVC_RATES_EVERY_MS: '60001' }, ['SVC_RATES_EVERY_MS']],
  ['a guarantee of more than an hour', { SVC_GUARANTEE_WINDOW: '3601' }, ['SVC_GUARANTEE_WINDOW']],
  ['a guarantee that ends before its quote', { SVC_GUARANTEE_WINDOW: '299' }, ['SVC_GUARANTEE_WINDOW']],
  ['no rate source', { SVC_RATES: ',' }, ['SVC_RATES']],
  ['an unknown rail', { SVC_PAYMENT_METHODS: 'ACH,FAX' }, ['SVC_PAYMENT_METHODS']],
  ['no rail at all', { SVC_PAYMENT_METHODS: ' , ' }, ['SVC_PAYMENT_METHODS']],
  ['a master key of zeros', { SVC_MASTER_KEY: Buffer.alloc(32).toString('base64') }, ['SVC_MASTER_KEY']],
  ['a proxy of half of all', { SVC_TRUSTED_PROXIES: '0.0.0.0/1,128.0.0.0/1' }, ['SVC_TRUSTED_PROXIES']],
  ['a proxy of every mapped address', { SVC_TRUSTED_PROXIES: '::ffff:0:0/96' }, ['SVC_TRUSTED_PROXIES']],
  ['a proxy of IPv4 within IPv6', { SVC_TRUSTED_PROXIES: '::/80' }, ['SVC_TRUSTED_PROXIES']],
  ['a proxy of many networks', { SVC_TRUSTED_PROXIES: '2000::/3' }, ['SVC_TRUSTED_PROXIES']],
  ['a proxy that is everyone', { SVC_TRUSTED_PROXIES: '10.0.0.1,0.0.0.0/0' }, ['SVC_TRUSTED_PROXIES']],
  ['a proxy that is everyone on IPv6', { SVC_TRUSTED_PROXIES: '::/0' }, ['SVC_TRUSTED_PROXIES']],
  [
    'a file with the key of the signer in production',
    { ...production, SVC_SIGNER_KEY_FILE: '/run/secrets/signer' },
    ['SVC_SIGNER_KEY_FILE'],
  ],
  [
    'the login of the owner in production',
    { ...production, DATABASE_OWNER_URL: 'postgres://o@127.0.0.1/svc' },
    ['DATABASE_OWNER_URL'],
  ],
  ['forms over plain http in production', { ...production, SVC_FORMS_URL: 'http://a.example' }, ['SVC_FORMS_URL']],
  ['plain http in production', { ...production, SVC_PUBLIC_URL: 'http://pay.example.com' }, ['SVC_PUBLIC_URL']],
] as const)('%s is refused', (_what, env, named) => {
  expect(problemsOf(env)).toEqual(named)
})

test('a key of zeros, which has the right form, is told what is wrong', () => {
  const zeros = Buffer.alloc(32).toString('base64')
  for (const setting of ['SVC_MASTER_KEY', 'SVC_SIGNER_KEY'])
    expect(() => readConfig({ [setting]: zeros }, '/srv/svc')).toThrow('must be random: all of its bytes are zero')
})

test('a wrong proxy is told what to write', () => {
  expect(() => readConfig({ SVC_TRUSTED_PROXIES: 'x' }, '/srv/svc')).toThrow(
    'must be addresses or ranges of at least /8 for IPv4 and /16 for IPv6, separated by commas',
  )
})

test.each([
  ['postgres://svc@db.internal/svc', ['DATABASE_URL']],
  ['postgres://svc@db.internal/svc?sslmode=require', ['DATABASE_URL']],
  ['postgres://svc@db.internal/svc?sslmode=verify-full&sslmode=disable', ['DATABASE_URL']],
  ['postgres://svc@localhost/svc?host=127.0.0.1&host=db.internal', ['DATABASE_URL']],
  ['postgres://svc@db.internal/svc?sslmode=verify-full', []],
  ['postgres://svc@127.0.0.1:5432/svc', []],
  ['postgres:///svc?host=/var/run/postgresql', []],
  ['postgres:///svc', ['DATABASE_URL']],
])('in production the database %s names %o', (url, named) => {
  expect(problemsOf({ ...production, DATABASE_URL: url })).toEqual(named)
  expect(problemsOf({ ...production, DATABASE_URL: url, SVC_DATABASE_TLS: 'off' })).toEqual([])
})

test('a file can hold each secret, in the place of its setting', () => {
  const files: Record<string, string> = {
    '/run/database': 'postgres://svc@127.0.0.1/svc\n',
    '/run/nodes': 'https://one.example\nhttps://two.example\n',
  }
  const read = (env: Record<string, string>) =>
    readSecretFiles(env, (file) => files[file] ?? expect.fail('it does not exist'))
  const given = read({ DATABASE_URL_FILE: '/run/database', PORT: '0' })
  expect(given).toEqual({ env: { DATABASE_URL: 'postgres://svc@127.0.0.1/svc', PORT: '0' }, problems: [] })
  expect(readConfig(given.env, '/').databaseUrl).toBe('postgres://svc@127.0.0.1/svc')
  const nodes = read({ SVC_BASE_RPC_URLS_FILE: '/run/nodes' })
  expect(nodes.env).toEqual({ SVC_BASE_RPC_URLS: 'https://one.example,https://two.example' })
  const both = read({ DATABASE_URL_FILE: '/run/database', DATABASE_URL: 'postgres://other@127.0.0.1/svc' })
  expect(both.problems).toMatchObject([{ setting: 'DATABASE_URL_FILE', problem: expect.stringContaining('together') }])
  const missing = read({ SVC_VERIFICATION_PROVIDER_SECRET_FILE: '/run/nothing' })
  expect(missing.problems).toMatchObject([{ setting: 'SVC_VERIFICATION_PROVIDER_SECRET_FILE' }])
})

test('metrics listen on the host of the service, or on their own', () => {
  const host = (env: Record<string, string>) => readConfig(env, '/').metricsHost
  expect([host({}), host({ HOST: '0.0.0.0' }), host({ HOST: '0.0.0.0', SVC_METRICS_HOST: '10.0.0.7' })]).toEqual([
    '127.0.0.1',
    '0.0.0.0',
    '10.0.0.7',
  ])
})

test('every rail and network is offered unless some are named, always in the order of the contract', () => {
  const offered = (env: Record<string, string>) => readConfig(env, '/srv/svc').paymentMethods
  expect(offered({})).toEqual(paymentMethodNames)
  expect(offered({ SVC_PAYMENT_METHODS: 'SOLANA, ACH,ACH' })).toEqual(['ACH', 'SOLANA'])
})

test('the error for a misspelt setting suggests the likely name', () => {
  expect(() => readConfig({ SVC_ENVIROMENT: 'production' }, '/')).toThrow(/SVC_ENVIRONMENT=/)
})

test('the settings that dev.env holds for clients may be exported', () => {
  expect(problemsOf({ SVC_BASE_URL: 'http://127.0.0.1:8080', SVC_API_KEY: 'svc_test_x' })).toEqual([])
  expect(problemsOf(production)).toEqual([])
})

test('a provider has an address and one secret, or two during a rotation', () => {
  const read = (settings: Record<string, string>) => readConfig(settings, '/').verificationProvider
  const secret = Buffer.alloc(32, 1)
  expect(read({})).toBeUndefined()
  expect(read(provider.settings)).toEqual({ url: 'https://identity.example.com/svc', secrets: [secret] })
  expect(read({ ...provider.settings, [provider.secretName]: `${key},whsec_${key}` })?.secrets).toEqual([
    secret,
    secret,
  ])
  expect(read({ ...provider.settings, SVC_VERIFICATION_PROVIDER_URL: 'http://localhost:9000' })).toBeDefined()
})

const nodes = 'https://one.example.com/key,https://two.example.com'

test('a network has its nodes and its rule of finality', () => {
  const { chains } = readConfig({ ...production, SVC_BASE_RPC_URLS: nodes, SVC_BASE_FINALITY: '128' }, '/')
  expect(chains).toMatchObject({
    quorum: 1,
    networks: {
      BASE: { rpcUrls: nodes.split(','), finality: { blocks: 128 } },
      ETHEREUM: { rpcUrls: [], finality: 'finalized' },
    },
  })
})

// biome-ignore format: a table is read by column
test.each([
  ['fewer nodes than the quorum',  { SVC_BASE_RPC_URLS: nodes, SVC_RPC_QUORUM: '3' },   ['SVC_BASE_RPC_URLS']],
  ['one node twice',               { SVC_BASE_RPC_URLS: 'https://a.example,https://a.example' }, ['SVC_BASE_RPC_URLS']],
  ['a node with a password',       { SVC_BASE_RPC_URLS: 'https://me:secret@a.example' }, ['SVC_BASE_RPC_URLS']],
  ['no number of blocks',          { SVC_POLYGON_FINALITY: '0' },                       ['SVC_POLYGON_FINALITY']],
  ['a tag that is not final',      { SVC_POLYGON_FINALITY: 'latest' },                  ['SVC_POLYGON_FINALITY']],
  ['local chains in production',   { ...production, SVC_SANDBOX_CHAINS: 'local' },      ['SVC_SANDBOX_CHAINS']],
] as const)('nodes with %s are refused', (_what, env, named) => {
  expect(problemsOf(env)).toEqual(named)
})
