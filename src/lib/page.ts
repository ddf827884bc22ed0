import { createHmac, timingSafeEqual } from 'node:crypto'

/** Which list a token belongs to. Put everything that selects rows into `filters`, the organization included. */
export type PageScope = { list: string; filters: Record<string, unknown> }

const macLength = 16
const longestToken = 1024
const refused = { ok: false } as const

/**
 * `after` is the sort key of the last row shown, so a page stays stable while rows are inserted. The token holds it
 * in the clear behind a signature: it keeps no secret, but only a token that we made for this very list is followed.
 */
export function createPageToken(key: Buffer, page: PageScope & { after: readonly string[] }): string {
  const after = Buffer.from(JSON.stringify(page.after))
  const token = Buffer.concat([sign(key, page, after), after]).toString('base64url')
  if (token.length > longestToken) throw new RangeError('The sort key is too long for a page token')
  return token
}

export function readPageToken(
  key: Buffer,
  token: string,
  scope: PageScope,
): { ok: true; after: string[] } | { ok: false } {
  if (token.length > longestToken) return refused
  const bytes = Buffer.from(token, 'base64url')
  // Node's decoder skips foreign characters and stray bits; one page must have one token.
  if (bytes.toString('base64url') !== token || bytes.length <= macLength) return refused
  const after = bytes.subarray(macLength)
  if (!timingSafeEqual(bytes.subarray(0, macLength), sign(key, scope, after))) return refused
  return { ok: true, after: JSON.parse(after.toString()) as string[] }
}

/** The leading words keep this signature apart from other uses of the key; JSON never holds a raw line feed. */
function sign(key: Buffer, scope: PageScope, after: Buffer): Buffer {
  const signed = `page token\n${canonicalJson([scope.list, scope.filters])}\n`
  return createHmac('sha256', key).update(signed).update(after).digest().subarray(0, macLength)
}

/** Keys in order, and undefined left out as JSON does: the same filters give the same text however they were built. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
