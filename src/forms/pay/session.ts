import { createHmac, timingSafeEqual } from 'node:crypto'
import { formatUuid } from '../../lib/ids.ts'

/** A browser that has shown a valid link. It lives in a cookie of its own for each transaction: no row is written. */
export type PaySession = { transactionId: string; linkVersion: number; startedAtMs: number; expiresAtMs: number }

/** A session ends after this time without a request, and after `longestMs` in any case. An open page asks every few minutes. */
const sessionMs = 30 * 60_000
const longestMs = 12 * 60 * 60_000

const headLength = 32
const macLength = 32

/** Starts a session, or renews one. */
export function renewPaySession(session: Omit<PaySession, 'expiresAtMs'>, nowMs: number): PaySession {
  return { ...session, expiresAtMs: Math.min(nowMs + sessionMs, session.startedAtMs + longestMs) }
}

export function sealPaySession(key: Buffer, session: PaySession): string {
  const { transactionId, linkVersion, startedAtMs, expiresAtMs } = session
  const head = Buffer.alloc(headLength)
  head.write(transactionId.replaceAll('-', ''), 0, 'hex')
  head.writeUInt32BE(linkVersion, 28)
  head.writeUIntBE(Math.floor(expiresAtMs / 1_000), 16, 6)
  head.writeUIntBE(Math.floor(startedAtMs / 1_000), 22, 6)
  return Buffer.concat([head, sign(key, 'pay session', head)]).toString('base64url')
}

/** Reads a cookie; undefined when it is forged or the session has ended. */
export function readPaySession(key: Buffer, text: string, nowMs: number): PaySession | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== headLength + macLength) return undefined
  const head = bytes.subarray(0, headLength)
  if (!timingSafeEqual(bytes.subarray(headLength), sign(key, 'pay session', head))) return undefined
  const expiresAtMs = head.readUIntBE(16, 6) * 1_000
  if (expiresAtMs <= nowMs) return undefined
  return {
    transactionId: formatUuid(head.subarray(0, 16)),
    linkVersion: head.readUInt32BE(28),
    startedAtMs: head.readUIntBE(22, 6) * 1_000,
    expiresAtMs,
  }
}

/** Names the page of a transaction in its address and cookie. It opens nothing, and tells nothing about the transaction. */
export function payPageIdOf(key: Buffer, transactionId: string): string {
  return sign(key, 'pay page', Buffer.from(transactionId)).toString('base64url').slice(0, 22)
}

function sign(key: Buffer, use: string, content: Buffer): Buffer {
  return createHmac('sha256', key).update(`${use}\n`).update(content).digest()
}
