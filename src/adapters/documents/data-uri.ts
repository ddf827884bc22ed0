/** The declared type and the bytes of a data URI. The type is in lower case and not yet compared with the content. */
export type DataUri = { ok: true; declaredType: string; bytes: Buffer }

/** A problem, which completes a sentence that begins with the name of the field. */
export type DataUriProblem = { ok: false; problem: string }

const notDataUri = 'must be a data URI such as data:image/jpeg;base64,…'
const badEscape = 'must not contain escaped characters other than those of base64'
const badBase64 = 'must be standard base64 with padding and without spaces or line breaks'

// Room for "data:", the longest accepted type, ";base64" and a longer wrong type.
const longestPrefix = 128
const prefixPattern = /^data:([a-z]+\/[a-z0-9.+-]+);base64$/i

const comma = 0x2c
const equals = 0x3d
const backslash = 0x5c
const slash = 0x2f
const letterU = 0x75

const notBase64 = 0xff
const sextets = new Uint8Array(256).fill(notBase64)
for (const [value, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  sextets[character.charCodeAt(0)] = value
}

const end = -1
const escapeFailed = -2

/** Reads the characters of a text one by one, unescaped when the text is the inside of a JSON string. */
class CharacterReader {
  readonly #pieces: readonly Uint8Array[]
  readonly #isEscaped: boolean
  #piece: Uint8Array
  #nextPiece = 1
  #at = 0

  constructor(pieces: readonly Uint8Array[], isEscaped: boolean) {
    this.#pieces = pieces
    this.#isEscaped = isEscaped
    this.#piece = pieces[0] ?? new Uint8Array(0)
  }

  next(): number {
    const byte = this.#nextByte()
    return byte === backslash && this.#isEscaped ? this.#unescape() : byte
  }

  #nextByte(): number {
    while (this.#at === this.#piece.length) {
      const next = this.#pieces[this.#nextPiece]
      if (!next) return end
      this.#nextPiece += 1
      this.#piece = next
      this.#at = 0
    }
    return this.#piece[this.#at++]!
  }

  #unescape(): number {
    const letter = this.#nextByte()
    // The other short escapes of RFC 8259, section 7, stand for characters that no data URI holds.
    if (letter !== letterU) return letter === slash ? slash : escapeFailed
    const digits = [this.#nextByte(), this.#nextByte(), this.#nextByte(), this.#nextByte()]
    const hex = digits.map((digit) => String.fromCharCode(Math.max(digit, 0))).join('')
    return /^00[0-7][0-9a-f]$/i.test(hex) ? Number.parseInt(hex, 16) : escapeFailed
  }
}

/**
 * Decodes a data URI without building one string of it. `isEscaped` says that the bytes are those between the quotes of
 * a JSON string: some writers put `\/` for the slash and `\u002b` for the plus of base64. Decoding stops one byte after
 * `mostBytes`.
 */
export function readDataUri(
  pieces: readonly Uint8Array[],
  { isEscaped, mostBytes }: { isEscaped: boolean; mostBytes: number },
): DataUri | DataUriProblem {
  const reader = new CharacterReader(pieces, isEscaped)
  const declaredType = readPrefix(reader)
  if (declaredType === undefined) return { ok: false, problem: notDataUri }
  const room = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const bytes = decodeBase64(reader, Math.min(mostBytes + 1, Math.ceil(room / 4) * 3))
  return typeof bytes === 'string' ? { ok: false, problem: bytes } : { ok: true, declaredType, bytes }
}

function readPrefix(reader: CharacterReader): string | undefined {
  let prefix = ''
  while (prefix.length <= longestPrefix) {
    const character = reader.next()
    if (character === comma) return prefixPattern.exec(prefix)?.[1]?.toLowerCase()
    if (character < 0) return undefined
    prefix += String.fromCharCode(character)
  }
  return undefined
}

/** Decodes up to `mostBytes`. RFC 4648, section 4, with the strictness that its section 3 allows. */
function decodeBase64(reader: CharacterReader, mostBytes: number): Buffer | string {
  const bytes = Buffer.allocUnsafeSlow(mostBytes)
  let length = 0
  let bits = 0
  let bitCount = 0
  let character = reader.next()
  for (; character >= 0 && character !== equals; character = reader.next()) {
    const sextet = sextets[character] ?? notBase64
    if (sextet === notBase64) return badBase64
    bits = (bits << 6) | sextet
    bitCount += 6
    if (bitCount < 8) continue
    bitCount -= 8
    bytes[length++] = bits >> bitCount
    bits &= (1 << bitCount) - 1
    if (length === mostBytes) return bytes
  }
  // Left-over bits must be zero and padded: otherwise two texts would decode to the same bytes.
  const isWhole = bits === 0 && bitCount < 6
  for (let padding = bitCount / 2; padding > 0; padding--) {
    if (character !== equals) return character === escapeFailed ? badEscape : badBase64
    character = reader.next()
  }
  if (character === escapeFailed) return badEscape
  return isWhole && character === end ? bytes.subarray(0, length) : badBase64
}
