import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Messages signed by the rules of Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.content`, in the headers
 * webhook-id, webhook-timestamp and webhook-signature.
 */
export type SignedMessage = { id: string; timestamp: string; signature: string; content: Buffer }

const prefix = 'whsec_'
const shortestSecret = 24
const longestSecret = 64
const toleranceSeconds = 300

export const signatureFaults = ['MISSING_HEADER', 'BAD_TIMESTAMP', 'TOO_OLD', 'TOO_NEW', 'BAD_SIGNATURE'] as const
export type SignatureFault = (typeof signatureFaults)[number]

/** The bytes of a secret written as whsec_ and base64, or undefined when it is none. */
export function readSigningSecret(text: string): Buffer | undefined {
  const encoded = text.startsWith(prefix) ? text.slice(prefix.length) : text
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined
  const secret = Buffer.from(encoded, 'base64')
  return secret.length >= shortestSecret && secret.length <= longestSecret ? secret : undefined
}

/** The three headers. One signature a secret, so that a receiver who knows the old or the new one can check it. */
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

/** Whether one of the secrets made one of the signatures, within five minutes of now. */
export function isSignedBy(secrets: readonly Buffer[], message: SignedMessage, now: Date): boolean {
  return whyNotSigned(secrets, message, now) === undefined
}

/** The first thing that is wrong with it: to show to whoever may know, never to a stranger. */
export function whyNotSigned(
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
  const isRight = secrets.some((secret) => {
    const right = macOf(secret, id, timestamp, content)
    return given.some((each) => each.length === right.length && timingSafeEqual(each, right))
  })
  return isRight ? undefined : 'BAD_SIGNATURE'
}

function macOf(secret: Buffer, id: string, timestamp: string, content: Buffer | string): Buffer {
  return createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(content).digest()
}
