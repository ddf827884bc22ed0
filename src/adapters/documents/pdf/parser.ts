import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFParser,
  PDFRawStream,
  PDFRef,
  type PDFStream,
  PDFString,
} from '@cantoo/pdf-lib'
import { DocumentRefused, documentProblems, unsupported } from '../document-check.ts'
import { type Decryption, openWithoutPassword } from './decryption.ts'
import { divideFilters, filtersOf, unpackSync } from './filters.ts'

/**
 * The limits of one file. They must stop the reading long before the heap is full: usually Node ends only the worker
 * then, but when the heap fills up while a large Map grows, V8 aborts the whole process.
 */
const mostValues = 500_000
/** Counts object headers, and two integers per table entry. */
const mostIntegers = 600_000
const mostDepth = 64
const mostExpandedBytes = 16 * 1024 * 1024
const longestName = 1_000
const longestNumber = 300
/** ISO 32000-1, annex C. */
const largestObjectNumber = 8_388_607

const openParenthesis = 0x28
const closeParenthesis = 0x29
const backslash = 0x5c
const closeAngle = 0x3e

/**
 * The library keeps every name and reference that it ever parsed. Past this many values the thread must be replaced,
 * before a harmless file meets a full heap.
 */
const mostRemembered = 100_000
let remembered = 0

export function isLibraryCacheFull(): boolean {
  return remembered > mostRemembered
}

type Spent = { values: number; integers: number; depth: number; expandedBytes: number; problem: string | undefined }

/** How object streams and encrypted content are read. */
type Reading = { skipsObjectStreams?: boolean; decryption?: Decryption | undefined }

/**
 * Parses every object of the file, including those in object streams. The last object of a number counts. Decrypts a
 * file that opens without a password.
 */
export async function parsePdf(bytes: Buffer): Promise<PDFContext> {
  // Object streams are unreadable before the key is known, and never hold what the key is computed from.
  const decryption = bytes.includes('/Encrypt') ? await findDecryption(bytes) : undefined
  const context = await parseOnce(bytes, { decryption })
  if (context.trailerInfo.Encrypt && !decryption) throw new DocumentRefused(documentProblems.encrypted)
  return context
}

async function findDecryption(bytes: Buffer): Promise<Decryption | undefined> {
  const context = await parseOnce(bytes, { skipsObjectStreams: true })
  const { Encrypt, ID } = context.trailerInfo
  if (!Encrypt) return undefined
  const encrypt = context.lookup(Encrypt)
  if (!(encrypt instanceof PDFDict)) throw new DocumentRefused(documentProblems.damaged)
  const ids = context.lookup(ID)
  const id = ids instanceof PDFArray && ids.size() > 0 ? ids.lookup(0) : undefined
  const isText = id instanceof PDFString || id instanceof PDFHexString
  return openWithoutPassword(encrypt, isText ? id.asBytes() : new Uint8Array(0))
}

async function parseOnce(bytes: Buffer, reading: Reading): Promise<PDFContext> {
  const spent: Spent = { values: 0, integers: 0, depth: 0, expandedBytes: 0, problem: undefined }
  // The library swallows errors of the parser below or replaces them by its own.
  const context = await new BudgetedParser(bytes, spent, reading).parseDocument().catch(() => undefined)
  remembered += spent.values + spent.integers
  if (spent.problem !== undefined || !context) throw new DocumentRefused(spent.problem ?? documentProblems.damaged)
  return context
}

const isRegular = new Uint8Array(256).fill(1)
for (const character of '\0\t\n\f\r ()<>[]{}/%') isRegular[character.charCodeAt(0)] = 0
const isNumeric = new Uint8Array(256)
for (const character of '+-.0123456789') isNumeric[character.charCodeAt(0)] = 1

/** The library's parser with limits on values, depth, names, numbers and unpacked streams. */
class BudgetedParser extends PDFParser {
  declare protected readonly context: PDFContext
  readonly #spent: Spent
  readonly #reading: Reading

  constructor(bytes: Uint8Array, spent: Spent, reading: Reading, context?: PDFContext) {
    const throwOnInvalidObject = true
    super(bytes, Number.POSITIVE_INFINITY, throwOnInvalidObject)
    if (context) this.context = context
    this.#spent = spent
    this.#reading = reading
  }

  override parseObject(ref?: PDFRef): PDFObject {
    const spent = this.#spent
    spent.values += 1
    if (spent.values > mostValues || spent.depth === mostDepth) this.#giveUp()
    spent.depth += 1
    try {
      return super.parseObject(ref)
    } finally {
      spent.depth -= 1
    }
  }

  /** Overrides the library, which concatenates single characters at 32 bytes each. */
  protected override parseHexString(ref?: PDFRef): PDFHexString {
    const start = this.bytes.offset() + 1
    for (let at = start; ; at++) {
      const byte = this.bytes.peekAt(at)
      if (byte === undefined) throw new Error('A string without an end')
      if (byte === closeAngle) return this.#decrypted(PDFHexString.of(this.#takeText(start, at)), ref)
    }
  }

  protected override parseString(ref?: PDFRef): PDFString {
    const start = this.bytes.offset() + 1
    let depth = 1
    for (let at = start; ; at++) {
      const byte = this.bytes.peekAt(at)
      if (byte === undefined) throw new Error('A string without an end')
      if (byte === backslash) at += 1
      else if (byte === openParenthesis) depth += 1
      else if (byte === closeParenthesis) depth -= 1
      // The declared type is narrower than what the library's callers accept.
      if (depth === 0) return this.#decrypted(PDFString.of(this.#takeText(start, at)), ref) as PDFString
    }
  }

  /** Objects of object streams have no reference here: the stream was decrypted as a whole. */
  #decrypted<Text extends PDFString | PDFHexString>(text: Text, ref: PDFRef | undefined): Text | PDFHexString {
    const { decryption } = this.#reading
    if (!decryption || !ref) return text
    return PDFHexString.of(Buffer.from(decryption.decryptString(ref, text.asBytes())).toString('hex'))
  }

  /** Takes the text up to a closing character and skips that character. */
  #takeText(start: number, end: number): string {
    this.bytes.moveTo(end + 1)
    return Buffer.from(this.bytes.slice(start, end)).toString('latin1')
  }

  protected override parseName(): PDFName {
    this.#checkRun(1, isRegular, longestName)
    return super.parseName()
  }

  protected override parseRawNumber(): number {
    this.#checkRun(0, isNumeric, longestNumber)
    return super.parseRawNumber()
  }

  /** Counts integers: the library keeps an unused reference for each entry of each table. */
  protected override parseRawInt(): number {
    this.#spent.integers += 1
    if (this.#spent.integers > mostIntegers) this.#giveUp()
    this.#checkRun(0, isNumeric, longestNumber)
    return super.parseRawInt()
  }

  #checkRun(start: number, belongs: Uint8Array, longest: number): void {
    let at = start
    while (belongs[this.bytes.peekAhead(at)] === 1) at += 1
    if (at - start > longest) this.#giveUp()
  }

  /** Reads object streams and cross-reference streams within the limits, so that the library does not unpack them. */
  protected override parseDictOrStream(ref?: PDFRef): PDFDict | PDFStream {
    const object = super.parseDictOrStream(ref)
    if (!(object instanceof PDFRawStream)) return object
    const type = object.dict.lookup(PDFName.of('Type'))
    // Cross-reference streams are never encrypted.
    if (type === PDFName.of('XRef')) {
      this.#readTrailer(object.dict)
      return object.dict
    }
    const { decryption, skipsObjectStreams } = this.#reading
    const stream =
      decryption && ref ? PDFRawStream.of(object.dict, decryption.decryptStream(ref, object.contents)) : object
    if (type !== PDFName.of('ObjStm')) return stream
    if (!skipsObjectStreams) this.#readObjectStream(stream)
    return object.dict
  }

  #readObjectStream(stream: PDFRawStream): void {
    const count = stream.dict.lookup(PDFName.of('N'), PDFNumber).asNumber()
    const first = stream.dict.lookup(PDFName.of('First'), PDFNumber).asNumber()
    new BudgetedParser(this.#expand(stream), this.#spent, {}, this.context).#readPackedObjects(count, first)
  }

  /** ISO 32000-1, 7.5.7: pairs of an object number and a place after `first`, then the objects. */
  #readPackedObjects(count: number, first: number): void {
    if (count > mostValues) this.#giveUp()
    const entries: { objectNumber: number; place: number }[] = []
    while (entries.length < count) {
      this.skipWhitespaceAndComments()
      const objectNumber = this.parseRawInt()
      this.skipWhitespaceAndComments()
      entries.push({ objectNumber, place: first + this.parseRawInt() })
    }
    for (const { objectNumber, place } of entries) {
      this.bytes.moveTo(place)
      this.context.assign(PDFRef.of(objectNumber), this.parseObject())
    }
  }

  /** ISO 32000-1, 7.5.8: the dictionary of a cross-reference stream is a trailer too. Its table is not needed. */
  #readTrailer(dict: PDFDict): void {
    const root = dict.get(PDFName.of('Root'))
    const encrypt = dict.get(PDFName.of('Encrypt'))
    const id = dict.get(PDFName.of('ID'))
    this.context.trailerInfo = {
      ...this.context.trailerInfo,
      ...(root && { Root: root }),
      ...(encrypt && { Encrypt: encrypt }),
      ...(id && { ID: id }),
    }
  }

  #expand({ dict, contents }: PDFRawStream): Uint8Array {
    const filters = filtersOf(dict)
    try {
      const { packed } = divideFilters(filters, false)
      if (filters.some(({ parameters }) => parameters?.has(PDFName.of('Predictor')))) {
        throw new DocumentRefused(unsupported('a predictor in an object stream'))
      }
      const expanded = unpackSync(packed, contents, mostExpandedBytes - this.#spent.expandedBytes)
      this.#spent.expandedBytes += expanded.length
      return expanded
    } catch (error) {
      if (error instanceof RangeError) this.#giveUp()
      throw error instanceof DocumentRefused ? this.#refuse(error.problem) : error
    }
  }

  #giveUp(): never {
    return this.#refuse(documentProblems.tooComplex)
  }

  /** Keeps the problem where the library cannot lose it. */
  #refuse(problem: string): never {
    this.#spent.problem = problem
    throw new Error(problem)
  }
}

/** Tells whether all object numbers are unique and valid for every reader. Otherwise readers may differ. */
export function hasPlainNumbers(context: PDFContext): boolean {
  const refs = context.enumerateIndirectObjects().map(([ref]) => ref)
  const numbers = new Set(refs.map((ref) => ref.objectNumber))
  return numbers.size === refs.length && refs.every((ref) => ref.objectNumber <= largestObjectNumber)
}
