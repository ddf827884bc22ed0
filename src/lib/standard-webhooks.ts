import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * A message signed by Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.content`, in the headers webhook-id,
 * webhook-timestamp and webhook-signature.
 */
export type SignedMessage = { id: string; timestamp: string; signature: string; content: Buffer }

const prefix = 'whsec_'
const minSecretBytes = 24
const maxSecretBytes = 64
const toleranceSeconds = 300

export const signatureFaults = ['MISSING_HEADER', 'BAD_TIMESTAMP', 'TOO_OLD', 'TOO_NEW', 'BAD_SIGNATURE'] as const
export type SignatureFault = (typeof signatureFaults)[number]

/** Reads the bytes of a secret written as whsec_ and base64; undefined when it is not valid. */
export function readSigningSecret(text: string): Buffer | undefined {
  const encoded = text.startsWith(prefix) ? text.slice(prefix.length) : text
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined
  const secret = Buffer.from(encoded, 'base64')
  return secret.length >= minSecretBytes && secret.length <= maxSecretBytes ? secret : undefined
}

/**
 * Creates the three headers, with one signature per secret, so that receivers can verify with the old or the new one.
 */
export function signatureHeaders(
  secrets: readonly Buffer[],
  id: string,
  now: Date,
  content: Buffer | string,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000))
  const signatures = secrets.map((secret) => `v1,${macOf(secret, id, timestamp, content).toString('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/** True when one of the secrets made one of the signatures, within five minutes of now. */
export function isSignedBy(secrets: readonly Buffer[], message: SignedMessage, now: Date): boolean {
  return findSignatureFault(secrets, message, now) === undefined
}

/** Finds the first fault of a signature. Show it only to the owner of the secret, never to the sender. */
export function findSignatureFault(
  secrets: readonly Buffer[],
  { id, timestamp, signature, content }: SignedMessage,
  now: Date,
): SignatureFault | undefined {
  if (!id || !timestamp || !signature) return 'MISSING_HEADER'
  if (!/^\d{1,12}$/.test(timestamp)) return 'BAD_TIMESTAMP'
  const age = Math.floor(now.getTime() / 1_000) - Number(timestamp)
  if (age > toleranceSeconds) return 'TOO_OLD'
  if (age < -toleranceSeconds) return 'TOO_NEW'
  const given = signature.split(' ').flatMap((each) => {
    const [version, encoded = ''] = each.split(',')
    return version === 'v1' ? [Buffer.from(encoded, 'base64')] : []
  })
  const isValid = secrets.some((secret) => {
    const expected = macOf(secret, id, timestamp, content)
    return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected))
  })
  return isValid ? undefined : 'BAD_SIGNATURE'
}

function macOf(secret: Buffer, id: string, timestamp: string, content: Buffer | string): Buffer {
  return createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(content).digest()
}
