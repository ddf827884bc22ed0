import sharp from 'sharp'
import { padJpeg } from './document-files.ts'
import { makePage } from './page-pictures.ts'

/**
 * The strokes of each letter, in the manner of OCR-B: points on a grid of 7 by 10, joined by lines, strokes parted by a
 * slash. Drawn here, because a server may have no fonts.
 */
// biome-ignore format: a font is read in lines
const glyphs: Readonly<Record<string, string>> = {
  A: '09 30 69/16 56', B: '00 09/00 40 51 53 44 04/44 65 67 49 09', C: '61 40 20 02 07 29 49 68', D: '00 09 39 67 62 30 00',
  E: '60 00 09 69/04 54', F: '60 00 09/04 54', G: '61 40 20 02 07 29 49 67 65 35', H: '00 09/60 69/04 64',
  I: '10 50/30 39/19 59', J: '50 57 39 29 07', K: '00 09/60 05/24 69', L: '00 09 69', M: '09 00 35 60 69', N: '09 00 69 60',
  O: '20 40 62 67 49 29 07 02 20', P: '09 00 40 61 63 45 05', Q: '20 40 62 67 49 29 07 02 20/46 69',
  R: '09 00 40 61 63 45 05/35 69', S: '61 40 20 02 13 54 65 67 49 29 08', T: '00 60/30 39', U: '00 07 29 49 67 60',
  V: '00 39 60', W: '00 19 34 59 60', X: '00 69/60 09', Y: '00 34 60/34 39', Z: '00 60 09 69',
  '0': '30 52 57 39 17 12 30', '1': '13 30 39/19 59', '2': '12 20 40 52 53 09 69', '3': '00 60 34 44 66 67 49 29 08',
  '4': '40 06 66/54 59', '5': '60 10 14 44 66 67 49 29 08', '6': '50 12 05 07 29 49 67 65 44 24 05', '7': '00 60 29',
  '8': '20 40 61 63 44 24 03 01 20/24 06 07 29 49 67 66 44', '9': '19 57 64 62 40 20 02 03 25 45 64', '<': '62 05 68',
}

export type ZoneData = {
  /** The three letters of ICAO Doc 9303. */
  country: string
  lastName: string
  firstName: string
  documentIdNumber: string
  dateOfBirth: string
  expirationDate: string
}

/** The two lines of a passport, with right check digits. */
export function makeZoneLines(data: ZoneData): [string, string] {
  const { country, lastName, firstName, documentIdNumber, dateOfBirth, expirationDate } = data
  const withDigit = (field: string) => field + checkDigit(field)
  const [number, birth, expiry, personal] = [
    withDigit(documentIdNumber.padEnd(9, '<')),
    withDigit(shortDate(dateOfBirth)),
    withDigit(shortDate(expirationDate)),
    withDigit('<'.repeat(14)),
  ]
  const lower = `${number}${country}${birth}F${expiry}${personal}${checkDigit(number + birth + expiry + personal)}`
  return [`P<${country}${lastName}<<${firstName}`.toUpperCase().padEnd(44, '<'), lower]
}

const shortDate = (date: string) => date.replaceAll('-', '').slice(2)

function checkDigit(field: string): string {
  const values = [...field].map((character) => (character === '<' ? 0 : Number.parseInt(character, 36)))
  return String(values.reduce((sum, value, at) => sum + value * [7, 3, 1][at % 3]!, 0) % 10)
}

const [width, height] = [1_200, 850]
const pitch = 25
const unit = 2.5
const halfStroke = 1.9

/** A photo page with print and a machine-readable zone at its foot. */
export function makePassportJpeg(data: ZoneData): Promise<Buffer> {
  return drawLines(makeZoneLines(data))
}

/** A page with print and, at its foot, long lines. */
export async function drawLines(lines: readonly string[]): Promise<Buffer> {
  const { data: pixels } = await makePage({ width, height }).raw().toBuffer({ resolveWithObject: true })
  lines.forEach((line, row) => {
    for (const [column, character] of [...line].entries()) {
      if (character === ' ') continue
      drawGlyph(pixels, character, 50 + column * pitch, height - 20 - (lines.length - row) * 55)
    }
  })
  const jpeg = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer()
  return jpeg.length < 100_000 ? padJpeg(jpeg, 100_000) : jpeg
}

function drawGlyph(pixels: Buffer, character: string, left: number, top: number): void {
  const strokes = glyphs[character]!.split('/').map((stroke) => stroke.split(' ').map(pointOf))
  const lines = strokes.flatMap((points) => points.slice(1).map((end, at) => [points[at]!, end] as const))
  for (let y = -3; y < 10 * unit + 3; y++) {
    for (let x = -3; x < 7 * unit + 3; x++) {
      const distance = Math.min(...lines.map(([start, end]) => distanceTo({ x, y }, start, end)))
      const ink = Math.min(1, Math.max(0, halfStroke + 0.5 - distance))
      const at = ((top + y) * width + left + x) * 3
      for (const channel of [at, at + 1, at + 2]) pixels[channel] = Math.round(pixels[channel]! * (1 - ink) + 25 * ink)
    }
  }
}

type Point = { x: number; y: number }

function pointOf(digits: string): Point {
  return { x: Number.parseInt(digits[0]!, 10) * unit, y: Number.parseInt(digits[1]!, 10) * unit }
}

function distanceTo({ x, y }: Point, start: Point, end: Point): number {
  const [dx, dy] = [end.x - start.x, end.y - start.y]
  const along = Math.min(1, Math.max(0, ((x - start.x) * dx + (y - start.y) * dy) / (dx * dx + dy * dy)))
  return Math.hypot(x - start.x - along * dx, y - start.y - along * dy)
}
