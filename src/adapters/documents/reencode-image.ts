import sharp, { type Metadata } from 'sharp'
import type { CheckedDocument } from '../../customers/ports.ts'
import {
  checkPixels,
  DocumentRefused,
  documentLimits,
  documentProblems,
  hidesAnotherFile,
  type MediaType,
} from './document-check.ts'
import { type ImageStructure, readJpegStructure, readPngStructure } from './image-structure.ts'
import { findZone } from './mrz/find-zone.ts'
import { findPageSigns, type GreyPicture, judgedSide, type PageSign } from './page-signs.ts'
import { findScreenHints } from './screen-hints.ts'

export type ImageType = Exclude<MediaType, 'application/pdf'>

/** The readers of the library but those of JPEG and PNG from memory. */
// biome-ignore format: a line for each name would fill half a page
export const otherReaders = [
  'Analyze', 'Csv', 'DcRaw', 'Fits', 'Heif', 'JpegFile', 'JpegSource', 'Jp2k', 'Jxl', 'Magick', 'Magick7', 'Mat', 'Matrix',
  'Nifti', 'Nsgif', 'Openexr', 'Openslide', 'Pdf', 'PngFile', 'PngSource', 'Ppm', 'Rad', 'Raw', 'Svg', 'Tiff', 'Uhdr',
  'Vips', 'Webp',
]
blockOtherReaders()
// No picture is read twice, and several threads already work in parallel.
sharp.cache(false)
sharp.concurrency(1)

export type ReencodeOptions = {
  timeLimitMs: number
  /** Resolves when this much memory may be used. Called before the pixels are unpacked. */
  requestMemory(bytes: number): Promise<void>
}

/**
 * The library also reads SVG, GIF, TIFF, HEIF and more. These readers never get untrusted bytes. A block holds for all
 * threads of the process, so no reader in use is blocked even for a moment.
 */
export function blockOtherReaders(): void {
  sharp.block({ operation: otherReaders.map((reader) => `VipsForeignLoad${reader}`) })
}

/**
 * Decodes a picture and encodes it again, upright and in sRGB. Only pixels are kept: metadata, comments, colour
 * profiles and bytes between or after the parts of the file are dropped.
 */
export async function reencodeImage(
  bytes: Buffer,
  mediaType: ImageType,
  { timeLimitMs, requestMemory }: ReencodeOptions,
): Promise<CheckedDocument> {
  const structure = mediaType === 'image/jpeg' ? readJpegStructure(bytes) : readPngStructure(bytes)
  if (!structure) throw new DocumentRefused(documentProblems.damaged)
  checkStructure(bytes, structure)

  // The library only warns about damaged data and would leave half of the picture grey.
  const picture = sharp(bytes, { failOn: 'warning', limitInputPixels: documentLimits.mostPixels })
  const metadata = await orDamaged(picture.metadata())
  if (metadata.format !== mediaType.slice('image/'.length)) throw new DocumentRefused(documentProblems.type)
  if (metadata.width !== structure.width || metadata.height !== structure.height) {
    throw new DocumentRefused(documentProblems.damaged)
  }
  const screenHints = findScreenHints({ mediaType, ...structure, exif: metadata.exif, texts: textsOf(metadata) })

  await requestMemory(structure.heldBytes + (isTurned(metadata) ? structure.width * structure.height * 3 : 0))
  const upright = picture
    .timeout({ seconds: Math.ceil(timeLimitMs / 1000) })
    .autoOrient()
    // With transparency a picture can show a program and a reviewer different content.
    .flatten({ background: 'white' })
    .toColourspace('srgb')
  // Optimised coding would hold all coefficients in memory, ten times as much, to save a few percent of the size.
  const written = mediaType === 'image/jpeg' ? upright.jpeg({ quality: 90, optimiseCoding: false }) : upright.png()
  const { data, info } = await orDamaged(written.toBuffer({ resolveWithObject: true }))
  const copy = await copyInGrey(data)
  return {
    ok: true,
    mediaType,
    bytes: data,
    byteLength: bytes.length,
    width: info.width,
    height: info.height,
    screenHints,
    pageSigns: findPageSigns(copy),
    ...(findZone(copy) ? { hasZoneLines: true } : {}),
  }
}

/** Judges a small copy of a picture that was checked before. */
export async function judgePage(bytes: Buffer): Promise<PageSign[]> {
  return findPageSigns(await copyInGrey(bytes))
}

/** A grey copy, at most so many pixels wide and high, of a picture that was checked before. */
export async function copyInGrey(bytes: Buffer, side = judgedSide): Promise<GreyPicture> {
  const { data, info } = await sharp(bytes, { limitInputPixels: documentLimits.mostPixels })
    .greyscale()
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height }
}

function checkStructure(bytes: Buffer, structure: ImageStructure): void {
  checkPixels(structure)
  if (structure.heldBytes > documentLimits.mostHeldBytes) throw new DocumentRefused(documentProblems.tooComplex)
  if (structure.isAnimated) throw new DocumentRefused(documentProblems.animated)
  if (hidesAnotherFile(bytes, structure.end)) throw new DocumentRefused(documentProblems.hiddenFile)
}

/** Replaces errors of the library, whose messages may quote the file. */
async function orDamaged<Value>(promise: Promise<Value>): Promise<Value> {
  try {
    return await promise
  } catch (error) {
    const isTimeout = error instanceof Error && /timeout/i.test(error.message)
    throw new DocumentRefused(isTimeout ? documentProblems.tooComplex : documentProblems.damaged)
  }
}

/** True unless the orientation is 1, which is upright. Turning needs the whole picture in memory. */
function isTurned({ orientation = 1 }: Metadata): boolean {
  return orientation !== 1
}

function textsOf({ xmp, comments = [] }: Metadata): Buffer[] {
  const texts = comments.map(({ keyword, text }) => Buffer.from(`${keyword} ${text}`))
  return xmp ? [xmp, ...texts] : texts
}
