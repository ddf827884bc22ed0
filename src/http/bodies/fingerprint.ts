import type { Hmac } from 'node:crypto'
import { LongText } from '../../lib/long-text.ts'
import { createMac } from '../../lib/seals/mac.ts'

/**
 * Computes a keyed hash of a request that does not depend on how its JSON is written. Keyed, because bodies hold
 * guessable personal data: anyone could test guesses against a plain hash.
 */
export function fingerprint(key: Buffer, path: string, body: unknown): Buffer {
  const content: Content = { hmac: createMac(key), text: `request\n${path}\n` }
  addValue(content, body)
  return content.hmac.update(content.text).digest()
}

/** The text that is not in the hash yet: one long update costs less than many short ones. */
type Content = { hmac: Hmac; text: string }

const longestText = 16_384

function addValue(content: Content, value: unknown): void {
  if (value instanceof LongText) {
    content.hmac.update(`${content.text}long text of ${value.byteLength}:`)
    content.text = ''
    for (const piece of value.pieces) content.hmac.update(piece)
  } else if (Array.isArray(value)) {
    addText(content, `[${value.length}:`)
    for (const item of value) addValue(content, item)
  } else if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).sort()
    addText(content, `{${names.length}:`)
    for (const name of names) {
      addText(content, JSON.stringify(name))
      addValue(content, (value as Record<string, unknown>)[name])
    }
  } else addText(content, `${JSON.stringify(value ?? null)},`)
}

function addText(content: Content, text: string): void {
  content.text += text
  if (content.text.length < longestText) return
  content.hmac.update(content.text)
  content.text = ''
}
