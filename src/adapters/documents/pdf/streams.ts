import { createDeflate } from 'node:zlib'
import { type PDFContext, PDFDict, PDFName, PDFNumber, PDFRawStream } from '@cantoo/pdf-lib'
import { DocumentRefused, documentLimits, documentProblems } from '../document-check.ts'
import { divideFilters, type Filter, filtersOf, unpack } from './filters.ts'

// For all content except pictures: text, fonts, forms.
const mostExpandedBytes = 128 * 1024 * 1024
// For all streams that are stored in another form: they are in memory together.
const mostKeptBytes = 32 * 1024 * 1024
// Four colours of two bytes each is the most that a pixel needs; the spare bytes cover its rows.
const mostBytesPerPixel = 8
const spareBytes = 65_536

const key = {
  Filter: PDFName.of('Filter'),
  DecodeParms: PDFName.of('DecodeParms'),
  Subtype: PDFName.of('Subtype'),
}

/**
 * Limits what a later reader must unpack: the pixels of each picture and the bytes of all other content. Stores each
 * stream in a form that every reader knows: plain, packed once by Flate, or coded as a picture.
 */
export async function simplifyStreams(context: PDFContext): Promise<void> {
  let room = mostExpandedBytes
  let keptRoom = mostKeptBytes
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFRawStream)) continue
    const filters = filtersOf(object.dict)
    const isPicture = object.dict.lookup(key.Subtype) === PDFName.of('Image')
    const most = isPicture ? countPixels(object.dict) * mostBytesPerPixel + spareBytes : room
    const { packed, codec } = divideFilters(filters, isPicture)
    const pieces = unpack(packed, object.contents, most)
    let length = 0
    if (isSimple(packed, codec)) length = packed.length > 0 ? await measure(pieces) : 0
    else {
      const countBytes = (bytes: number) => {
        length += bytes
      }
      const kept = codec ? await collect(pieces, keptRoom) : await deflate(pieces, keptRoom, countBytes)
      keptRoom -= kept.length
      const filter = codec ?? { name: 'FlateDecode', parameters: packed.at(-1)?.parameters }
      context.assign(ref, withContents(object, kept, filter))
    }
    if (!isPicture) room -= length
  }
}

function isSimple(packed: readonly Filter[], codec: Filter | undefined): boolean {
  return packed.length === 0 || (packed.length === 1 && packed[0]?.name === 'FlateDecode' && !codec)
}

function countPixels(dict: PDFDict): number {
  const sides = ['Width', 'Height'].map((name) => dict.lookup(PDFName.of(name)))
  const [width, height] = sides.map((side) => (side instanceof PDFNumber ? side.asNumber() : 0))
  const areSides = [width, height].every((side) => Number.isSafeInteger(side) && (side ?? 0) > 0)
  if (!areSides) throw new DocumentRefused(documentProblems.damaged)
  const pixels = (width ?? 0) * (height ?? 0)
  if (pixels > documentLimits.mostPixels) throw new DocumentRefused(documentProblems.tooManyPixels)
  return pixels
}

type Pieces = ReturnType<typeof unpack>

async function measure(pieces: Pieces): Promise<number> {
  let length = 0
  for await (const piece of pieces) length += piece.length
  return length
}

async function collect(pieces: Pieces, most: number): Promise<Buffer> {
  const kept: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > most) throw new DocumentRefused(documentProblems.tooComplex)
    kept.push(piece)
  }
  return Buffer.concat(kept)
}

/** Packs the pieces again, quickly rather than tightly, and reports the length of each. */
async function deflate(pieces: Pieces, most: number, onPiece: (bytes: number) => void): Promise<Buffer> {
  const stream = createDeflate({ level: 3 })
  const packed = collect(stream, most)
  const written = (async () => {
    for await (const piece of pieces) {
      onPiece(piece.length)
      if (!stream.write(piece)) await new Promise((resolve) => stream.once('drain', resolve).once('close', resolve))
    }
    stream.end()
  })().catch((error: Error) => stream.destroy(error))
  const [bytes] = await Promise.all([packed, written])
  return bytes
}

function withContents(stream: PDFRawStream, contents: Uint8Array, { name, parameters }: Filter): PDFRawStream {
  const { dict } = stream
  dict.set(key.Filter, PDFName.of(name))
  dict.delete(key.DecodeParms)
  if (parameters instanceof PDFDict) {
    parameters.delete(PDFName.of('EarlyChange'))
    dict.set(key.DecodeParms, parameters)
  }
  return PDFRawStream.of(dict, contents)
}
