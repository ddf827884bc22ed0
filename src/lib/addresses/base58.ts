const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const digits = new Map([...alphabet].map((character, digit) => [character, digit]))
/** As many digits as an exact JS number holds: big numbers are slow, so they take many digits at once. */
const chunk = 9
const powers = Array.from({ length: chunk + 1 }, (_, length) => 58n ** BigInt(length))
const chunkPower = powers[chunk] as bigint

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

export function writeBase58(bytes: Uint8Array): string {
  const zeros = bytes.findIndex((byte) => byte !== 0)
  if (zeros < 0) return '1'.repeat(bytes.length)
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= chunkPower) {
    let part = ''
    for (let number = Number(value % chunkPower); part.length < chunk; number = Math.floor(number / 58)) {
      part = alphabet[number % 58] + part
    }
    text = part + text
  }
  return '1'.repeat(zeros) + text.replace(/^1+/, '')
}
