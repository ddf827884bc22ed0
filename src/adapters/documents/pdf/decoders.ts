/** Undoes one filter of a PDF stream: takes the next bytes and returns those that they stand for. */
export type Decoder = {
  write(bytes: Uint8Array): Uint8Array
  /** Returns what is left once the last byte was written. */
  end(): Uint8Array
}

const nothing = new Uint8Array(0)
const isSpace = new Uint8Array(256)
for (const character of '\0\t\n\f\r ') isSpace[character.charCodeAt(0)] = 1

const tilde = 0x7e
const letterZ = 0x7a
const exclamationMark = 0x21

/** ISO 32000-1, 7.4.3: five characters stand for four bytes, `z` for four zeros; `~>` ends the data. */
export function createAscii85Decoder(): Decoder {
  let [value, count, isDone] = [0, 0, false]

  function flush(): Uint8Array {
    if (count === 0) return nothing
    if (count === 1) throw new Error('A lonely character')
    const [length, missing] = [count - 1, 5 - count]
    for (let at = 0; at < missing; at++) value = value * 85 + 84
    count = 0
    return bytesOf(value).subarray(0, length)
  }

  return {
    write: (bytes) => {
      const out = Buffer.allocUnsafe(bytes.length * 4 + 4)
      let length = 0
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at]!
        if (isDone || isSpace[byte] === 1) continue
        if (byte === tilde) {
          const rest = flush()
          out.set(rest, length)
          length += rest.length
          isDone = true
        } else if (byte === letterZ && count === 0) {
          out.fill(0, length, length + 4)
          length += 4
        } else {
          if (byte < exclamationMark || byte >= exclamationMark + 85) throw new Error('Not base 85')
          value = value * 85 + byte - exclamationMark
          count += 1
          if (count < 5) continue
          out.set(bytesOf(value), length)
          length += 4
          ;[value, count] = [0, 0]
        }
      }
      return out.subarray(0, length)
    },
    end: () => (isDone ? nothing : flush()),
  }
}

function bytesOf(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value) // throws when the group is larger than four bytes
  return bytes
}

const closeAngle = 0x3e
const notDigit = 0xff
const digits = new Uint8Array(256).fill(notDigit)
for (const character of '0123456789abcdefABCDEF') digits[character.charCodeAt(0)] = Number.parseInt(character, 16)

/** ISO 32000-1, 7.4.2: two digits stand for a byte; `>` ends the data, and an odd last digit counts sixteen-fold. */
export function createHexDecoder(): Decoder {
  let [high, isDone] = [-1, false]
  return {
    write: (bytes) => {
      const out = Buffer.allocUnsafe(Math.ceil(bytes.length / 2) + 1)
      let length = 0
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at]!
        if (isDone || isSpace[byte] === 1) continue
        if (byte === closeAngle) isDone = true
        const digit = isDone ? 0 : digits[byte]!
        if (digit === notDigit) throw new Error('Not hexadecimal')
        if (high >= 0) out[length++] = high * 16 + digit
        high = high >= 0 || isDone ? -1 : digit
      }
      return out.subarray(0, length)
    },
    end: () => (high >= 0 ? Uint8Array.of(high * 16) : nothing),
  }
}

const endOfRuns = 128

/** ISO 32000-1, 7.4.5: up to 127 announces as many bytes and one more; above 128 the next byte is repeated. */
export function createRunLengthDecoder(): Decoder {
  let [literal, repeat, isDone] = [0, 0, false]
  return {
    write: (bytes) => {
      const out = Buffer.allocUnsafe(bytes.length * 128)
      let length = 0
      for (let at = 0; at < bytes.length && !isDone; at++) {
        const byte = bytes[at]!
        if (literal > 0) {
          out[length++] = byte
          literal -= 1
        } else if (repeat > 0) {
          out.fill(byte, length, length + repeat)
          length += repeat
          repeat = 0
        } else if (byte === endOfRuns) isDone = true
        else if (byte < endOfRuns) literal = byte + 1
        else repeat = 257 - byte
      }
      return out.subarray(0, length)
    },
    end: () => nothing,
  }
}

const clearTable = 256
const endOfData = 257
const tableSize = 4_096

/** ISO 32000-1, 7.4.4: codes of 9 to 12 bits. `early` is 1 when a code grows one entry before it must. */
export function createLzwDecoder(early: 0 | 1): Decoder {
  const prefix = new Uint16Array(tableSize)
  const last = Uint8Array.from({ length: tableSize }, (_, code) => code & 255)
  const first = Uint8Array.from(last)
  const lengths = new Uint16Array(tableSize).fill(1)
  let [bits, bitCount, width, next, previous, isDone] = [0, 0, 9, 258, -1, false]

  /** Adds the previous entry with one more byte. */
  function add(byte: number): void {
    if (next === tableSize) return
    prefix[next] = previous
    last[next] = byte
    first[next] = first[previous]!
    lengths[next] = lengths[previous]! + 1
    next += 1
    if (next + early >= 1 << width && width < 12) width += 1
  }

  /** Takes a code into the table and returns the entry that it stands for; -1 for a control code. */
  function take(code: number): number {
    if (code === endOfData) isDone = true
    if (code === clearTable) [width, next, previous] = [9, 258, -1]
    if (code === clearTable || code === endOfData) return -1
    if (code > next || (code === next && previous < 0) || (previous < 0 && code > 255)) throw new Error('No such code')
    if (previous >= 0) add(first[code === next ? previous : code]!)
    previous = code
    return code
  }

  return {
    write: (bytes) => {
      let out = Buffer.allocUnsafe(bytes.length * 8 + tableSize)
      let length = 0
      for (let read = 0; read < bytes.length && !isDone; read++) {
        bits = ((bits << 8) | bytes[read]!) & 0xfffff
        bitCount += 8
        if (bitCount < width) continue
        bitCount -= width
        const code = take((bits >> bitCount) & ((1 << width) - 1))
        if (code < 0) continue
        const end = length + lengths[code]!
        if (end > out.length) out = Buffer.concat([out.subarray(0, length)], Math.max(end, out.length * 2))
        for (let [at, entry] = [end - 1, code]; at >= length; at--) {
          out[at] = last[entry]!
          entry = prefix[entry]!
        }
        length = end
      }
      return out.subarray(0, length)
    },
    end: () => nothing,
  }
}
