import { createHmac } from 'node:crypto'

/**
 * Hashes the texts of a bank entry with a key, because a plain hash of a name can be guessed. Case and spacing do not
 * count: a bank reports one entry in several files, each with its own line breaks.
 */
export function hashDetails(key: Buffer, texts: readonly string[]): Buffer {
  const plain = texts.map((text) => text.normalize('NFKC').toUpperCase().replace(/\s+/g, ''))
  return createHmac('sha256', key).update(JSON.stringify(plain)).digest()
}
