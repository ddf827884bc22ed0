import type { Hmac } from 'node:crypto'
import { LongText } from '../../lib/long-text.ts'
import { computeMac, createMac } from '../../lib/seals/mac.ts'

/**
 * Computes a keyed hash of a request that does not depend on how its JSON is written. Keyed, because bodies hold
 * guessable personal data: anyone could test guesses against a plain hash.
 */
export function fingerprint(key: Buffer, path: string, body: unknown): Buffer {
  const content: Content = { key, parts: ['request', path], hmac: undefined }
  addValue(content, body)
  const text = JSON.stringify(content.parts)
  return content.hmac ? content.hmac.update(text).digest() : computeMac(key, text)
}

/** The parts that are not hashed yet, and the hash of those before, which begins when they are many. */
type Content = { key: Buffer; parts: unknown[]; hmac: Hmac | undefined }

const mostParts = 1_024

/** Adds a value: one JSON of all parts costs less than many short texts. Only what begins a list or an object is a list. */
function addValue(content: Content, value: unknown): void {
  const { parts } = content
  if (typeof value !== 'object' || value === null) {
    parts.push(value ?? null)
  } else if (value instanceof LongText) {
    parts.push(['long text', value.byteLength])
    const hmac = flush(content)
    for (const piece of value.pieces) hmac.update(piece)
  } else if (Array.isArray(value)) {
    parts.push(['list', value.length])
    for (const item of value) addValue(content, item)
  } else {
    const names = Object.keys(value).sort()
    parts.push(['object', names.length])
    for (const name of names) {
      parts.push(name)
      addValue(content, (value as Record<string, unknown>)[name])
    }
  }
  if (parts.length > mostParts) flush(content)
}

function flush(content: Content): Hmac {
  content.hmac ??= createMac(content.key)
  content.hmac.update(JSON.stringify(content.parts))
  content.parts.length = 0
  return content.hmac
}
