import type { MediaType } from './document-check.ts'

/**
 * A sign in the file that it is a screenshot. A hint is a reason for a review, never a verdict:
 *
 * - A forger removes the metadata and crops a pixel. Hints find honest mistakes only.
 * - A photo of a screen leaves no trace in the metadata. Its moiré looks, in a frequency analysis, like the fine lines
 *   of security printing on most identity documents, so it is not used.
 */
export type ScreenHint = 'SCREENSHOT_NAMED_IN_METADATA' | 'SCREEN_SIZE_WITHOUT_CAMERA'

export type PictureFacts = {
  mediaType: MediaType
  width: number
  height: number
  exif?: Buffer | undefined
  /** XMP packets, PNG texts and the like. */
  texts: readonly Buffer[]
}

// Programs that write their name, and the words that iOS, macOS and Android put into the comment of a screenshot.
const screenshotWords = /screen[ _-]?(?:shot|capture|grab|clip)|flameshot|greenshot|sharex|lightshot|snipping|snagit/i

/**
 * Screens of common phones, tablets and notebooks, longer side first. The sizes that web cameras deliver (1280 × 720,
 * 1920 × 1080, 3840 × 2160) are left out: a picture taken in the browser has them too.
 */
// biome-ignore format: a list of sizes is read in lines
const screenSizes = new Set([
  '1136x640', '1334x750', '1792x828', '2208x1242', '2340x1080', '2436x1125', '2532x1170', '2556x1179', '2622x1206',
  '2688x1242', '2778x1284', '2796x1290', '2868x1320', '1600x720', '2160x1080', '2280x1080', '2310x1080',
  '2376x1080', '2388x1080', '2400x1080', '2408x1080', '2412x1080', '2424x1080', '2460x1080', '2520x1080',
  '2960x1440', '2992x1344', '3040x1440', '3088x1440', '3120x1440', '3200x1440', '3216x1440',
  '2048x1536', '2160x1620', '2224x1668', '2266x1488', '2360x1640', '2388x1668', '2420x1668', '2732x2048',
  '1366x768', '1440x900', '1536x864', '1600x900', '1680x1050', '1920x1200', '2256x1504', '2304x1440',
  '2560x1440', '2560x1600', '2736x1824', '2880x1800', '3000x2000', '3024x1964', '3072x1920', '3456x2234',
  '3440x1440', '3840x2400', '5120x2880',
])

export function findScreenHints({ mediaType, width, height, exif, texts }: PictureFacts): ScreenHint[] {
  const hints: ScreenHint[] = []
  if ([exif, ...texts].some((text) => text && screenshotWords.test(readLoosely(text)))) {
    hints.push('SCREENSHOT_NAMED_IN_METADATA')
  }
  // Cameras write JPEG; a JPEG without camera data has usually just been through a messenger.
  const size = `${Math.max(width, height)}x${Math.min(width, height)}`
  if (mediaType === 'image/png' && screenSizes.has(size) && !(exif && namesCamera(exif))) {
    hints.push('SCREEN_SIZE_WITHOUT_CAMERA')
  }
  return hints
}

/** Drops zero bytes, so that ASCII and UTF-16 comments read the same. */
function readLoosely(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll('\0', '')
}

const makerTag = 0x010f
const modelTag = 0x0110

/** Tells whether Exif names a maker or a model. Exif 3.0, 4.5: a TIFF header, then entries of 12 bytes. */
function namesCamera(exif: Buffer): boolean {
  const start = exif.toString('latin1', 0, 6) === 'Exif\0\0' ? 6 : 0
  const tiff = exif.subarray(start)
  if (tiff.length < 8) return false
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const read16 = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  const count = read16(directory)
  for (let entry = 0; entry < count; entry++) {
    const tag = read16(directory + 2 + entry * 12)
    if (tag === makerTag || tag === modelTag) return true
  }
  return false
}
