import { texts } from '../texts/words.ts'
import { type Drawable, encodeToFit } from './encode.ts'
import { CannotUse, limits } from './limits.ts'
import { load } from './load.ts'
import type { PdfPages } from './pdf.ts'
import { type FileKind, sniff } from './sniff.ts'

/** A file that the API takes. A picture is shown to the customer before it is sent. */
export type PreparedFile = {
  blob: Blob
  isPicture: boolean
  isConverted: boolean
  /** The pages of a PDF that the picture shows. */
  pages?: PdfPages
}

/** Turns what phones and scanners make into what the API takes, in the browser. */
export async function prepareFile(file: Blob, fromPage = 1): Promise<PreparedFile> {
  const kind = await sniff(file)
  if (kind === 'unknown') throw new CannotUse(texts.files.wrongType)
  const fits = file.size >= limits.leastBytes && file.size <= limits.mostBytes
  if (kind === 'pdf') {
    if (fits) return { blob: new Blob([file], { type: 'application/pdf' }), isPicture: false, isConverted: false }
    if (file.size > limits.mostBytes) throw new CannotUse(texts.files.tooLarge)
    const { drawPdf } = await load(() => import('./pdf.ts'))
    const { picture, pages } = await drawPdf(file, fromPage)
    return { ...(await convert(picture)), pages }
  }
  const picture = await decode(file, kind)
  const isSmall = picture.width < limits.leastPixels || picture.height < limits.leastPixels
  if (isSmall) throw new CannotUse(texts.files.tooSmall)
  const isPlain = kind === 'jpeg' || kind === 'png'
  const isHeavy = kind === 'jpeg' && file.size > limits.heavyBytes
  if (isPlain && fits && !isHeavy && picture.width * picture.height <= limits.mostPixels) {
    return { blob: new Blob([file], { type: `image/${kind}` }), isPicture: true, isConverted: false }
  }
  return convert(picture)
}

async function convert(picture: Drawable): Promise<PreparedFile> {
  return { blob: await encodeToFit(picture), isPicture: true, isConverted: true }
}

async function decode(file: Blob, kind: FileKind): Promise<Drawable> {
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' })
    return { source: bitmap, width: bitmap.width, height: bitmap.height }
  } catch {
    if (kind !== 'heic') throw new CannotUse(texts.files.unreadable)
    const { decodeHeic } = await load(() => import('./heic.ts'))
    return decodeHeic(file)
  }
}
