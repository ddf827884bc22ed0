import type { Hmac } from 'node:crypto'
import { LongText } from '../../lib/long-text.ts'
import { computeMac, createMac } from '../../lib/seals/mac.ts'

/**
 * Computes a keyed hash of a request that does not depend on how its JSON is written. Keyed, because bodies hold
 * guessable personal data: anyone could test guesses against a plain hash.
 */
export function fingerprint(key: Buffer, path: string, body: unknown): Buffer {
  const hashed: Hashed = { key, hmac: undefined }
  const text = addValue(hashed, `request\n${path}\n`, body)
  return hashed.hmac ? hashed.hmac.update(text).digest() : computeMac(key, text)
}

/** The hash of what came before. It begins when the request is longer than a text. */
type Hashed = { key: Buffer; hmac: Hmac | undefined }

const longestText = 16_384

/** Adds a value to the text that is not hashed yet, and returns it: one long update costs less than many short ones. */
function addValue(hashed: Hashed, text: string, value: unknown): string {
  if (value instanceof LongText) {
    const hmac = flush(hashed, `${text}long text of ${value.byteLength}:`)
    for (const piece of value.pieces) hmac.update(piece)
    return ''
  }
  if (typeof value !== 'object' || value === null) return cut(hashed, `${text}${jsonOf(value ?? null)},`)
  if (Array.isArray(value)) {
    let all = `${text}[${value.length}:`
    for (const item of value) all = addValue(hashed, all, item)
    return cut(hashed, all)
  }
  const names = Object.keys(value).sort()
  let all = `${text}{${names.length}:`
  for (const name of names) all = addValue(hashed, all + jsonOf(name), (value as Record<string, unknown>)[name])
  return cut(hashed, all)
}

/** Writes a value as JSON. Most are texts without a character that JSON escapes. */
function jsonOf(value: unknown): string {
  return typeof value === 'string' && /^[ !#-[\]-~]*$/.test(value) ? `"${value}"` : JSON.stringify(value)
}

/** Hashes a text that has become long. */
function cut(hashed: Hashed, text: string): string {
  if (text.length < longestText) return text
  flush(hashed, text)
  return ''
}

function flush(hashed: Hashed, text: string): Hmac {
  hashed.hmac ??= createMac(hashed.key)
  return hashed.hmac.update(text)
}
