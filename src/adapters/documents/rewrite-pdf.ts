import { createInflate } from 'node:zlib'
import {
  PDFArray,
  PDFContext,
  PDFDict,
  PDFHeader,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFRef,
  PDFWriter,
} from '@cantoo/pdf-lib'
import type { CheckedDocument } from '../../customers/ports.ts'
import { DocumentRefused, documentLimits, documentProblems, endsAsZip } from './document-check.ts'
import { hasPlainNumbers, parsePdf } from './pdf-parser.ts'
import { findForbidden, hasChains, isAction, listContents, listDicts } from './pdf-rules.ts'

const { mostPages, mostPixels } = documentLimits
// For all content except pictures: text, fonts, forms.
const mostExpandedBytes = 128 * 1024 * 1024
const mostPageTreeNodes = 500

/**
 * Parses a PDF and writes a new one with its pages and what they need. Two readers can interpret one file differently;
 * since Svc stores only the new file, every reader sees the checked content. A signature on the original is lost.
 */
export async function rewritePdf(bytes: Buffer): Promise<CheckedDocument> {
  checkFrame(bytes)
  const context = await parseOrSayWhy(bytes)
  if (context.trailerInfo.Encrypt) throw new DocumentRefused(documentProblems.encrypted)
  if (!hasPlainNumbers(context) || hasChains(context)) throw new DocumentRefused(documentProblems.damaged)
  const problem = findForbidden(context)
  if (problem) throw new DocumentRefused(problem)
  const catalog = context.lookup(context.trailerInfo.Root)
  if (!(catalog instanceof PDFDict)) throw new DocumentRefused(documentProblems.damaged)
  checkPages(context, catalog)

  const fresh = copyWhatPagesNeed(context, catalog)
  await checkStreams(fresh)
  const written = await PDFWriter.forContext(fresh, Number.POSITIVE_INFINITY).serializeToBuffer()
  return {
    ok: true,
    mediaType: 'application/pdf',
    bytes: Buffer.from(written.buffer, written.byteOffset, written.byteLength),
    byteLength: bytes.length,
    screenHints: [],
  }
}

/** Checks the first line, which names the version, and the end mark (ISO 32000-1, 7.5.2 and 7.5.5). */
function checkFrame(bytes: Buffer): void {
  const tail = bytes.subarray(-2_048).toString('latin1')
  const end = tail.lastIndexOf('%%EOF')
  const isFramed = /^%PDF-[12]\.\d[\s%]/.test(bytes.toString('latin1', 0, 9)) && tail.includes('startxref')
  if (!isFramed || end < 0) throw new DocumentRefused(documentProblems.damaged)
  const isFollowed = /[^\s\0]/.test(tail.slice(end + '%%EOF'.length))
  if (isFollowed || endsAsZip(bytes)) throw new DocumentRefused(documentProblems.hiddenFile)
}

/** Reports encryption as the reason when parsing fails: the object streams of an encrypted file are unreadable. */
async function parseOrSayWhy(bytes: Buffer): Promise<PDFContext> {
  try {
    return await parsePdf(bytes)
  } catch (error) {
    throw bytes.includes('/Encrypt') ? new DocumentRefused(documentProblems.encrypted) : error
  }
}

/** Counts the pages and refuses a node that appears twice: a cycle never ends, and shared branches multiply. */
function checkPages(context: PDFContext, catalog: PDFDict): void {
  const seen = new Set<PDFObject>()
  const left: (PDFObject | undefined)[] = [catalog.get(PDFName.of('Pages'))]
  let pages = 0
  while (left.length > 0 && pages <= mostPages) {
    const ref = left.pop()
    const node = context.lookup(ref)
    if (!(ref instanceof PDFRef && node instanceof PDFDict) || seen.has(ref)) {
      throw new DocumentRefused(documentProblems.damaged)
    }
    seen.add(ref)
    const children = node.lookup(PDFName.of('Kids'))
    if (!(children instanceof PDFArray)) pages += 1
    else if (children.size() + seen.size > mostPageTreeNodes) pages = mostPages + 1
    else left.push(...children.asArray())
  }
  if (pages === 0 || pages > mostPages) throw new DocumentRefused(documentProblems.pages)
}

// The outline, names, scripts, metadata and all else that is not drawn are dropped.
const keptOfCatalog = ['Pages', 'PageLabels', 'OCProperties', 'AcroForm', 'Lang'].map(PDFName.of)
/** Removed from annotations, which keep their appearance and lose their click actions. */
const actionKeys = ['A', 'PA'].map(PDFName.of)
const metadataKeys = ['Metadata', 'PieceInfo', 'LastModified'].map(PDFName.of)

function copyWhatPagesNeed(context: PDFContext, catalog: PDFDict): PDFContext {
  const fresh = PDFContext.create()
  fresh.header = PDFHeader.forVersion(1, 7)
  const root = PDFDict.fromMapWithContext(
    new Map<PDFName, PDFObject>([[PDFName.of('Type'), PDFName.of('Catalog')]]),
    fresh,
  )
  for (const name of keptOfCatalog) {
    const value = catalog.get(name)
    if (value) root.set(name, value)
  }
  const left: PDFObject[] = [root]
  for (let next = left.pop(); next; next = left.pop()) {
    for (const { dict } of listDicts(next)) removeExtras(dict)
    for (const ref of listRefs(next)) {
      const object = context.lookup(ref)
      if (!object || fresh.lookup(ref)) continue
      fresh.assign(ref, object)
      left.push(object)
    }
  }
  fresh.trailerInfo = { Root: fresh.register(root) }
  return fresh
}

function removeExtras(dict: PDFDict): void {
  for (const name of actionKeys) if (isAction(dict.lookup(name))) dict.delete(name)
  for (const name of metadataKeys) dict.delete(name)
}

function listRefs(object: PDFObject): PDFRef[] {
  return listContents(object).filter((each) => each instanceof PDFRef)
}

/** Abbreviated filter names that readers accept (ISO 32000-2, table 92). */
const shortFilters: Readonly<Record<string, string>> = {
  AHx: 'ASCIIHexDecode',
  A85: 'ASCII85Decode',
  LZW: 'LZWDecode',
  Fl: 'FlateDecode',
  RL: 'RunLengthDecode',
  CCF: 'CCITTFaxDecode',
  DCT: 'DCTDecode',
}
// Only filters whose output can be measured. Any other filter or chain of filters could expand without limit.
const textFilters = new Set(['', 'FlateDecode'])
const pictureFilters = new Set([
  '',
  'FlateDecode',
  'DCTDecode',
  'JPXDecode',
  'CCITTFaxDecode',
  'JBIG2Decode',
  'FlateDecode DCTDecode', // some printers pack the JPEG once more
])
// Four colours of two bytes each is the most that a pixel needs; the spare bytes cover its rows.
const mostBytesPerPixel = 8
const spareBytes = 65_536

/** Limits what a later reader must unpack: the pixels of each picture and the bytes of all other content. */
async function checkStreams(context: PDFContext): Promise<void> {
  let room = mostExpandedBytes
  for (const [, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFRawStream)) continue
    const filters = filtersOf(object.dict)
    const isPicture = object.dict.lookup(PDFName.of('Subtype')) === PDFName.of('Image')
    if (!(isPicture ? pictureFilters : textFilters).has(filters.join(' '))) {
      throw new DocumentRefused(documentProblems.tooComplex)
    }
    const most = isPicture ? countPixels(object.dict) * mostBytesPerPixel + spareBytes : room
    const length = filters[0] === 'FlateDecode' ? await measureInflated(object.contents, most) : 0
    if (length > most) throw new DocumentRefused(documentProblems.tooComplex)
    if (!isPicture) room -= length
  }
}

function filtersOf(dict: PDFDict): string[] {
  const filter = dict.lookup(PDFName.of('Filter'))
  const list = filter instanceof PDFArray ? filter.asArray().map((_, at) => filter.lookup(at)) : filter ? [filter] : []
  return list.map((each) => {
    const name = each instanceof PDFName ? each.decodeText() : 'unknown'
    return Object.hasOwn(shortFilters, name) ? (shortFilters[name] ?? name) : name
  })
}

function countPixels(dict: PDFDict): number {
  const sides = ['Width', 'Height'].map((name) => dict.lookup(PDFName.of(name)))
  const [width, height] = sides.map((side) => (side instanceof PDFNumber ? side.asNumber() : 0))
  const areSides = [width, height].every((side) => Number.isSafeInteger(side) && (side ?? 0) > 0)
  if (!areSides) throw new DocumentRefused(documentProblems.damaged)
  const pixels = (width ?? 0) * (height ?? 0)
  if (pixels > mostPixels) throw new DocumentRefused(documentProblems.tooManyPixels)
  return pixels
}

/** Measures the unpacked length and stops past `most`. Ignores a broken end, as readers do. */
async function measureInflated(contents: Uint8Array, most: number): Promise<number> {
  const inflate = createInflate()
  let length = 0
  try {
    inflate.end(contents)
    for await (const chunk of inflate) {
      length += chunk.length
      if (length > most) break
    }
  } catch {
    return length
  }
  return length
}
