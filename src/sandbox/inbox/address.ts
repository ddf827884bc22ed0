import { createHmac, timingSafeEqual } from 'node:crypto'
import { formatUuid } from '../../lib/ids.ts'

const idsLength = 32
const macLength = 24

/**
 * Derives the secret part of an inbox's address. It is always the same, so Svc can show it without storing a secret.
 */
export function createInboxToken(key: Buffer, organizationId: string, inboxId: string): string {
  const ids = Buffer.from((organizationId + inboxId).replaceAll('-', ''), 'hex')
  return Buffer.concat([ids, sign(key, ids)]).toString('base64url')
}

export function readInboxToken(key: Buffer, token: string): { organizationId: string; inboxId: string } | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Node's decoder skips foreign characters and stray bits, but one inbox must have one address.
  if (bytes.length !== idsLength + macLength || bytes.toString('base64url') !== token) return undefined
  const ids = bytes.subarray(0, idsLength)
  if (!timingSafeEqual(bytes.subarray(idsLength), sign(key, ids))) return undefined
  return { organizationId: formatUuid(ids.subarray(0, 16)), inboxId: formatUuid(ids.subarray(16)) }
}

function sign(key: Buffer, ids: Buffer): Buffer {
  return createHmac('sha256', key).update('sandbox inbox\n').update(ids).digest().subarray(0, macLength)
}
