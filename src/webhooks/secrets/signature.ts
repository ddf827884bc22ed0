import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

/** Standard Webhooks 1.0: 24 to 64 random bytes in base64 behind this prefix. */
const prefix = 'whsec_'
const secretLength = 32

export function createSecret(): string {
  return prefix + randomBytes(secretLength).toString('base64')
}

/** Creates a signing key to reuse: with plain bytes Node spends more time on the key than on the signature. */
export function keyOfSecret(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(prefix.length), 'base64'))
}

/** The headers of Standard Webhooks 1.0, with one signature per live secret, the newest first. */
export function signedHeaders(keys: readonly KeyObject[], id: string, timestampSeconds: number, body: string) {
  const signed = `${id}.${timestampSeconds}.${body}`
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  }
}
