import {
  decodePDFRawStream,
  degrees,
  PDFArray,
  PDFDocument,
  type PDFFont,
  PDFName,
  type PDFPage,
  PDFRawStream,
  rgb,
  StandardFonts,
} from '@cantoo/pdf-lib'

const rowsPerPage = 10

/** Writes lines of text all over each page of a stored PDF. Its font is one that every reader has. */
export async function watermarkPdf(bytes: Buffer, lines: readonly string[]): Promise<Buffer> {
  const pdf = await PDFDocument.load(bytes, { updateMetadata: false })
  const font = await pdf.embedFont(StandardFonts.Helvetica)
  const text = lines.join('   ')
  for (const page of pdf.getPages()) markPage(page, font, text)
  const written = await pdf.save({ useObjectStreams: false, updateFieldAppearances: false })
  return Buffer.from(written.buffer, written.byteOffset, written.byteLength)
}

function markPage(page: PDFPage, font: PDFFont, text: string): void {
  const { x, y, width, height } = boxOf(page)
  enclose(page)
  // As wide as the page, however large or small it is.
  const size = width / font.widthOfTextAtSize(text, 1) / 1.05
  for (let row = 0; row < rowsPerPage; row++) {
    page.drawText(text, {
      x: x + width * 0.02,
      y: y + (height * (row + 0.5)) / rowsPerPage - size / 2,
      size,
      font,
      color: rgb(0.5, 0, 0),
      opacity: 0.35,
      rotate: degrees(row % 2 === 0 ? 0.5 : -0.5),
    })
  }
}

/**
 * Encloses the operators of a page in a form, so that no state which they leave open hides the mark: readers restore the
 * state at the end of a form (ISO 32000-1, 8.10.1), also when the operators q and Q do not balance.
 */
function enclose(page: PDFPage): void {
  const { node } = page
  const { context } = node
  const contents = node.Contents()
  if (!contents) return
  const streams = contents instanceof PDFArray ? contents.asArray().map((_, at) => contents.lookup(at)) : [contents]
  const parts = streams.map((stream) =>
    stream instanceof PDFRawStream ? Buffer.from(decodePDFRawStream(stream).decode()) : Buffer.alloc(0),
  )
  const box = page.getMediaBox()
  const form = context.flateStream(joinLines(parts), {
    Type: 'XObject',
    Subtype: 'Form',
    BBox: [box.x, box.y, box.x + box.width, box.y + box.height],
    Resources: node.Resources() ?? {},
  })
  const resources = { XObject: { Enclosed: context.register(form) } }
  node.set(PDFName.of('Contents'), context.register(context.flateStream('/Enclosed Do')))
  node.set(PDFName.of('Resources'), context.obj(resources))
}

/** Joins the parts of a content: an operator never extends over two parts. */
function joinLines(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from('\n'), part])))
}

const letter = { x: 0, y: 0, width: 612, height: 792 }

/** The visible part of the page; a reader takes its own size for a page without a valid one. */
function boxOf(page: PDFPage): typeof letter {
  try {
    const box = page.getCropBox()
    if (box.width > 0 && box.height > 0) return box
  } catch {
    page.setMediaBox(letter.x, letter.y, letter.width, letter.height)
  }
  return letter
}
