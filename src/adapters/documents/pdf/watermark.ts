import { degrees, PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from '@cantoo/pdf-lib'

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
