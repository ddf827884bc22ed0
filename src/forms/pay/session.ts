import { createHmac, timingSafeEqual } from 'node:crypto'
import { formatUuid } from '../../lib/ids.ts'

/** A browser that has shown a valid link. It lives in a cookie of its own for each transaction: no row is written. */
export type PaySession = { transactionId: string; expiresAtMs: number }

/** A session ends after this time without a request. An open page makes one every few minutes. */
export const paySessionMs = 30 * 60_000

const headLength = 22
const macLength = 32

export function sealPaySession(key: Buffer, { transactionId, expiresAtMs }: PaySession): string {
  const head = Buffer.alloc(headLength)
  head.write(transactionId.replaceAll('-', ''), 0, 'hex')
  head.writeUIntBE(Math.floor(expiresAtMs / 1_000), 16, 6)
  return Buffer.concat([head, sign(key, 'pay session', head)]).toString('base64url')
}

/** Reads a cookie; undefined when it is forged or the session has ended. */
export function readPaySession(key: Buffer, text: string, nowMs: number): PaySession | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== headLength + macLength) return undefined
  const head = bytes.subarray(0, headLength)
  if (!timingSafeEqual(bytes.subarray(headLength), sign(key, 'pay session', head))) return undefined
  const expiresAtMs = head.readUIntBE(16, 6) * 1_000
  return expiresAtMs > nowMs ? { transactionId: formatUuid(head.subarray(0, 16)), expiresAtMs } : undefined
}

/** Names the page of a transaction in its address and cookie. It opens nothing, and tells nothing about the transaction. */
export function payPageIdOf(key: Buffer, transactionId: string): string {
  return sign(key, 'pay page', Buffer.from(transactionId)).toString('base64url').slice(0, 22)
}

function sign(key: Buffer, use: string, content: Buffer): Buffer {
  return createHmac('sha256', key).update(`${use}\n`).update(content).digest()
}
