import { createHmac, type Hmac } from 'node:crypto'
import { LongText } from '../../lib/long-text.ts'

/**
 * Tells whether two requests say the same, however their JSON was written. Keyed, because bodies hold guessable
 * personal data and a plain hash of them would be that data.
 */
export function fingerprint(key: Buffer, path: string, body: unknown): Buffer {
  const hmac = createHmac('sha256', key).update('request\n').update(`${path}\n`)
  feed(hmac, body)
  return hmac.digest()
}

function feed(hmac: Hmac, value: unknown): void {
  if (value instanceof LongText) {
    hmac.update(`long text of ${value.byteLength}:`)
    for (const piece of value.pieces) hmac.update(piece)
  } else if (Array.isArray(value)) {
    hmac.update(`[${value.length}:`)
    for (const item of value) feed(hmac, item)
  } else if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).sort()
    hmac.update(`{${names.length}:`)
    for (const name of names) {
      hmac.update(JSON.stringify(name))
      feed(hmac, (value as Record<string, unknown>)[name])
    }
  } else hmac.update(`${JSON.stringify(value ?? null)},`)
}
