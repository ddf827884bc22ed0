const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const keyLength = 32
/** 32 bytes take 43 or 44 digits; a leading zero byte takes one digit, so at least 32. */
const maxDigits = 44

/** Decodes a base58 address to its 32 bytes; undefined for any other text. */
export function readSolanaAddress(text: string): Uint8Array | undefined {
  if (text.length < keyLength || text.length > maxDigits) return undefined
  let value = 0n
  for (const character of text) {
    const digit = alphabet.indexOf(character)
    if (digit < 0) return undefined
    value = value * 58n + BigInt(digit)
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  const hex = value === 0n ? '' : value.toString(16)
  const rest = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')
  return zeros + rest.length === keyLength ? Buffer.concat([Buffer.alloc(zeros), rest]) : undefined
}

export function writeSolanaAddress(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = alphabet[Number(value % 58n)] + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text
}
