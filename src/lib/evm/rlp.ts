/** A value of Recursive Length Prefix encoding: bytes, or a list of values. */
export type RlpValue = Uint8Array | readonly RlpValue[]

/** Encodes a value as Ethereum's yellow paper, appendix B, says. */
export function encodeRlp(value: RlpValue): Buffer {
  if (value instanceof Uint8Array) {
    if (value.length === 1 && (value[0] ?? 0) < 0x80) return Buffer.from(value)
    return Buffer.concat([lengthPrefix(value.length, 0x80), value])
  }
  const items = Buffer.concat(value.map(encodeRlp))
  return Buffer.concat([lengthPrefix(items.length, 0xc0), items])
}

/** A number without leading zero bytes; zero is empty. */
export function rlpNumber(value: bigint): Buffer {
  if (value < 0n) throw new RangeError('RLP has no negative numbers')
  if (value === 0n) return Buffer.alloc(0)
  const digits = value.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
}

function lengthPrefix(length: number, offset: number): Buffer {
  if (length < 56) return Buffer.of(offset + length)
  const bytes = rlpNumber(BigInt(length))
  return Buffer.concat([Buffer.of(offset + 55 + bytes.length), bytes])
}
