import { randomBytes } from 'node:crypto'
import { badField, Refusal } from '../lib/refusal.ts'

/** A text too long to be worth a JavaScript string: document images, mostly. Kept as the bytes that came in. */
export class LongText {
  readonly pieces: readonly Buffer[]
  readonly byteLength: number
  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces
    this.byteLength = pieces.reduce((sum, piece) => sum + piece.length, 0)
  }
}

const longTextBytes = 64 * 1024
const deepest = 32
// Long texts aside, no request of ours comes near this; parsing more at once would stall every other caller.
const mostBytesOfValues = 4 * 1024 * 1024

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

// Stands in for a long text while the rest is parsed. Random per process, so that no caller can write one.
const standIn = `long-text-${randomBytes(16).toString('hex')}-`

/**
 * Reads JSON as it arrives. Long texts are cut out on the way, so that a body of 100 MB full of images costs no more
 * than its bytes, is never parsed in one go, and never blocks the process.
 */
export class JsonBodyReader {
  #kept: Buffer[] = []
  #keptBytes = 0
  #text: Buffer[] = []
  #textBytes = 0
  #longTexts: LongText[] = []
  #insideText = false
  #afterBackslash = false
  #depth = 0

  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) at = this.#insideText ? this.#readText(chunk, at) : this.#readStructure(chunk, at)
    if (this.#keptBytes > mostBytesOfValues) throw badField('body', 'holds too many values')
  }

  finish(): unknown {
    const json = decode(Buffer.concat(this.#insideText ? [...this.#kept, ...this.#text] : this.#kept))
    const value = parse(json)
    return this.#longTexts.length === 0 ? value : this.#putLongTextsBack(value)
  }

  #readStructure(chunk: Buffer, start: number): number {
    let at = start
    for (; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === quote) {
        this.#insideText = true
        break
      }
      if (byte === openBrace || byte === openBracket) {
        this.#depth += 1
        if (this.#depth > deepest) throw badField('body', `must not be nested deeper than ${deepest} levels`)
      } else if (byte === closeBrace || byte === closeBracket) this.#depth -= 1
    }
    this.#keep(chunk.subarray(start, at))
    return at < chunk.length ? at + 1 : at
  }

  #readText(chunk: Buffer, start: number): number {
    let at = start
    for (; at < chunk.length; at++) {
      if (this.#afterBackslash) this.#afterBackslash = false
      else if (chunk[at] === backslash) this.#afterBackslash = true
      else if (chunk[at] === quote) break
    }
    this.#text.push(chunk.subarray(start, at))
    this.#textBytes += at - start
    if (at === chunk.length) return at
    this.#endText()
    return at + 1
  }

  #endText(): void {
    if (this.#textBytes > longTextBytes) {
      this.#keep(Buffer.from(`"${standIn}${this.#longTexts.length}"`))
      this.#longTexts.push(new LongText(this.#text))
    } else {
      this.#keep(Buffer.from('"'))
      for (const piece of this.#text) this.#keep(piece)
      this.#keep(Buffer.from('"'))
    }
    this.#text = []
    this.#textBytes = 0
    this.#insideText = false
  }

  #keep(bytes: Buffer): void {
    this.#kept.push(bytes)
    this.#keptBytes += bytes.length
  }

  #putLongTextsBack(value: unknown): unknown {
    if (typeof value === 'string' && value.startsWith(standIn))
      return this.#longTexts[Number(value.slice(standIn.length))]
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => this.#putLongTextsBack(item))
    const entries = Object.entries(value).map(([name, inside]) => {
      if (name.startsWith(standIn)) throw badField('body', 'has a field whose name is too long')
      return [name, this.#putLongTextsBack(inside)] as const
    })
    return Object.fromEntries(entries)
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal('BAD_REQUEST', 'The body is not UTF-8 text')
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // The parser's own message would quote the body, which may hold personal data.
    throw new Refusal('BAD_REQUEST', 'The body is not valid JSON')
  }
}
