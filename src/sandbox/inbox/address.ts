import { createHmac, timingSafeEqual } from 'node:crypto'

const idsLength = 32
const macLength = 24

/** The same inbox always has the same address, so it can be shown again, and nothing secret has to be stored. */
export function createInboxToken(key: Buffer, organizationId: string, inboxId: string): string {
  const ids = Buffer.from((organizationId + inboxId).replaceAll('-', ''), 'hex')
  return Buffer.concat([ids, sign(key, ids)]).toString('base64url')
}

export function readInboxToken(key: Buffer, token: string): { organizationId: string; inboxId: string } | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Node's decoder skips foreign characters and stray bits; one inbox must have one address.
  if (bytes.length !== idsLength + macLength || bytes.toString('base64url') !== token) return undefined
  const ids = bytes.subarray(0, idsLength)
  if (!timingSafeEqual(bytes.subarray(idsLength), sign(key, ids))) return undefined
  return { organizationId: spell(ids.subarray(0, 16)), inboxId: spell(ids.subarray(16)) }
}

function spell(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function sign(key: Buffer, ids: Buffer): Buffer {
  return createHmac('sha256', key).update('sandbox inbox\n').update(ids).digest().subarray(0, macLength)
}
