import { keccak_256 } from '@noble/hashes/sha3.js'

/** Bytes as 0x and hexadecimal digits, as JSON-RPC writes them. */
export function toHex(bytes: Uint8Array): `0x${string}` {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/** Reads 0x and an even number of hexadecimal digits. */
export function fromHex(text: string): Buffer {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) throw new RangeError('hexadecimal digits must follow 0x in pairs')
  return Buffer.from(text.slice(2), 'hex')
}

export function keccak(...parts: readonly Uint8Array[]): Buffer {
  return Buffer.from(keccak_256(Buffer.concat(parts)))
}

/** An unsigned number as a word of the ABI: 32 bytes, the highest first. */
export function numberWord(value: bigint): Buffer {
  if (value < 0n || value >> 256n !== 0n) throw new RangeError('a word holds 0 to 2^256 - 1')
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
}

export function addressWord(address: string): Buffer {
  const bytes = fromHex(address)
  if (bytes.length !== 20) throw new RangeError('an address has 20 bytes')
  return Buffer.concat([Buffer.alloc(12), bytes])
}

/** The first four bytes of a call: which function of the contract it calls. */
export function selectorOf(signature: string): Buffer {
  return keccak(Buffer.from(signature)).subarray(0, 4)
}

/** The first topic of a log: which event of the contract it is. */
export function topicOf(signature: string): `0x${string}` {
  return toHex(keccak(Buffer.from(signature)))
}
