import { randomBytes } from 'node:crypto'
import { LongText } from '../../lib/long-text.ts'
import { badField, Refusal } from '../../lib/refusal.ts'

const longTextBytes = 64 * 1024
const maxDepth = 32
// Without its long texts no valid request comes near this size. Parsing more at once would block all other callers.
const maxParsedBytes = 4 * 1024 * 1024

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

// Replaces a long text while the rest is parsed. Random per process, so that no caller can forge one.
const placeholder = `long-text-${randomBytes(16).toString('hex')}-`

/**
 * Reads JSON as it arrives. Cuts out long texts on the way, so that a body of 100 MB of images costs no more than its
 * bytes and is never parsed in one step, which would block the process. All other content stays in whole chunks: a
 * million tiny texts create no more objects than a single number.
 */
export class JsonBodyReader {
  #kept: Buffer[] = []
  #keptBytes = 0
  /** The pieces, without quotes, of a text that began in an earlier chunk or has become long in this one. */
  #pending: Buffer[] | undefined
  #longTexts: LongText[] = []
  #insideText = false
  #afterBackslash = false
  #depth = 0

  push(chunk: Buffer): void {
    let keepFrom = 0
    let textStart = 0
    let at = 0
    // Also enters the loop for a text that opens with the last byte of the chunk.
    while (at < chunk.length || (this.#insideText && !this.#pending)) {
      if (!this.#insideText) {
        at = this.#skipStructure(chunk, at)
        textStart = at
        continue
      }
      const end = this.#findTextEnd(chunk, at)
      const isEnded = end < chunk.length
      const isShort = !this.#pending && isEnded && end - textStart <= longTextBytes
      if (!isShort) {
        if (!this.#pending) {
          this.#keep(chunk.subarray(keepFrom, textStart - 1))
          this.#pending = []
        }
        this.#pending.push(chunk.subarray(textStart, end))
        if (isEnded) this.#endPending()
        keepFrom = end + 1
      }
      this.#insideText = !isEnded
      at = end + 1
      textStart = 0
    }
    if (keepFrom < chunk.length) this.#keep(chunk.subarray(keepFrom))
    if (this.#keptBytes > maxParsedBytes) throw badField('body', 'has too many values; send less data in one request')
  }

  finish(): unknown {
    if (this.#insideText || this.#depth !== 0) throw notJson()
    const json = decode(Buffer.concat(this.#kept))
    const value = parse(json)
    refuseWide(value, 'body')
    if (/\\u(0000|d[89a-f])/i.test(json)) refuseUnstorable(value, '')
    return this.#longTexts.length === 0 ? value : this.#restoreLongTexts(value)
  }

  /** Returns the place after the next opening quote, or the end of the chunk. */
  #skipStructure(chunk: Buffer, start: number): number {
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === quote) {
        this.#insideText = true
        return at + 1
      }
      if (byte === openBrace || byte === openBracket) {
        this.#depth += 1
        if (this.#depth > maxDepth) throw badField('body', `must not be nested deeper than ${maxDepth} levels`)
      } else if (byte === closeBrace || byte === closeBracket) this.#depth -= 1
    }
    return chunk.length
  }

  /** Returns the place of the closing quote, or the end of the chunk. */
  #findTextEnd(chunk: Buffer, start: number): number {
    for (let at = start; at < chunk.length; at++) {
      if (this.#afterBackslash) this.#afterBackslash = false
      else if (chunk[at] === backslash) this.#afterBackslash = true
      else if (chunk[at] === quote) return at
    }
    return chunk.length
  }

  #endPending(): void {
    const pieces = this.#pending ?? []
    this.#pending = undefined
    if (byteLength(pieces) > longTextBytes) {
      this.#keep(Buffer.from(`"${placeholder}${this.#longTexts.length}"`))
      this.#longTexts.push(new LongText(pieces))
    } else for (const piece of [Buffer.from('"'), ...pieces, Buffer.from('"')]) this.#keep(piece)
  }

  #keep(bytes: Buffer): void {
    this.#kept.push(bytes)
    this.#keptBytes += bytes.length
  }

  #restoreLongTexts(value: unknown): unknown {
    if (typeof value === 'string' && value.startsWith(placeholder))
      return this.#longTexts[Number(value.slice(placeholder.length))]
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => this.#restoreLongTexts(item))
    const entries = Object.entries(value).map(([name, inside]) => {
      if (name.startsWith(placeholder)) throw badField('body', 'has a field whose name is too long')
      return [name, this.#restoreLongTexts(inside)] as const
    })
    return Object.fromEntries(entries)
  }
}

function byteLength(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0)
}

/** The most items of a list or object. No valid request has more; validating them would block all other callers. */
const maxItems = 1_000

function refuseWide(value: unknown, field: string): void {
  if (typeof value !== 'object' || value === null) return
  const inside = Array.isArray(value) ? value : Object.values(value)
  if (inside.length > maxItems) throw badField(field, `must not have more than ${maxItems} items`)
  for (const each of inside) refuseWide(each, field)
}

/** Refuses texts that PostgreSQL cannot store unchanged: NUL, and unpaired surrogates. */
function refuseUnstorable(value: unknown, field: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw badField(field || 'body', 'must not contain the character NUL')
    if (!value.isWellFormed()) throw badField(field || 'body', 'must be valid Unicode text')
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) refuseUnstorable(item, `${field}[${at}]`)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inside] of Object.entries(value)) {
      refuseUnstorable(name, field)
      refuseUnstorable(inside, field === '' ? name : `${field}.${name}`)
    }
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal('BAD_REQUEST', 'The body is not UTF-8 text; encode it as UTF-8')
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw notJson()
  }
}

/** Hides the parser's message, which quotes the body and so may hold personal data. */
function notJson(): Refusal {
  return new Refusal('BAD_REQUEST', 'The body is not valid JSON')
}
