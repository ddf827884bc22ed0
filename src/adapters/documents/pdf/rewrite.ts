import { PDFArray, PDFContext, PDFDict, PDFHeader, PDFName, type PDFObject, PDFRef, PDFWriter } from '@cantoo/pdf-lib'
import type { CheckedDocument } from '../../../customers/ports.ts'
import { DocumentRefused, documentLimits, documentProblems, endsAsZip } from '../document-check.ts'
import { judgePdf } from './page-signs.ts'
import { hasPlainNumbers, parsePdf } from './parser.ts'
import { findForbidden, hasChains, isAction, listContents, listDicts } from './rules.ts'
import { simplifyStreams } from './streams.ts'

const { mostPages } = documentLimits
const mostPageTreeNodes = 500

/**
 * Parses a PDF and writes a new one with its pages and what they need. Two readers can interpret one file differently;
 * since Svc stores only the new file, every reader sees the checked content. A signature on the original is lost.
 */
export async function rewritePdf(bytes: Buffer): Promise<CheckedDocument> {
  checkFrame(bytes)
  const context = await parsePdf(bytes)
  if (!hasPlainNumbers(context) || hasChains(context)) throw new DocumentRefused(documentProblems.damaged)
  const problem = findForbidden(context)
  if (problem) throw new DocumentRefused(problem)
  const catalog = context.lookup(context.trailerInfo.Root)
  if (!(catalog instanceof PDFDict)) throw new DocumentRefused(documentProblems.damaged)
  checkPages(context, catalog)

  const fresh = copyWhatPagesNeed(context, catalog)
  await simplifyStreams(fresh)
  const written = await PDFWriter.forContext(fresh, Number.POSITIVE_INFINITY).serializeToBuffer()
  return {
    ok: true,
    mediaType: 'application/pdf',
    bytes: Buffer.from(written.buffer, written.byteOffset, written.byteLength),
    byteLength: bytes.length,
    screenHints: [],
    pageSigns: await judgePdf(fresh),
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
