import { randomBytes } from 'node:crypto'
import { LongText } from '../../lib/long-text.ts'
import { badField, Refusal } from '../../lib/refusal.ts'
import { describePlace, findJsonError } from './json-position.ts'

const longTextBytes = 64 * 1024
const maxDepth = 32
// Without its long texts no valid request comes near this size. Parsing more at once would block all other callers.
const maxParsedBytes = 4 * 1024 * 1024
// A business with 100 persons and all documents of each has about half as many. Parsing, checking and fingerprinting a
// million values of two bytes each would block all other callers for a third of a second.
const maxValues = 50_000

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

// Replaces a long text while the rest is parsed. Random per process, so that no caller can forge one.
const placeholder = `long-text-${randomBytes(16).toString('hex')}-`
const anyPlaceholder = new RegExp(`"${placeholder}(\\d+)"`, 'g')

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
  /** At least the number of values so far: each follows a comma or opens a list or an object. */
  #values = 1

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
    if (this.#keptBytes > maxParsedBytes) throw tooManyValues()
  }

  finish(): unknown {
    // An open text is not kept; its quote marks the place.
    const json = decode(Buffer.concat(this.#kept)) + (this.#insideText ? '"' : '')
    if (this.#insideText || this.#depth !== 0) throw this.#notJson(json)
    const value = this.#parse(json)
    refuseWide(value, 'body')
    if (/\\u(0000|d[89a-f])/i.test(json)) refuseUnstorable(value, '')
    return this.#longTexts.length === 0 ? value : this.#restoreLongTexts(value)
  }

  #parse(json: string): unknown {
    try {
      return JSON.parse(json)
    } catch {
      throw this.#notJson(json)
    }
  }

  /** Tells where, and hides the parser's message, which quotes the body and so may hold personal data. */
  #notJson(json: string): Refusal {
    const at = findJsonError(json)
    const line = json.slice(json.lastIndexOf('\n', at - 1) + 1, at)
    // The caller sees the long texts, which `json` has only placeholders for.
    const hidden = [...line.matchAll(anyPlaceholder)].map(
      ([quoted, n]) => (this.#longTexts[Number(n)]?.byteLength ?? 0) - (quoted.length - 2),
    )
    const place = describePlace(json, at, sum(hidden))
    return new Refusal('BAD_REQUEST', `The body is not valid JSON at ${place}`, {
      details: [{ field: 'body', message: `is not valid JSON at ${place}` }],
    })
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
        this.#countValue()
        if (this.#depth > maxDepth) throw badField('body', `must not be nested deeper than ${maxDepth} levels`)
      } else if (byte === closeBrace || byte === closeBracket) this.#depth -= 1
      else if (byte === comma) this.#countValue()
    }
    return chunk.length
  }

  #countValue(): void {
    this.#values += 1
    if (this.#values > maxValues) throw tooManyValues()
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

function tooManyValues(): Refusal {
  return badField('body', `has too many values; send at most ${maxValues} in one request`)
}

function byteLength(pieces: readonly Buffer[]): number {
  return sum(pieces.map(({ length }) => length))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
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

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Refusal('BAD_REQUEST', 'The body is not UTF-8 text; encode it as UTF-8')
  }
}
