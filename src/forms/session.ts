import { createHmac, timingSafeEqual } from 'node:crypto'
import { formatUuid } from '../lib/ids.ts'
import { Refusal } from '../lib/refusal.ts'

/** A browser that has shown a valid link. It lives in a cookie alone: no row is written for it. */
export type FormSession = {
  sessionId: string
  organizationId: string
  /** The customer, or the payment account, that the link is about. */
  subjectId: string
  /** Raising the version of the link ends every session that it opened. */
  linkVersion: number
  startedAtMs: number
  expiresAtMs: number
}

/** A session ends after this time without activity, and after `longestMs` in any case. */
export const sessionMs = 30 * 60_000
const longestMs = 12 * 60 * 60_000

const format = 2
const headLength = 65
const macLength = 32

/** Seals a session into the value of a cookie. */
export function sealSession(key: Buffer, session: FormSession): string {
  const head = Buffer.alloc(headLength)
  head[0] = format
  const ids = [session.sessionId, session.organizationId, session.subjectId]
  for (const [at, id] of ids.entries()) head.write(id.replaceAll('-', ''), 1 + at * 16, 'hex')
  head.writeUInt32BE(session.linkVersion, 49)
  head.writeUIntBE(Math.floor(session.expiresAtMs / 1_000), 53, 6)
  head.writeUIntBE(Math.floor(session.startedAtMs / 1_000), 59, 6)
  return Buffer.concat([head, sign(key, 'form session', head)]).toString('base64url')
}

/** Reads a cookie; undefined when it is forged or the session has ended. */
export function readSession(key: Buffer, text: string, nowMs: number): FormSession | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== headLength + macLength || bytes[0] !== format) return undefined
  const head = bytes.subarray(0, headLength)
  if (!timingSafeEqual(bytes.subarray(headLength), sign(key, 'form session', head))) return undefined
  const idAt = (at: number) => formatUuid(head.subarray(1 + at * 16, 17 + at * 16))
  const expiresAtMs = head.readUIntBE(53, 6) * 1_000
  if (expiresAtMs <= nowMs) return undefined
  return {
    sessionId: idAt(0),
    organizationId: idAt(1),
    subjectId: idAt(2),
    linkVersion: head.readUInt32BE(49),
    startedAtMs: head.readUIntBE(59, 6) * 1_000,
    expiresAtMs,
  }
}

/** Starts a session, or renews one after activity. */
export function renewSession(session: Omit<FormSession, 'expiresAtMs'>, nowMs: number): FormSession {
  return { ...session, expiresAtMs: Math.min(nowMs + sessionMs, lastMomentOf(session)) }
}

/** The end of a session that no activity moves. */
export function lastMomentOf({ startedAtMs }: Pick<FormSession, 'startedAtMs'>): number {
  return startedAtMs + longestMs
}

/** The token that a page of this session sends with every request. Another site can send the cookie, but not this. */
export function pageTokenOf(key: Buffer, { sessionId, subjectId }: FormSession): string {
  return sign(key, 'form page', Buffer.from(`${sessionId} ${subjectId}`)).toString('base64url')
}

/** Names a form, the same in every session: a page never sends its answers to the form of another customer. */
export function formIdOf(key: Buffer, { subjectId }: FormSession): string {
  return sign(key, 'form id', Buffer.from(subjectId)).toString('base64url')
}

export function isPageToken(key: Buffer, session: FormSession, given: unknown): boolean {
  const wanted = Buffer.from(pageTokenOf(key, session))
  const sent = Buffer.from(typeof given === 'string' ? given : '')
  return sent.length === wanted.length && timingSafeEqual(sent, wanted)
}

export function sessionEnded(): Refusal {
  return new Refusal('UNAUTHORIZED', 'The session of this form has ended; open the link again')
}

function sign(key: Buffer, use: string, content: Buffer): Buffer {
  return createHmac('sha256', key).update(`${use}\n`).update(content).digest()
}
