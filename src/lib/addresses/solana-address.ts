import { readBase58, writeBase58 } from './base58.ts'

const keyLength = 32
/** 32 bytes take 43 or 44 digits; a leading zero byte takes one digit, so at least 32. */
const maxDigits = 44

/** Decodes a base58 address to its 32 bytes; undefined for any other text. */
export function readSolanaAddress(text: string): Uint8Array | undefined {
  if (text.length < keyLength || text.length > maxDigits) return undefined
  const bytes = readBase58(text)
  return bytes?.length === keyLength ? bytes : undefined
}

export function writeSolanaAddress(bytes: Uint8Array): string {
  return writeBase58(bytes)
}
