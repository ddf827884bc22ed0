/**
 * A sign that a picture shows no page that a person could read. It finds pictures that are no documents at all; a
 * careful forgery shows none of these signs.
 */
export type PageSign = 'BLANK_PAGE' | 'NOISE' | 'NO_TEXT'

/** A picture in shades of grey, one byte a pixel. */
export type GreyPicture = { pixels: Uint8Array; width: number; height: number }

/** The longer side of the picture that is judged: print of a page or card is then some pixels high. */
export const judgedSide = 1_200

// A blank page with the noise of a camera stays below.
const leastSpread = 6
const coarseSide = 48
// Noise loses nearly all of its spread when it is averaged; the light and dark parts of a document stay.
const leastCoarseShare = 0.03
const blockSide = 24
// Paper, card and table have even parts; in noise hardly any block is even.
const evenSpread = 18
const leastEvenShare = 0.12
const printSpread = 14
// More than the upper and the lower edge of a picture.
const leastLines = 3
const leastLineBlocks = 3

export function findPageSigns(picture: GreyPicture): PageSign[] {
  const variance = varianceOf(picture.pixels)
  if (variance < leastSpread ** 2) return ['BLANK_PAGE']
  let coarse = picture
  while (Math.min(coarse.width, coarse.height) >= coarseSide * 2) coarse = halve(coarse)
  if (varianceOf(coarse.pixels) / variance < leastCoarseShare) return ['NOISE']
  const blocks = divide(picture)
  const even = blocks.flat().filter(({ spread }) => spread < evenSpread).length
  if (even < blocks.flat().length * leastEvenShare) return ['NOISE']
  return countLines(blocks) < leastLines ? ['NO_TEXT'] : []
}

function varianceOf(pixels: Uint8Array): number {
  let [sum, squares] = [0, 0]
  for (const pixel of pixels) {
    sum += pixel
    squares += pixel * pixel
  }
  const mean = sum / pixels.length
  return squares / pixels.length - mean * mean
}

/** Averages squares of four pixels. */
function halve({ pixels, width, height }: GreyPicture): GreyPicture {
  const half = { width: width >> 1, height: height >> 1 }
  const averages = new Uint8Array(half.width * half.height)
  for (let y = 0; y < half.height; y++) {
    for (let x = 0; x < half.width; x++) {
      const at = y * 2 * width + x * 2
      const sum = pixels[at]! + pixels[at + 1]! + pixels[at + width]! + pixels[at + width + 1]!
      averages[y * half.width + x] = sum >> 2
    }
  }
  return { ...half, pixels: averages }
}

type Block = { spread: number; isPrint: boolean }

function divide(picture: GreyPicture): Block[][] {
  const [columns, rows] = [Math.floor(picture.width / blockSide), Math.floor(picture.height / blockSide)]
  return Array.from({ length: rows }, (_row, y) =>
    Array.from({ length: columns }, (_block, x) => judgeBlock(picture, x * blockSide, y * blockSide)),
  )
}

/** Counts rows and columns of blocks that look printed: text runs in lines, also on a page that lies on its side. */
function countLines(blocks: readonly Block[][]): number {
  const columns = (blocks[0] ?? []).map((_, x) => blocks.flatMap((row) => row[x] ?? []))
  return Math.max(blocks.filter(hasRun).length, columns.filter(hasRun).length)
}

function hasRun(blocks: readonly Block[]): boolean {
  let run = 0
  return blocks.some(({ isPrint }) => {
    run = isPrint ? run + 1 : 0
    return run >= leastLineBlocks
  })
}

const blockPixels = blockSide ** 2

/** A block looks printed when it has thin strokes on a ground: two shades, one of them rare, that change often. */
function judgeBlock({ pixels, width }: GreyPicture, left: number, top: number): Block {
  let [darkest, lightest, sum, squares] = [255, 0, 0, 0]
  for (let y = top; y < top + blockSide; y++) {
    for (let x = left; x < left + blockSide; x++) {
      const pixel = pixels[y * width + x]!
      if (pixel < darkest) darkest = pixel
      if (pixel > lightest) lightest = pixel
      sum += pixel
      squares += pixel * pixel
    }
  }
  const spread = Math.sqrt(Math.max(0, squares / blockPixels - (sum / blockPixels) ** 2))
  if (spread < printSpread) return { spread, isPrint: false }
  const middle = (darkest + lightest) / 2
  let [dark, across, down] = [0, 0, 0]
  for (let y = top; y < top + blockSide; y++) {
    for (let x = left; x < left + blockSide; x++) {
      const isDark = pixels[y * width + x]! < middle
      if (isDark) dark += 1
      if (x > left && isDark !== pixels[y * width + x - 1]! < middle) across += 1
      if (y > top && isDark !== pixels[(y - 1) * width + x]! < middle) down += 1
    }
  }
  const rare = Math.min(dark, blockPixels - dark) / blockPixels
  // An edge of a picture or table changes in one direction only; noise changes at every other pixel.
  const [least, all] = [Math.min(across, down) / blockSide, (across + down) / blockSide]
  return { spread, isPrint: rare > 0.03 && least > 0.6 && all < blockSide * 0.7 }
}
