import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Messages signed by the rules of Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.content`, in the headers
 * webhook-id, webhook-timestamp and webhook-signature.
 */
export type SignedMessage = { id: string; timestamp: string; signature: string; content: Buffer }

const prefix = 'whsec_'
const shortestSecret = 24
const longestSecret = 64
const toleranceMs = 300_000

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
  const { id, timestamp, signature, content } = message
  if (id === '' || !/^[1-9]\d{0,11}$/.test(timestamp)) return false
  if (Math.abs(now.getTime() - 1_000 * Number(timestamp)) > toleranceMs) return false
  const given = signature.split(' ').flatMap((each) => {
    const [version, encoded = ''] = each.split(',')
    return version === 'v1' ? [Buffer.from(encoded, 'base64')] : []
  })
  return secrets.some((secret) => {
    const right = macOf(secret, id, timestamp, content)
    return given.some((each) => each.length === right.length && timingSafeEqual(each, right))
  })
}

function macOf(secret: Buffer, id: string, timestamp: string, content: Buffer | string): Buffer {
  return createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(content).digest()
}
