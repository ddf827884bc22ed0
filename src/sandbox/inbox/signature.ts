import { createHmac, timingSafeEqual } from 'node:crypto'

export const signatureReasons = ['MISSING_HEADER', 'BAD_TIMESTAMP', 'TOO_OLD', 'TOO_NEW', 'BAD_SIGNATURE'] as const
export type SignatureReason = (typeof signatureReasons)[number]

export type SignatureCheck =
  | { outcome: 'VALID' }
  /** Nobody has told the inbox a secret, and no webhook leads here. */
  | { outcome: 'NO_SECRET' }
  | { outcome: 'INVALID'; reason: SignatureReason }

type Signed = { headers: Record<string, string>; body: Buffer }

/** Standard Webhooks 1.0: a message is refused when its time is more than five minutes away. */
const toleranceSeconds = 300

/** What an integrator's own check would say, with the reason that theirs should keep to itself. */
export function checkSignature({ headers, body }: Signed, secrets: readonly string[], nowMs: number): SignatureCheck {
  if (secrets.length === 0) return { outcome: 'NO_SECRET' }
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!id || !timestamp || !signatures) return invalid('MISSING_HEADER')
  if (!/^\d{1,12}$/.test(timestamp)) return invalid('BAD_TIMESTAMP')
  const age = Math.floor(nowMs / 1_000) - Number(timestamp)
  if (age > toleranceSeconds) return invalid('TOO_OLD')
  if (age < -toleranceSeconds) return invalid('TOO_NEW')
  const wanted = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  })
  const given = signatures
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .map((each) => Buffer.from(each.slice(3), 'base64'))
  const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)
  const isValid = given.some((each) => wanted.some((other) => isSame(each, other)))
  return isValid ? { outcome: 'VALID' } : invalid('BAD_SIGNATURE')
}

function invalid(reason: SignatureReason): SignatureCheck {
  return { outcome: 'INVALID', reason }
}
