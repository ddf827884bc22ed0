import sharp from 'sharp'
import { documentLimits } from './document-check.ts'
import type { ImageType } from './reencode-image.ts'
import { drawTile } from './watermark-tile.ts'

/** Writes lines of text all over a stored picture. Rows are read and written in order, so that few are in memory. */
export async function watermarkImage(bytes: Buffer, mediaType: ImageType, lines: readonly string[]): Promise<Buffer> {
  const picture = sharp(bytes, { limitInputPixels: documentLimits.mostPixels })
  const { bytes: input, width, height } = drawTile(lines, await picture.metadata())
  const marked = picture.composite([{ input, raw: { width, height, channels: 4 }, tile: true, gravity: 'northwest' }])
  const written =
    mediaType === 'image/jpeg'
      ? marked.jpeg({ quality: 85, optimiseCoding: false })
      : // A reviewer waits for it: quick rather than small.
        marked.removeAlpha().png({ compressionLevel: 3 })
  return written.toBuffer()
}
