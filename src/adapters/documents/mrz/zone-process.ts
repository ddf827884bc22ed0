import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import sharp from 'sharp'
import type { MachineZone } from '../../../verification/checks/documents/machine-zone.ts'
import type { GreyPicture } from '../page-signs.ts'
import { copyInGrey } from '../reencode-image.ts'
import { findZone, type ZonePlace } from './find-zone.ts'
import { parseZone } from './parse-zone.ts'

export type FromZoneProcess = { zone: MachineZone | undefined }

/** The part of the engine that is used. */
type Engine = {
  FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void }
  TessBaseAPI: new () => {
    Init(folder: null, language: string, mode: number): number
    SetVariable(name: string, value: string): void
    SetImageFile(orientation: number, radians: number): number
    Recognize(monitor: null): number
    GetUTF8Text(): string
    Clear(): void
  }
}

const require = createRequire(import.meta.url)
// Wide enough for 44 characters of 35 pixels; taller than the lines of any zone at that width.
const readWidth = 1_600
const mostHeight = 600
const sourceSide = 3_000
// The engine's older model: the newest one does not know the font of the zone.
const olderModel = 0
const mostMemory = 512 * 1024 * 1024

limitMemory()

// The types of Node.js leave WebAssembly out.
type WasmMemory = { buffer: ArrayBuffer; grow(pages: number): number }
declare const WebAssembly: { Memory: { prototype: WasmMemory } }

/** Limits the memory of WebAssembly, which no option limits. The engine then fails, and so does the file. */
function limitMemory(): void {
  const pageBytes = 65_536
  const grow = WebAssembly.Memory.prototype.grow
  WebAssembly.Memory.prototype.grow = function (this: WasmMemory, pages: number): number {
    if (this.buffer.byteLength + pages * pageBytes > mostMemory) throw new RangeError('out of memory')
    return grow.call(this, pages)
  }
}

/** Starts the engine. Program and language data are files of two packages: nothing is loaded from a network. */
async function startEngine() {
  const createEngine = require('tesseract.js-core/tesseract-core-simd') as (options: object) => Promise<Engine>
  const engine = await createEngine({})
  const packed = await readFile(require.resolve('@tesseract.js-data/eng/4.0.0/eng.traineddata.gz'))
  engine.FS.writeFile('./eng.traineddata', await promisify(gunzip)(packed))
  const reader = new engine.TessBaseAPI()
  if (reader.Init(null, 'eng', olderModel) !== 0) throw new Error('the reader cannot start')
  engine.FS.unlink('./eng.traineddata')
  reader.SetVariable('tessedit_char_whitelist', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<')
  // One block of lines.
  reader.SetVariable('tessedit_pageseg_mode', '6')
  return {
    read: (png: Buffer): string => {
      engine.FS.writeFile('/input', png)
      if (reader.SetImageFile(1, 0) === 1) return ''
      reader.Recognize(null)
      const text = reader.GetUTF8Text()
      reader.Clear()
      return text
    },
  }
}

async function readZone(bytes: Buffer): Promise<MachineZone | undefined> {
  const picture = await copyInGrey(bytes, sourceSide)
  const place = findZone(await copyInGrey(bytes))
  if (!place) return undefined
  const { pixels, width, height } = cutOut(picture, place)
  const png = await sharp(pixels, { raw: { width, height, channels: 1 } })
    .normalise()
    .resize({ width: readWidth, height: mostHeight, fit: 'inside' })
    .png()
    .toBuffer()
  return parseZone((await engine).read(png))
}

/** Cuts the zone out with a margin, and slides its columns so that tilted lines lie level. */
function cutOut({ pixels, width, height }: GreyPicture, place: ZonePlace): GreyPicture {
  const margin = { x: 0.02, y: (place.bottom - place.top) * 0.25 }
  const [left, right] = [Math.max(0, place.left - margin.x), Math.min(1, place.right + margin.x)]
  const [top, bottom] = [Math.round((place.top - margin.y) * height), Math.round((place.bottom + margin.y) * height)]
  const cut = { width: Math.floor((right - left) * width), height: bottom - top }
  const slope = Math.tan((place.angle * Math.PI) / 180)
  const copy = Buffer.alloc(cut.width * cut.height, 255)
  for (let x = 0; x < cut.width; x++) {
    const from = Math.floor(left * width) + x
    const shift = Math.round((from - width / 2) * slope)
    for (let y = 0; y < cut.height; y++) {
      const row = top + y + shift
      if (row >= 0 && row < height) copy[y * cut.width + x] = pixels[row * width + from]!
    }
  }
  return { ...cut, pixels: copy }
}

const engine = startEngine()

process.on('message', async (bytes: Uint8Array) => {
  // An error ends the process: the engine's memory may be damaged.
  const zone = await readZone(Buffer.from(bytes))
  process.send!({ zone } satisfies FromZoneProcess)
})
process.on('disconnect', () => process.exit())
