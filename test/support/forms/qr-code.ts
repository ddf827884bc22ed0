type Modules = boolean[][]

/** Reads the text of a QR code (ISO/IEC 18004) of level L or M with up to version 10, drawn without a fault. */
export function readQrCode(svg: string): string {
  const modules = readModules(svg)
  const version = (modules.length - 17) / 4
  const bits = readCodewords(modules, version)
    .map((each) => each.toString(2).padStart(8, '0'))
    .join('')
  if (!bits.startsWith('0100')) throw new Error('the code is no text of bytes')
  const start = version < 10 ? 12 : 20
  const length = Number.parseInt(bits.slice(4, start), 2)
  const bytes = Array.from({ length }, (_, at) => Number.parseInt(bits.slice(start + at * 8, start + at * 8 + 8), 2))
  return Buffer.from(bytes).toString()
}

/** Reads the squares of a drawing with one path of squares, each ten units wide, without the quiet zone around them. */
function readModules(svg: string): Modules {
  const [, width = '0'] = /viewBox="0 0 (\d+) \d+"/.exec(svg) ?? []
  const dark = new Set([...svg.matchAll(/M(\d+),(\d+)h10v10h-10z/g)].map(([, x, y]) => `${x} ${y}`))
  const isDark = (row: number, column: number) => dark.has(`${column * 10} ${row * 10}`)
  const count = Number(width) / 10
  const border = Array.from({ length: count }, (_, at) => at).find((at) => isDark(at, at)) ?? 0
  if (border < 4) throw new Error('the quiet zone is narrower than four squares')
  const size = count - 2 * border
  return Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_, column) => isDark(row + border, column + border)),
  )
}

/** The data bytes and blocks of each version by level, and the centres of its alignment patterns. */
const levels = {
  L: { dataBytes: [19, 34, 55, 80, 108, 136, 156, 194, 232, 274], blockCounts: [1, 1, 1, 1, 1, 2, 2, 2, 2, 4] },
  M: { dataBytes: [16, 28, 44, 64, 86, 108, 124, 154, 182, 216], blockCounts: [1, 1, 1, 2, 2, 4, 4, 4, 5, 5] },
}
const centres = [[], [18], [22], [26], [30], [34], [22, 38], [24, 42], [26, 46], [28, 50]]

function readCodewords(modules: Modules, version: number): number[] {
  const { level, mask } = readFormat(modules)
  const { dataBytes, blockCounts } = levels[level]
  const bits = readBits(modules, version, mask)
  const total = dataBytes[version - 1] ?? 0
  const count = blockCounts[version - 1] ?? 1
  const codewords = Array.from({ length: total }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2))
  // The blocks take turns; the later ones may have one byte more.
  const blocks: number[][] = Array.from({ length: count }, () => [])
  const shorter = Math.floor(total / count)
  const isFull = (at: number) => blocks[at]?.length === shorter + (at >= count - (total % count) ? 1 : 0)
  let turn = 0
  for (const codeword of codewords) {
    while (isFull(turn % count)) turn++
    blocks[turn++ % count]?.push(codeword)
  }
  return blocks.flat()
}

/** Reads the format: two bits of the level, and three of the mask. */
function readFormat(modules: Modules): { level: keyof typeof levels; mask: number } {
  const at = (row: number, column: number) => (modules[row]?.[column] ? '1' : '0')
  const format = [0, 1, 2, 3, 4].map((column) => at(8, column)).join('')
  const data = Number.parseInt(format, 2) ^ 0b10101
  const level = (['M', 'L'] as const)[data >> 3]
  if (level === undefined) throw new Error('the code has another level than L and M')
  return { level, mask: data & 7 }
}

const masks: ((x: number, y: number) => number)[] = [
  (x, y) => (x + y) % 2,
  (_, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
]

/** Reads the data squares in their order: pairs of columns from the right, up and down in turn. */
function readBits(modules: Modules, version: number, mask: number): string {
  const size = modules.length
  const isMasked = (x: number, y: number) => masks[mask]?.(x, y) === 0
  let bits = ''
  for (let right = size - 1, isUp = true; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step
      for (const x of [right, right - 1]) {
        if (!isFixed(x, y, size, version)) bits += modules[y]?.[x] !== isMasked(x, y) ? '1' : '0'
      }
    }
  }
  return bits
}

/** Tells whether a square belongs to the patterns of the code, and to no data. */
function isFixed(x: number, y: number, size: number, version: number): boolean {
  const isFinder = (x < 9 && y < 9) || (x < 9 && y >= size - 8) || (x >= size - 8 && y < 9)
  const isVersion = version > 6 && ((x < 6 && y >= size - 11) || (y < 6 && x >= size - 11))
  const places = [6, ...(centres[version - 1] ?? [])]
  const last = places.at(-1)
  const isCorner = (a: number, b: number) => (a === 6 && (b === 6 || b === last)) || (b === 6 && a === last)
  const isAlignment = places.some((a) =>
    places.some((b) => !isCorner(a, b) && Math.abs(x - a) <= 2 && Math.abs(y - b) <= 2),
  )
  return isFinder || isVersion || x === 6 || y === 6 || (version > 1 && isAlignment)
}
