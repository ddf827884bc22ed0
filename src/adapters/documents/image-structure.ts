/** The outer structure of a picture, read before anything is unpacked. */
export type ImageStructure = {
  width: number
  height: number
  /** The position after the last byte of the picture. */
  end: number
  isAnimated: boolean
  /** The memory of a decoder that completes no row before the last byte; 0 if rows come in order. */
  heldBytes: number
}

const pngSignatureLength = 8
const chunkFrameLength = 12

/** Reads a PNG (third edition, section 5); undefined when the file is cut off or its chunks are not contiguous. */
export function readPngStructure(bytes: Buffer): ImageStructure | undefined {
  let header: Buffer | undefined
  let isAnimated = false
  let hasPixels = false
  let at = pngSignatureLength
  while (at + chunkFrameLength <= bytes.length) {
    const dataLength = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const next = at + chunkFrameLength + dataLength
    if (next > bytes.length || (type === 'IHDR') !== (at === pngSignatureLength)) return undefined
    if (type === 'IHDR' && dataLength === 13) header = bytes.subarray(at + 8, at + 8 + dataLength)
    if (!header) return undefined
    if (type === 'acTL') isAnimated = true
    if (type === 'IDAT') hasPixels = true
    if (type === 'IEND') return hasPixels ? describePng(header, next, isAnimated) : undefined
    at = next
  }
  return undefined
}

function describePng(header: Buffer, end: number, isAnimated: boolean): ImageStructure {
  const width = header.readUInt32BE(0)
  const height = header.readUInt32BE(4)
  const isDeep = header[8] === 16
  const isInterlaced = header[12] !== 0
  const heldBytes = isInterlaced ? width * height * (isDeep ? 8 : 4) : 0
  return { width, height, end, isAnimated, heldBytes }
}

const startOfImage = 0xd8
const endOfImage = 0xd9
const startOfScan = 0xda

/** Reads a JPEG (ITU-T T.81, annex B); undefined when the file is cut off or its segments are not contiguous. */
export function readJpegStructure(bytes: Buffer): ImageStructure | undefined {
  let frame: Omit<ImageStructure, 'end'> | undefined
  let at = 2
  while (at + 2 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1]!
    if (marker === 0xff) {
      at += 1 // fill bytes before a marker
      continue
    }
    if (marker === endOfImage) return frame && { ...frame, end: at + 2 }
    if (marker === startOfImage || hasNoLength(marker) || at + 4 > bytes.length) return undefined
    const next = at + 2 + bytes.readUInt16BE(at + 2)
    if (next > bytes.length) return undefined
    if (isFrame(marker)) {
      if (frame) return undefined
      frame = describeFrame(marker, bytes.subarray(at + 4, next))
      if (!frame) return undefined
    }
    at = marker === startOfScan ? skipScan(bytes, next) : next
  }
  return undefined
}

/** Markers without a length, which are valid inside a scan only. */
function hasNoLength(marker: number): boolean {
  return marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd7)
}

/** SOF0 to SOF15, without the three markers in between that define tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

function describeFrame(marker: number, frame: Buffer): Omit<ImageStructure, 'end'> | undefined {
  const components = frame[5] ?? 0
  if (components === 0 || frame.length < 6 + components * 3) return undefined
  const [height, width] = [frame.readUInt16BE(1), frame.readUInt16BE(3)]
  const isProgressive = marker !== 0xc0 && marker !== 0xc1
  // Two bytes per coefficient. Colours are often coded at half or a quarter of the size.
  const heldBytes = isProgressive ? Math.ceil(width * height * 2 * sumShares(frame.subarray(6), components)) : 0
  return { width, height, isAnimated: false, heldBytes }
}

/** The number of samples per pixel, over all components. */
function sumShares(components: Buffer, count: number): number {
  const factors = Array.from({ length: count }, (_, at) => components[at * 3 + 1]!)
  const areas = factors.map((factor) => (factor >> 4) * (factor & 15))
  const [widest, tallest] = [
    Math.max(...factors.map((factor) => factor >> 4)),
    Math.max(...factors.map((factor) => factor & 15)),
  ]
  return areas.reduce((sum, area) => sum + area, 0) / Math.max(1, widest * tallest)
}

/** Skips coded data, in which 00 or one of eight restart markers follows FF. Any other marker ends it. */
function skipScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1]
    if (next === undefined) return bytes.length
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return bytes.length
}
