import { once } from 'node:events'
import { createInflate, inflateSync } from 'node:zlib'
import { PDFArray, PDFDict, PDFName, PDFNumber } from '@cantoo/pdf-lib'
import { DocumentRefused, documentProblems, unsupported } from '../document-check.ts'
import {
  createAscii85Decoder,
  createHexDecoder,
  createLzwDecoder,
  createRunLengthDecoder,
  type Decoder,
} from './decoders.ts'

/** A filter of a stream, with its parameters. */
export type Filter = { name: string; parameters: PDFDict | undefined }

/** Abbreviated filter names that readers accept (ISO 32000-2, table 92). */
const shortNames: Readonly<Record<string, string>> = {
  AHx: 'ASCIIHexDecode',
  A85: 'ASCII85Decode',
  LZW: 'LZWDecode',
  Fl: 'FlateDecode',
  RL: 'RunLengthDecode',
  CCF: 'CCITTFaxDecode',
  DCT: 'DCTDecode',
}

const decoders: Readonly<Record<string, (parameters: PDFDict | undefined) => Decoder>> = {
  ASCIIHexDecode: createHexDecoder,
  ASCII85Decode: createAscii85Decoder,
  RunLengthDecode: createRunLengthDecoder,
  LZWDecode: (parameters) => createLzwDecoder(numberIn(parameters, 'EarlyChange') === 0 ? 0 : 1),
}
/** Filters that pack any bytes. Their output can be measured while it is undone. */
const packers = new Set(['FlateDecode', ...Object.keys(decoders)])
/** Filters that code pixels. A reader unpacks as much as the picture's size says. */
const codecs = new Set(['DCTDecode', 'JPXDecode', 'CCITTFaxDecode', 'JBIG2Decode'])
const mostFilters = 8
// A few bytes can stand for millions: what one slice unpacks to fits into memory.
const sliceBytes = 1_024

export function filtersOf(dict: PDFDict): Filter[] {
  const names = listAt(dict, 'Filter')
  const parameters = listAt(dict, 'DecodeParms')
  return names.map((each, at) => {
    const name = each instanceof PDFName ? each.decodeText() : ''
    const given = parameters[at]
    return {
      name: Object.hasOwn(shortNames, name) ? (shortNames[name] ?? name) : name,
      parameters: given instanceof PDFDict ? given : undefined,
    }
  })
}

function listAt(dict: PDFDict, name: string) {
  const value = dict.lookup(PDFName.of(name))
  if (value === undefined) return []
  return value instanceof PDFArray ? value.asArray().map((_, at) => value.lookup(at)) : [value]
}

function numberIn(parameters: PDFDict | undefined, name: string): number | undefined {
  const value = parameters?.lookup(PDFName.of(name))
  return value instanceof PDFNumber ? value.asNumber() : undefined
}

/** Divides a chain into the filters that pack bytes and the one that codes pixels, which only a picture has, last. */
export function divideFilters(filters: readonly Filter[], isPicture: boolean): { packed: Filter[]; codec?: Filter } {
  const last = filters.at(-1)
  const codec = last && isPicture && codecs.has(last.name) ? last : undefined
  const packed = codec ? filters.slice(0, -1) : [...filters]
  if (packed.length > mostFilters || packed.some(({ name }) => !packers.has(name))) throw refuseFilters(filters)
  // Only the last one's predictor, which works on rows of pixels, can be left to the reader.
  const inner = codec ? packed : packed.slice(0, -1)
  if (inner.some(({ parameters }) => (numberIn(parameters, 'Predictor') ?? 1) > 1)) {
    throw new DocumentRefused(unsupported('a predictor inside a chain of filters'))
  }
  return codec ? { packed, codec } : { packed }
}

/** Names known filters only: any other name is a text of the file. */
export function refuseFilters(filters: readonly Filter[]): DocumentRefused {
  const names = filters.map(({ name }) => name)
  const isKnown = names.every((name) => packers.has(name) || codecs.has(name) || name === 'Crypt')
  if (!isKnown || names.length > mostFilters) {
    return new DocumentRefused(unsupported(isKnown ? 'more than 8 filters in a chain' : 'an unknown filter'))
  }
  const list = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names.join('')
  return new DocumentRefused(
    unsupported(names.length > 1 ? `the filters ${list} in this order` : `the filter ${list} here`),
  )
}

/** Undoes packing at once, for a stream of at most `most` bytes. Throws a RangeError when it unpacks to more. */
export function unpackSync(filters: readonly Filter[], contents: Uint8Array, most: number): Uint8Array {
  let bytes = contents
  for (const { name, parameters } of filters) {
    if (name === 'FlateDecode') bytes = inflateSync(bytes, { maxOutputLength: Math.max(most, 1) })
    else bytes = decodeAll(decoders[name]!(parameters), bytes, most)
  }
  return bytes
}

function decodeAll(decoder: Decoder, bytes: Uint8Array, most: number): Buffer {
  const pieces: Uint8Array[] = []
  let length = 0
  for (const piece of decodeSlices(decoder, bytes)) {
    length += piece.length
    if (length > most) throw new RangeError('Too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function* decodeSlices(decoder: Decoder, bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += sliceBytes) yield decoder.write(bytes.subarray(at, at + sliceBytes))
}

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Undoes packing piece by piece, so that only pieces are in memory. Refuses a stream that unpacks to over `most`. */
export function unpack(filters: readonly Filter[], contents: Uint8Array, most: number): Pieces {
  // Hexadecimal text is twice as long as what it stands for: no stage in between needs more.
  return filters.reduce<Pieces>(
    (pieces, filter, at) => limit(undo(filter, pieces), at === filters.length - 1 ? most : most * 2 + 65_536),
    [contents],
  )
}

async function* limit(pieces: Pieces, most: number): AsyncIterable<Uint8Array> {
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > most) throw new DocumentRefused(documentProblems.tooComplex)
    yield piece
  }
}

function undo({ name, parameters }: Filter, pieces: Pieces): Pieces {
  return name === 'FlateDecode' ? inflate(pieces) : decode(decoders[name]!(parameters), pieces)
}

async function* decode(decoder: Decoder, pieces: Pieces): AsyncIterable<Uint8Array> {
  for await (const piece of pieces) yield* decodeSlices(decoder, piece)
  yield decoder.end()
}

/** Ignores a broken end, as readers do. */
async function* inflate(pieces: Pieces): AsyncIterable<Uint8Array> {
  const stream = createInflate()
  const fed = feed(pieces, stream)
  try {
    yield* stream as AsyncIterable<Uint8Array>
  } catch (error) {
    if (error instanceof DocumentRefused) throw error
  } finally {
    stream.destroy()
    await fed
  }
}

async function feed(pieces: Pieces, stream: ReturnType<typeof createInflate>): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (stream.destroyed) return
      if (!stream.write(piece)) await Promise.race([once(stream, 'drain'), once(stream, 'close')])
    }
    stream.end()
  } catch (error) {
    stream.destroy(error as Error)
  }
}
