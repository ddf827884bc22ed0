import { createCipheriv } from 'node:crypto'
import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib'
import { PDFDocument, type PDFName } from '@cantoo/pdf-lib'
import sharp, { type Sharp } from 'sharp'
import type { DocumentFile } from '../../../src/adapters/documents/document-checker.ts'

/** Incompressible bytes that are the same in every run. */
export function makeNoise(length: number): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(length))
}

type Size = { width?: number; height?: number }

/** A picture full of detail, so that its file is at least as large as the smallest that is accepted. */
export function makePicture({ width = 600, height = 400 }: Size = {}): Sharp {
  return sharp(makeNoise(width * height * 3), { raw: { width, height, channels: 3 } })
}

/** A picture without any detail, whose file is tiny. */
export function makeFlatPicture({ width, height }: Required<Size>): Sharp {
  return sharp({ create: { width, height, channels: 3, background: 'teal' }, limitInputPixels: false })
}

export const makeJpeg = (size: Size = {}): Promise<Buffer> => makePicture(size).jpeg({ quality: 90 }).toBuffer()
export const makePng = (size: Size = {}): Promise<Buffer> => makePicture(size).png().toBuffer()

/** Adds comments (ITU-T T.81, B.2.4.5) after the first marker until the file has exactly this length. */
export function padJpeg(jpeg: Buffer, byteLength: number, fill = 'x'): Buffer {
  const comments: Buffer[] = []
  for (let missing = byteLength - jpeg.length; missing > 0; ) {
    // A comment has at least four bytes: leave room for the last one.
    const length = missing <= 65_537 ? missing : Math.min(65_537, missing - 4)
    const comment = Buffer.alloc(length, fill)
    comment.writeUInt16BE(0xfffe, 0)
    comment.writeUInt16BE(length - 2, 2)
    comments.push(comment)
    missing -= length
  }
  return Buffer.concat([jpeg.subarray(0, 2), ...comments, jpeg.subarray(2)])
}

export function makeChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  data.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
  return chunk
}

const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const headerEnd = 8 + 25

/** Puts chunks behind the header of a PNG. */
export function insertChunks(png: Buffer, ...chunks: Buffer[]): Buffer {
  return Buffer.concat([png.subarray(0, headerEnd), ...chunks, png.subarray(headerEnd)])
}

export const makeText = (keyword: string, text: string | Buffer): Buffer =>
  makeChunk('tEXt', Buffer.concat([Buffer.from(`${keyword}\0`, 'latin1'), Buffer.from(text)]))

/** A PNG that claims a size and holds the given bytes, padded to a size that is accepted. */
export function makeFalsePng(width: number, height: number, pixels: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const chunks = [
    makeChunk('IHDR', header),
    makeText('Comment', makeNoise(100_000).toString('hex').slice(0, 100_000)),
    makeChunk('IDAT', pixels),
    makeChunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([pngSignature, ...chunks])
}

/** A page with a picture and some text on it. */
export async function startPdf(pages = 1): Promise<PDFDocument> {
  const pdf = await PDFDocument.create()
  const picture = await pdf.embedJpg(await makeJpeg())
  for (let page = 1; page <= pages; page++) {
    const added = pdf.addPage()
    added.drawImage(picture, { x: 50, y: 300, width: 400, height: 300 })
    added.drawText(`Page ${page}`, { x: 50, y: 700 })
  }
  return pdf
}

export async function savePdf(pdf: PDFDocument, { useObjectStreams = false } = {}): Promise<Buffer> {
  return Buffer.from(await pdf.save({ useObjectStreams }))
}

/** A PDF with something in its catalog. */
export async function makePdf(
  inCatalog: Record<string, unknown> = {},
  options: { useObjectStreams?: boolean } = {},
): Promise<Buffer> {
  const pdf = await startPdf()
  for (const [name, value] of Object.entries(inCatalog)) {
    pdf.catalog.set(nameOf(pdf, name), pdf.context.register(pdf.context.obj(value as Record<string, string>)))
  }
  return savePdf(pdf, options)
}

function nameOf(pdf: PDFDocument, name: string): PDFName {
  return pdf.context.obj(name)
}

/**
 * A PDF written by hand: three objects make one empty page, which refers to extra objects as /X; a comment pads it to
 * an accepted size.
 */
export function writePdf(objects: string | Buffer, { page = '', catalog = '', trailer = '', pages = '' } = {}): Buffer {
  return Buffer.concat([
    Buffer.from(
      `%PDF-1.7\n%${'x'.repeat(100_000)}\n` +
        `1 0 obj <</Type /Catalog /Pages 2 0 R ${catalog}>> endobj\n` +
        `2 0 obj <</Type /Pages ${pages || '/Kids [3 0 R] /Count 1'}>> endobj\n` +
        `3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R ${page}>> endobj\n`,
    ),
    Buffer.from(objects),
    Buffer.from(`\ntrailer <</Root 1 0 R ${trailer}>>\nstartxref\n0\n%%EOF\n`),
  ])
}

export function writeStream(number: number, entries: string, data: Buffer): Buffer {
  const before = Buffer.from(`${number} 0 obj <<${entries} /Length ${data.length}>> stream\n`)
  return Buffer.concat([before, data, Buffer.from('\nendstream endobj\n')])
}

/** An object stream with one object: ISO 32000-1, 7.5.7. */
export function packObject(number: number, text: string): Buffer {
  const packed = deflateSync(Buffer.from(`${number} 0 ${text}`))
  return writeStream(50, `/Type /ObjStm /N 1 /First ${`${number} 0 `.length} /Filter /FlateDecode`, packed)
}

const zerosAtOnce = 10_000_000
const packedZeros = deflateRawSync(Buffer.alloc(zerosAtOnce), { level: 9, finishFlush: constants.Z_FULL_FLUSH })

/**
 * A decompression bomb of zeros. After a full flush a stream depends on nothing before it, so one packed
 * piece can be repeated (RFC 1950, RFC 1951): packing all of them would take seconds.
 */
export function makeBomb(expandedBytes: number): Buffer {
  const rest = deflateRawSync(Buffer.alloc(expandedBytes % zerosAtOnce), { level: 9 })
  const pieces = new Array<Buffer>(Math.floor(expandedBytes / zerosAtOnce)).fill(packedZeros)
  // Adler-32 of n zeros: the sum is 1, and n of them were added up.
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE((expandedBytes % 65_521) * 65_536 + 1)
  return Buffer.concat([Buffer.of(0x78, 0xda), ...pieces, rest, checksum])
}

/** The smallest archive that programs open: one empty file. */
export function makeZip(): Buffer {
  const name = Buffer.from('a.class')
  const local = Buffer.alloc(30)
  local.write('PK\x03\x04', 0, 'latin1')
  local.writeUInt16LE(name.length, 26)
  const central = Buffer.alloc(46)
  central.write('PK\x01\x02', 0, 'latin1')
  central.writeUInt16LE(name.length, 28)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length + name.length, 12)
  end.writeUInt32LE(local.length + name.length, 16)
  return Buffer.concat([local, name, central, name, end])
}

/** A file as a request carries it: the content of a JSON string, in pieces of any length. */
export function send(mediaType: string, content: Buffer): DocumentFile {
  const text = Buffer.from(`data:${mediaType};base64,${content.toString('base64')}`)
  const pieces: Buffer[] = []
  for (let at = 0; at < text.length; at += 65_521) pieces.push(text.subarray(at, at + 65_521))
  return { pieces }
}
