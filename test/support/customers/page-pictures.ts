import sharp, { type Sharp } from 'sharp'
import { drawTile } from '../../../src/adapters/documents/watermark-tile.ts'
import { makeNoise, padJpeg } from './document-files.ts'

const words =
  'SURNAME EXAMPLE GIVEN NAMES ADA NATIONALITY UTOPIAN DATE OF BIRTH 12 AUG 1988 PLACE OF BIRTH ZENITH'.split(' ')

/** A page with lines of print, drawn without any font of the machine. */
export function makePage({ width = 1_000, height = 700, ink = 30, paper = 225 } = {}): Sharp {
  const lines = Array.from({ length: 12 }, (_, at) =>
    [0, 1, 2].map((next) => words[(at * 3 + next) % words.length]).join(' '),
  )
  const print = drawTile(lines, { width, height })
  const pixels = Buffer.alloc(width * height * 3, paper)
  const grain = makeNoise(pixels.length)
  const [left, top] = [Math.floor((width - print.width) / 4), Math.floor((height - print.height) / 4)]
  for (let at = 0; at < pixels.length; at++) pixels[at]! += (grain[at]! % 9) - 4
  for (let y = 0; y < print.height; y++) {
    for (let x = 0; x < print.width; x++) {
      // The tile's letters are darker than their edge.
      const [red, opacity] = [print.bytes[(y * print.width + x) * 4]!, print.bytes[(y * print.width + x) * 4 + 3]!]
      if (opacity > 0 && red === 0)
        pixels.fill(ink, ((y + top) * width + x + left) * 3, ((y + top) * width + x + left) * 3 + 3)
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

export async function makePageJpeg(size: Parameters<typeof makePage>[0] = {}): Promise<Buffer> {
  const jpeg = await makePage(size).jpeg({ quality: 90 }).toBuffer()
  return jpeg.length < 100_000 ? padJpeg(jpeg, 100_000) : jpeg
}
