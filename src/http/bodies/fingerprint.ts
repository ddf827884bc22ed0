import type { Hmac } from 'node:crypto'
import { LongText } from '../../lib/long-text.ts'
import { computeMac, createMac } from '../../lib/seals/mac.ts'

/**
 * Computes a keyed hash of a request that does not depend on how its JSON is written. Keyed, because bodies hold
 * guessable personal data: anyone could test guesses against a plain hash.
 */
export function fingerprint(key: Buffer, path: string, body: unknown): Buffer {
  const content: Content = { key, hmac: undefined, text: `request\n${path}\n` }
  addValue(content, body)
  return content.hmac ? content.hmac.update(content.text).digest() : computeMac(key, content.text)
}

/**
 * The text that is not in the hash yet: one long update costs less than many short ones. The hash is started when the
 * request is longer than a text.
 */
type Content = { key: Buffer; hmac: Hmac | undefined; text: string }

const longestText = 16_384

function addValue(content: Content, value: unknown): void {
  if (value instanceof LongText) {
    const hmac = flush(content, `long text of ${value.byteLength}:`)
    for (const piece of value.pieces) hmac.update(piece)
  } else if (Array.isArray(value)) {
    addText(content, `[${value.length}:`)
    for (const item of value) addValue(content, item)
  } else if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).sort()
    addText(content, `{${names.length}:`)
    for (const name of names) {
      addText(content, jsonOf(name))
      addValue(content, (value as Record<string, unknown>)[name])
    }
  } else addText(content, `${jsonOf(value ?? null)},`)
}

/** Writes a value as JSON. Most are texts without a character that JSON escapes. */
function jsonOf(value: unknown): string {
  return typeof value === 'string' && /^[ !#-[\]-~]*$/.test(value) ? `"${value}"` : JSON.stringify(value)
}

function addText(content: Content, text: string): void {
  content.text += text
  if (content.text.length >= longestText) flush(content, '')
}

/** Moves the text into the hash. */
function flush(content: Content, text: string): Hmac {
  content.hmac ??= createMac(content.key)
  content.hmac.update(content.text + text)
  content.text = ''
  return content.hmac
}
