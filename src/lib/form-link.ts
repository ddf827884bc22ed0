import { timingSafeEqual } from 'node:crypto'
import { formatUuid } from './ids.ts'
import { computeMac } from './seals/mac.ts'

/** The purpose of a hosted form. It is part of the signature, so that a link to one form opens no other. */
export type FormPurpose = 'verify' | 'bank-account' | 'pay'

const format = 1
const macLength = 16

/**
 * Creates the token of a form link: format, subject and version, with a MAC over these and the purpose. The same
 * subject and version always give the same token, so every read can show the link; a higher version revokes it.
 */
export function createFormToken(key: Buffer, purpose: FormPurpose, subjectId: string, version: number): string {
  const head = Buffer.alloc(21)
  head[0] = format
  head.write(subjectId.replaceAll('-', ''), 1, 'hex')
  head.writeUInt32BE(version, 17)
  return Buffer.concat([head, sign(key, purpose, head)]).toString('base64url')
}

export function readFormToken(
  key: Buffer,
  purpose: FormPurpose,
  token: string,
): { subjectId: string; version: number } | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== 21 + macLength || bytes[0] !== format || bytes.toString('base64url') !== token) return undefined
  const head = bytes.subarray(0, 21)
  if (!timingSafeEqual(bytes.subarray(21), sign(key, purpose, head))) return undefined
  return { subjectId: formatUuid(head.subarray(1, 17)), version: head.readUInt32BE(17) }
}

function sign(key: Buffer, purpose: FormPurpose, head: Buffer): Buffer {
  return computeMac(key, `form ${purpose}\n`, head).subarray(0, macLength)
}
