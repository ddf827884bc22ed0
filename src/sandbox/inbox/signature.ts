import { findSignatureFault, type SignatureFault } from '../../lib/standard-webhooks.ts'

export type SignatureCheck =
  | { outcome: 'VALID' }
  /** The inbox has no secret, and no webhook sends to it. */
  | { outcome: 'NO_SECRET' }
  | { outcome: 'INVALID'; reason: SignatureFault }

type Signed = { headers: Record<string, string>; body: Buffer }

/** Verifies a signature as an integrator should, and reports the reason that an integrator should not reveal. */
export function checkSignature({ headers, body }: Signed, secrets: readonly string[], nowMs: number): SignatureCheck {
  if (secrets.length === 0) return { outcome: 'NO_SECRET' }
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signature = '' } = headers
  const message = { id, timestamp, signature, content: body }
  const reason = findSignatureFault(secrets.map(bytesOf), message, new Date(nowMs))
  return reason === undefined ? { outcome: 'VALID' } : { outcome: 'INVALID', reason }
}

/** Accepts secrets of any length: other senders may not follow the standard. */
function bytesOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
}
