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

/** True for a range that contains every address: then each caller could claim any address. */
export function containsEveryAddress(range: string): boolean {
  return /\/0{1,3}$/.test(range)
}

const example = 'postgres://svc_login@db.internal:5432/svc?sslmode=verify-full'

/**
 * Refuses a database that is reached over a network without a checked certificate. A socket and this machine's own
 * addresses need none.
 */
export function checkDatabaseTls(setting: string, url: string | undefined, complain: Complain): void {
  if (url === undefined) return
  const { hostname, searchParams } = new URL(url)
  // Without a host the driver would take the one of another variable.
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  const isHere = host.startsWith('/') || ['localhost', '127.0.0.1', '::1', '[::1]'].includes(host)
  if (isHere || searchParams.get('sslmode') === 'verify-full') return
  complain(
    setting,
    'must have sslmode=verify-full in production, so that the connection is encrypted and its server is proven; SVC_DATABASE_TLS=off accepts less',
    example,
  )
}
