import { createHmac, type Hmac } from 'node:crypto'
import { LongText } from '../../lib/long-text.ts'

/**
 * Computes a keyed hash of a request that does not depend on how its JSON is written. Keyed, because bodies hold
 * guessable personal data: anyone could test guesses against a plain hash.
 */
export function fingerprint(key: Buffer, path: string, body: unknown): Buffer {
  const hmac = createHmac('sha256', key).update('request\n').update(`${path}\n`)
  addValue(hmac, body)
  return hmac.digest()
}

function addValue(hmac: Hmac, value: unknown): void {
  if (value instanceof LongText) {
    hmac.update(`long text of ${value.byteLength}:`)
    for (const piece of value.pieces) hmac.update(piece)
  } else if (Array.isArray(value)) {
    hmac.update(`[${value.length}:`)
    for (const item of value) addValue(hmac, item)
  } else if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).sort()
    hmac.update(`{${names.length}:`)
    for (const name of names) {
      hmac.update(JSON.stringify(name))
      addValue(hmac, (value as Record<string, unknown>)[name])
    }
  } else hmac.update(`${JSON.stringify(value ?? null)},`)
}
