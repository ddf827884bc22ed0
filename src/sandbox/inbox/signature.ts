import { type SignatureFault, whyNotSigned } from '../../lib/standard-webhooks.ts'

export type SignatureCheck =
  | { outcome: 'VALID' }
  /** Nobody has told the inbox a secret, and no webhook leads here. */
  | { outcome: 'NO_SECRET' }
  | { outcome: 'INVALID'; reason: SignatureFault }

type Signed = { headers: Record<string, string>; body: Buffer }

/** What an integrator's own check would say, with the reason that theirs should keep to itself. */
export function checkSignature({ headers, body }: Signed, secrets: readonly string[], nowMs: number): SignatureCheck {
  if (secrets.length === 0) return { outcome: 'NO_SECRET' }
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signature = '' } = headers
  const message = { id, timestamp, signature, content: body }
  const reason = whyNotSigned(secrets.map(bytesOf), message, new Date(nowMs))
  return reason === undefined ? { outcome: 'VALID' } : { outcome: 'INVALID', reason }
}

/** Of any length: an inbox is told the secret of whoever sends, who may not keep to the standard's. */
function bytesOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
}
