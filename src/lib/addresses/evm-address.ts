import { keccak_256 } from '@noble/hashes/sha3.js'

const hexAddress = /^0x[0-9a-fA-F]{40}$/

export function isEvmAddress(text: string): boolean {
  return hexAddress.test(text)
}

/** EIP-55: a letter is upper case where the hash of the lower-case digits has a high nibble. */
export function checksumEvmAddress(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = Buffer.from(keccak_256(Buffer.from(digits, 'ascii'))).toString('hex')
  const cased = [...digits].map((digit, place) => (hash.charCodeAt(place) >= highNibble ? digit.toUpperCase() : digit))
  return `0x${cased.join('')}`
}

/** Hex digits from 8 on are high: in ASCII the letters follow the digits. */
const highNibble = '8'.charCodeAt(0)

/** Mixed case is a checksum and must be correct; all lower or all upper case carries none. */
export function hasValidChecksumCase(address: string): boolean {
  const digits = address.slice(2)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true
  return checksumEvmAddress(address) === address
}
