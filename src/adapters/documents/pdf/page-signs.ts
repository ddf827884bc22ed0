import { type PDFContext, PDFName, PDFRawStream } from '@cantoo/pdf-lib'
import { checkPixels } from '../document-check.ts'
import { readJpegStructure } from '../image-structure.ts'
import type { PageSign } from '../page-signs.ts'
import { judgePage } from '../reencode-image.ts'
import { filtersOf, unpackSync } from './filters.ts'

const leastTexts = 5
const mostTextBytes = 4 * 1024 * 1024

/**
 * Judges a PDF whose streams were simplified: by its texts, or else by its largest picture. A picture in a form that
 * only a renderer can read is not judged.
 */
export async function judgePdf(context: PDFContext): Promise<PageSign[]> {
  const streams = context.enumerateIndirectObjects().flatMap(([, each]) => (each instanceof PDFRawStream ? [each] : []))
  const pictures = streams.filter(({ dict }) => dict.lookup(PDFName.of('Subtype')) === PDFName.of('Image'))
  const others = streams.filter((stream) => !pictures.includes(stream))
  if (others.reduce((sum, stream) => sum + countTexts(stream), 0) >= leastTexts) return []
  const largest = pictures.toSorted((one, other) => other.contents.length - one.contents.length)[0]
  if (!largest) return ['NO_TEXT']
  const isJpeg = filtersOf(largest.dict)[0]?.name === 'DCTDecode'
  return isJpeg ? judgeJpeg(Buffer.from(largest.contents)) : []
}

/** Counts the operators that show text (ISO 32000-1, table 109). */
function countTexts({ dict, contents }: PDFRawStream): number {
  if (dict.has(PDFName.of('Length1')) || dict.has(PDFName.of('FunctionType'))) return 0
  try {
    const text = Buffer.from(unpackSync(filtersOf(dict), contents, mostTextBytes)).toString('latin1')
    return text.match(/[)>\]]\s*(?:Tj|TJ|'|")/g)?.length ?? 0
  } catch {
    return 0
  }
}

async function judgeJpeg(bytes: Buffer): Promise<PageSign[]> {
  const structure = readJpegStructure(bytes)
  // A progressive picture is not judged either: it would be unpacked as a whole.
  if (!structure || structure.heldBytes > 0) return []
  try {
    checkPixels(structure)
    return await judgePage(bytes)
  } catch {
    return []
  }
}
