import { deflateSync } from 'node:zlib'

/** Encodes as scanners do: four bytes become five characters, four zeros a `z`, in lines of 80 (ISO 32000-1, 7.4.3). */
export function encodeAscii85(bytes: Buffer): Buffer {
  let text = ''
  for (let at = 0; at < bytes.length; at += 4) {
    const group = bytes.subarray(at, at + 4)
    let value = Buffer.concat([group, Buffer.alloc(4 - group.length)]).readUInt32BE()
    if (value === 0 && group.length === 4) {
      text += 'z'
      continue
    }
    const digits: number[] = []
    for (let digit = 0; digit < 5; digit++) {
      digits.unshift((value % 85) + 33)
      value = Math.floor(value / 85)
    }
    text += String.fromCharCode(...digits.slice(0, group.length + 1))
  }
  return Buffer.from(`${text.replaceAll(/.{80}/gs, '$&\n')}~>`)
}

export function encodeHex(bytes: Buffer): Buffer {
  return Buffer.from(`${bytes.toString('hex').replaceAll(/.{80}/g, '$&\r\n')}>`)
}

/** Runs of equal bytes and of other bytes, then 128 (ISO 32000-1, 7.4.5). */
export function encodeRunLength(bytes: Buffer): Buffer {
  const out: number[] = []
  for (let at = 0; at < bytes.length; ) {
    let same = 1
    while (same < 128 && bytes[at + same] === bytes[at]) same += 1
    if (same > 1) out.push(257 - same, bytes[at]!)
    else {
      same = Math.min(128, bytes.length - at)
      out.push(same - 1, ...bytes.subarray(at, at + same))
    }
    at += same
  }
  return Buffer.from([...out, 128])
}

/** Codes of 9 to 12 bits, each of which grows one code early unless told otherwise (ISO 32000-1, 7.4.4). */
export function encodeLzw(bytes: Buffer, early: 0 | 1 = 1): Buffer {
  const out: number[] = []
  let [bits, bitCount, width, next] = [0, 0, 9, 258]
  let table = new Map<string, number>()
  const write = (code: number) => {
    bits = ((bits << width) | code) & 0xffffff
    bitCount += width
    for (; bitCount >= 8; bitCount -= 8) out.push((bits >> (bitCount - 8)) & 255)
  }
  const codeOf = (word: string) => (word.length === 1 ? word.charCodeAt(0) : table.get(word))
  write(256)
  let word = ''
  for (const byte of bytes) {
    const longer = word + String.fromCharCode(byte)
    if (codeOf(longer) !== undefined) {
      word = longer
      continue
    }
    write(codeOf(word)!)
    table.set(longer, next++)
    if (next + early > 1 << width && width < 12) width += 1
    if (next === 4094) {
      write(256)
      ;[table, width, next] = [new Map(), 9, 258]
    }
    word = String.fromCharCode(byte)
  }
  if (word !== '') write(codeOf(word)!)
  next += 1
  if (next + early > 1 << width && width < 12) width += 1
  write(257)
  if (bitCount > 0) out.push((bits << (8 - bitCount)) & 255)
  return Buffer.from(out)
}

/** Zeros by LZW: each code is one byte longer than the one before, so that a table of 5.8 KB stands for 7 MB. */
export function makeLzwBomb(tables: number): Buffer {
  const out: number[] = []
  let [bits, bitCount] = [0, 0]
  const write = (code: number, width: number) => {
    bits = ((bits << width) | code) & 0xffffff
    bitCount += width
    for (; bitCount >= 8; bitCount -= 8) out.push((bits >> (bitCount - 8)) & 255)
  }
  for (let table = 0; table < tables; table++) {
    write(256, table === 0 ? 9 : 12)
    write(0, 9)
    for (let code = 258; code < 4_094; code++) write(code, code < 511 ? 9 : code < 1_023 ? 10 : code < 2_047 ? 11 : 12)
  }
  write(257, 12)
  return Buffer.from([...out, 0])
}

/** Encodes for a chain of filters as a PDF lists them: the reader undoes the first one first. */
export function encodeFor(filters: readonly string[], bytes: Buffer): Buffer {
  return filters.toReversed().reduce((data, name) => encoders[name]!(data), bytes)
}

const encoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  FlateDecode: (bytes) => deflateSync(bytes),
  ASCII85Decode: encodeAscii85,
  ASCIIHexDecode: encodeHex,
  RunLengthDecode: encodeRunLength,
  LZWDecode: (bytes) => encodeLzw(bytes),
  DCTDecode: (bytes) => bytes,
}
