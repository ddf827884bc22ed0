const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const digits = new Map([...alphabet].map((character, digit) => [character, digit]))
/** As many digits as an exact JS number holds: big numbers are slow, so they take many digits at once. */
const chunk = 9
const powers = Array.from({ length: chunk + 1 }, (_, length) => 58n ** BigInt(length))

/** Decodes base58; undefined for text with other characters. */
export function readBase58(text: string): Uint8Array | undefined {
  let value = 0n
  for (let start = 0; start < text.length; start += chunk) {
    const part = text.slice(start, start + chunk)
    let number = 0
    for (const character of part) {
      const digit = digits.get(character)
      if (digit === undefined) return undefined
      number = number * 58 + digit
    }
    value = value * (powers[part.length] as bigint) + BigInt(number)
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  const hex = value === 0n ? '' : value.toString(16)
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')])
}

/** Two digits at once, as text. */
const pairs = Array.from({ length: 58 ** 2 }, (_, pair) => `${alphabet[Math.floor(pair / 58)]}${alphabet[pair % 58]}`)
/** Four digits at once: such a number, times the number of values of three bytes, is exact in a JS number. */
const limb = 58 ** 4
const limbs = new Uint32Array(64)

export function writeBase58(bytes: Uint8Array): string {
  const zeros = bytes.findIndex((byte) => byte !== 0)
  if (zeros < 0) return '1'.repeat(bytes.length)
  // A limb holds more than 23 bits.
  const room = Math.ceil((bytes.length * 8) / 23)
  const number = room <= limbs.length ? limbs : new Uint32Array(room)
  let used = 0
  for (let start = zeros; start < bytes.length; ) {
    // The first step takes what is more than a multiple of three bytes.
    const size = (bytes.length - start) % 3 || 3
    let carry = 0
    for (let end = start + size; start < end; start += 1) carry = carry * 256 + (bytes[start] as number)
    const scale = 256 ** size
    for (let at = 0; at < used; at += 1) {
      carry += (number[at] as number) * scale
      const next = Math.floor(carry / limb)
      // The remainder operator is slow for such numbers.
      number[at] = carry - next * limb
      carry = next
    }
    for (; carry > 0; used += 1) {
      number[used] = carry % limb
      carry = Math.floor(carry / limb)
    }
  }
  let text = ''
  for (let at = used - 1; at >= 0; at -= 1) {
    const part = number[at] as number
    text += `${pairs[Math.floor(part / pairs.length)]}${pairs[part % pairs.length]}`
  }
  return '1'.repeat(zeros) + text.replace(/^1+/, '')
}
