import { timingSafeEqual } from 'node:crypto'
import { computeMac } from './seals/mac.ts'

/** The list that a token belongs to. `filters` holds everything that selects items, including the organization. */
export type PageScope = { list: string; filters: Record<string, unknown> }

const macLength = 16
const maxTokenLength = 1024
const refused = { ok: false } as const

/**
 * Creates the token of the next page. `after` is the sort key of the last item shown, so pages stay stable while items
 * are inserted. The token is signed, not encrypted: only a token that Svc created for this list is accepted.
 */
export function createPageToken(key: Buffer, page: PageScope & { after: readonly string[] }): string {
  const after = Buffer.from(JSON.stringify(page.after))
  const token = Buffer.concat([sign(key, page, after), after]).toString('base64url')
  if (token.length > maxTokenLength) throw new RangeError('The sort key is too long for a page token')
  return token
}

export function readPageToken(
  key: Buffer,
  token: string,
  scope: PageScope,
): { ok: true; after: string[] } | { ok: false } {
  if (token.length > maxTokenLength) return refused
  const bytes = Buffer.from(token, 'base64url')
  // Node's decoder skips foreign characters and stray bits; one page must have one token.
  if (bytes.toString('base64url') !== token || bytes.length <= macLength) return refused
  const after = bytes.subarray(macLength)
  if (!timingSafeEqual(bytes.subarray(0, macLength), sign(key, scope, after))) return refused
  return { ok: true, after: JSON.parse(after.toString()) as string[] }
}

/** Signs with a leading label, which separates this use of the key from others. JSON never holds a raw line feed. */
function sign(key: Buffer, scope: PageScope, after: Buffer): Buffer {
  const signed = `page token\n${canonicalJson([scope.list, scope.filters])}\n`
  return computeMac(key, signed, after).subarray(0, macLength)
}

/** Writes JSON with sorted keys and without undefined, so that equal filters give the same text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
