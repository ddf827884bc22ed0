/** The rows of each character, five bits in base 32: drawn here because a server may have no fonts. */
// biome-ignore format: a font is read in lines
const glyphs: Readonly<Record<string, string>> = {
  '0': 'ehjlphe', '1': '4c4444e', '2': 'eh1248v', '3': 'v2421he', '4': '26aiv22', '5': 'vgu11he', '6': '68guhhe',
  '7': 'v124888', '8': 'ehhehhe', '9': 'ehhf12c', A: 'ehhvhhh', B: 'uhhuhhu', C: 'ehggghe', D: 'sihhhis', E: 'vgguggv',
  F: 'vgguggg', G: 'ehgnhhf', H: 'hhhvhhh', I: 'e44444e', J: '72222ic', K: 'hikokih', L: 'ggggggv', M: 'hrllhhh',
  N: 'hhpljhh', O: 'ehhhhhe', P: 'uhhuggg', Q: 'ehhhlid', R: 'uhhukih', S: 'fgge11u', T: 'v444444', U: 'hhhhhhe',
  V: 'hhhhha4', W: 'hhhllla', X: 'hha4ahh', Y: 'hhha444', Z: 'v1248gv', '-': '000v000', '_': '000000v', ':': '0cc0cc0',
  '.': '00000cc', ' ': '0000000',
}
const [columns, rows] = [6, 9]

/** Dark letters with a light edge, so that they show on any ground and the picture shows through. */
const ink = [0, 0, 0, 100]
const edge = [255, 255, 255, 110]

export type Tile = { bytes: Buffer; width: number; height: number }

/** Draws lines of text that are repeated over a picture of this size, as large as a reader needs to read them. */
export function drawTile(texts: readonly string[], picture: { width: number; height: number }): Tile {
  const scale = Math.max(1, Math.floor(Math.min(picture.width, picture.height) / 350))
  const perLine = Math.max(8, Math.floor(picture.width / (columns * scale)) - 2)
  const lines = texts.flatMap((text) => text.toUpperCase().match(new RegExp(`.{1,${perLine}}`, 'g')) ?? [])
  const longest = Math.max(...lines.map((line) => line.length))
  const width = Math.min(picture.width, (longest + 2) * columns * scale)
  const height = Math.min(picture.height, (lines.length + 3) * rows * scale)
  const bytes = Buffer.alloc(width * height * 4)
  const paint = (left: number, top: number, colour: readonly number[]) => {
    for (let y = top; y < Math.min(top + scale, height); y++) {
      for (let x = left; x < Math.min(left + scale, width); x++) bytes.set(colour, (y * width + x) * 4)
    }
  }
  for (const [colour, shift] of [[edge, Math.ceil(scale / 2)] as const, [ink, 0] as const]) {
    lines.forEach((line, at) => {
      for (const { x, y } of dotsOf(line)) paint((x + columns) * scale + shift, (y + at * rows) * scale + shift, colour)
    })
  }
  return { bytes, width, height }
}

function dotsOf(line: string): { x: number; y: number }[] {
  return [...line].flatMap((character, at) =>
    [...(glyphs[character] ?? glyphs['-']!)].flatMap((row, y) => {
      const bits = Number.parseInt(row, 32)
      return [0, 1, 2, 3, 4].filter((x) => (bits >> (4 - x)) & 1).map((x) => ({ x: at * columns + x, y }))
    }),
  )
}
