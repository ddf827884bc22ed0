import { type IpRange, isWithin, parseIpRange } from '../addresses/ip-range.ts'
import type { settingsOf } from '../settings.ts'

type Complain = ReturnType<typeof settingsOf>['complain']

/** Settings whose value is a secret, or an address with one in it. A file can hold each: `<name>_FILE`. */
export const secretSettings = [
  'DATABASE_URL',
  'DATABASE_OWNER_URL',
  'DATABASE_SIGNER_URL',
  'SVC_PREVIOUS_MASTER_KEYS',
  'SVC_VERIFICATION_PROVIDER_SECRET',
  'SVC_AUDIT_ANCHOR_URL',
  ...['ARBITRUM', 'BASE', 'ETHEREUM', 'OPTIMISM', 'POLYGON', 'SOLANA'].map((network) => `SVC_${network}_RPC_URLS`),
]

/** Puts the content of `<name>_FILE` in the place of each secret. Names the setting whose file cannot be read. */
export function readSecretFiles(
  env: Record<string, string | undefined>,
  readFile: (file: string) => string,
): { env: Record<string, string | undefined>; problems: { setting: string; problem: string; example: string }[] } {
  const problems: { setting: string; problem: string; example: string }[] = []
  const read = { ...env }
  for (const name of secretSettings) {
    const [setting, file] = [`${name}_FILE`, env[`${name}_FILE`]?.trim()]
    delete read[setting]
    if (!file) continue
    const complain = (problem: string) => problems.push({ setting, problem, example: `${setting}=/run/secrets/svc` })
    if (env[name]) complain(`must not be set together with ${name}`)
    try {
      // A list may have a line for each item.
      read[name] = readFile(file)
        .trim()
        .replaceAll(/\s*,?\s*\n\s*/g, ',')
    } catch {
      complain('must name a file that this process can read')
    }
  }
  return { env: read, problems }
}

/** True for a key that no generator made: all of its bytes are zero. */
export function isZeroKey(text: string, prefix: string): boolean {
  const bytes = Buffer.from(text.trim().replace(prefix, ''), 'base64')
  return bytes.length === 32 && bytes.every((byte) => byte === 0)
}

/**
 * True for a range that is too wide for proxies of one operator: each caller inside could claim any address. Two halves
 * contain every address. 10.0.0.0/8 is the widest private network of IPv4, fc00::/7 that of IPv6.
 */
export function isTooWideForProxies(range: string): boolean {
  const [address = '', length] = range.toLowerCase().split('/')
  if (length === undefined) return false
  const prefix = Number(length)
  if (!address.includes(':')) return prefix < 8
  const read = parseIpRange(range)
  const hasIpv4 = read === undefined || isWithin(ipv4, read)
  const isPrivate = prefix >= 7 && /^f[cd]/.test(address)
  return prefix < (hasIpv4 ? ipv4.prefix + 8 : 16) && !isPrivate
}

/** The form that IPv4 addresses have in IPv6. `parseIpRange` reads no range within it. */
const ipv4: IpRange = { text: '::ffff:0:0/96', bits: 128, value: 0xffff_0000_0000n, prefix: 96 }

const example = 'postgres://svc_login@db.internal:5432/svc?sslmode=verify-full'

/**
 * Refuses a database that is reached over a network without a checked certificate. A socket and this machine's own
 * addresses need none.
 */
export function checkDatabaseTls(setting: string, url: string | undefined, complain: Complain): void {
  if (url === undefined) return
  const { hostname, searchParams } = new URL(url)
  // Drivers differ in which of several values they take, so each must do.
  const [named, modes] = [searchParams.getAll('host'), searchParams.getAll('sslmode')]
  // Without a host the driver would take the one of another variable.
  const hosts = named.length > 0 ? named : [decodeURIComponent(hostname)]
  if (hosts.every(isHere) || (modes.length > 0 && modes.every((mode) => mode === 'verify-full'))) return
  complain(
    setting,
    'must have sslmode=verify-full in production, so that the connection is encrypted and its server is proven; SVC_DATABASE_TLS=off accepts less',
    example,
  )
}

function isHere(host: string): boolean {
  return host.startsWith('/') || ['localhost', '127.0.0.1', '::1', '[::1]'].includes(host)
}

/** Refuses a variable of Node that accepts every certificate: that of the database, of nodes, and of sources of rates. */
export function checkNodeTls(
  environment: 'sandbox' | 'production',
  { text, complain }: ReturnType<typeof settingsOf>,
): void {
  if (environment !== 'production' || text('NODE_TLS_REJECT_UNAUTHORIZED') !== '0') return
  complain(
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'must not be 0 in production: the certificate of the database would not be checked; NODE_EXTRA_CA_CERTS adds an authority',
    '1',
  )
}
