import type { GreyPicture } from '../page-signs.ts'

/** The place of lines that look like a machine-readable zone. `angle` is in degrees, clockwise. */
export type ZonePlace = { angle: number; left: number; top: number; right: number; bottom: number }

const cellWidth = 4
const cellHeight = 2
// A change of shade over two pixels that print has and the fine lines of security paper do not.
const leastChange = 28
const mostAngle = 6
const angleStep = 0.5
// Shares of the width of the picture: a zone spans its page, and a page fills at least half of a picture.
const leastLength = 0.45
const mostGap = 0.035
const mostSkewOfEnds = 0.06
const leastMarks = 0.35

type Line = { top: number; bottom: number; left: number; right: number }

/**
 * Finds two or three long, dense lines of the same length, the form of a machine-readable zone, in a picture that is
 * upright or tilted by a few degrees. Cheap: it reads nothing. Print in such lines is found too.
 */
export function findZone(picture: GreyPicture): ZonePlace | undefined {
  const cells = markCells(picture)
  const angle = findAngle(cells)
  const lines = findLines(cells, angle)
  const group = groupLines(lines, cells.width).findLast(({ length }) => length === 2 || length === 3)
  if (!group) return undefined
  return {
    angle,
    left: (Math.min(...group.map(({ left }) => left)) * cellWidth) / picture.width,
    right: (Math.max(...group.map(({ right }) => right)) * cellWidth) / picture.width,
    top: (group[0]!.top * cellHeight) / picture.height,
    bottom: (group.at(-1)!.bottom * cellHeight) / picture.height,
  }
}

type Cells = { marks: Uint8Array; width: number; height: number }

/** Marks the cells in which the shade changes from left to right. */
function markCells({ pixels, width, height }: GreyPicture): Cells {
  const cells = { width: Math.ceil(width / cellWidth), height: Math.ceil(height / cellHeight) }
  const marks = new Uint8Array(cells.width * cells.height)
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / cellHeight) * cells.width
    for (let x = 1; x < width - 1; x++) {
      const change = pixels[y * width + x + 1]! - pixels[y * width + x - 1]!
      if (change > leastChange || change < -leastChange) marks[row + Math.floor(x / cellWidth)] = 1
    }
  }
  return { ...cells, marks }
}

/** Lets the cells of a row slide down or up along the picture, around its middle. */
function shiftsOf({ width }: Cells, angle: number): Int32Array {
  const slope = (Math.tan((angle * Math.PI) / 180) * cellWidth) / cellHeight
  return Int32Array.from({ length: width }, (_, x) => Math.round((x - width / 2) * slope))
}

/** Finds the angle at which rows differ most: rows of print alternate with empty ones. */
function findAngle(cells: Cells): number {
  let best = { angle: 0, score: -1 }
  for (let angle = -mostAngle; angle <= mostAngle; angle += angleStep) {
    const score = scoreOf(cells, angle)
    if (score > best.score) best = { angle, score }
  }
  return best.angle
}

function scoreOf(cells: Cells, angle: number): number {
  const shifts = shiftsOf(cells, angle)
  const counts = new Int32Array(cells.height)
  for (let x = 0; x < cells.width; x++) {
    for (let y = Math.max(0, -shifts[x]!); y < Math.min(cells.height, cells.height - shifts[x]!); y++) {
      counts[y]! += cells.marks[(y + shifts[x]!) * cells.width + x]!
    }
  }
  return counts.reduce((sum, count, y) => sum + (count - (counts[y - 1] ?? 0)) ** 2, 0)
}

/** Finds bands of rows with a long run of marks. */
function findLines(cells: Cells, angle: number): Line[] {
  const shifts = shiftsOf(cells, angle)
  const lines: Line[] = []
  let open: Line | undefined
  for (let y = 0; y <= cells.height; y++) {
    const run = y < cells.height ? longestRun(cells, shifts, y) : undefined
    if (run && open) {
      open.bottom = y + 1
      open.left = Math.min(open.left, run.left)
      open.right = Math.max(open.right, run.right)
    } else if (run) open = { ...run, top: y, bottom: y + 1 }
    else if (open) {
      lines.push(open)
      open = undefined
    }
  }
  return lines.filter(({ top, bottom }) => bottom - top >= 2)
}

function longestRun({ marks, width, height }: Cells, shifts: Int32Array, y: number) {
  let [best, left, last, count] = [{ left: 0, right: 0, count: 0 }, -1, -1, 0]
  for (let x = 0; x < width; x++) {
    const row = y + shifts[x]!
    if (row < 0 || row >= height || marks[row * width + x] === 0) continue
    if (left < 0 || x - last > width * mostGap) [left, count] = [x, 0]
    last = x
    count += 1
    if (x + 1 - left > best.right - best.left) best = { left, right: x + 1, count }
  }
  const length = best.right - best.left
  return length >= width * leastLength && best.count >= length * leastMarks ? best : undefined
}

/** Groups lines of about the same height, ends and distance. A paragraph is one long group. */
function groupLines(lines: readonly Line[], width: number): Line[][] {
  const groups: Line[][] = []
  for (const line of lines) {
    const before = groups.at(-1)?.at(-1)
    if (before && belongTogether(before, line, width)) groups.at(-1)!.push(line)
    else groups.push([line])
  }
  return groups
}

function belongTogether(upper: Line, lower: Line, width: number): boolean {
  const [one, other] = [upper.bottom - upper.top, lower.bottom - lower.top]
  const most = width * mostSkewOfEnds
  return (
    Math.max(one, other) <= Math.min(one, other) * 2 + 2 &&
    lower.top - upper.bottom <= Math.max(one, other) * 2.5 &&
    Math.abs(upper.left - lower.left) <= most &&
    Math.abs(upper.right - lower.right) <= most
  )
}
