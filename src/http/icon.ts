import { crc32, deflateSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

/** Serves the icon that browsers request from every host without a credential. */
export function addIcon(server: FastifyInstance): void {
  const icon = encodeIcon(drawing)
  server.get('/favicon.ico', { config: { access: 'public' } }, async (_request, reply) => {
    return reply.type('image/x-icon').header('cache-control', 'public, max-age=86400').send(icon)
  })
}

/** Two arrows: value moves both ways. */
const drawing = [
  '  ############  ',
  ' ############## ',
  '########O#######',
  '########OOO#####',
  '##OOOOOOOOOOOO##',
  '########OOO#####',
  '########O#######',
  '################',
  '################',
  '#######O########',
  '#####OOO########',
  '##OOOOOOOOOOOO##',
  '#####OOO########',
  '#######O########',
  ' ############## ',
  '  ############  ',
]
const colours: Record<string, readonly number[]> = {
  ' ': [0, 0, 0, 0],
  '#': [23, 78, 166, 255],
  O: [255, 255, 255, 255],
}
/** Icon pixels per drawing pixel: 32 by 32 stays sharp on dense screens. */
const scale = 2

/** An ICO file with one image: its header, its only directory entry, then the image as PNG. */
function encodeIcon(rows: readonly string[]): Buffer {
  const size = rows.length * scale
  const image = encodePng(rows, size)
  const header = Buffer.alloc(22)
  header.writeUInt16LE(1, 2) // an icon
  header.writeUInt16LE(1, 4) // one image
  header.set([size, size], 6)
  header.writeUInt16LE(1, 10) // colour planes
  header.writeUInt16LE(32, 12) // bits per pixel
  header.writeUInt32LE(image.length, 14)
  header.writeUInt32LE(header.length, 18)
  return Buffer.concat([header, image])
}

/** A PNG of eight-bit red, green, blue and opacity (PNG 1.2, sections 3 and 4.1). */
function encodePng(rows: readonly string[], size: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 6], 8)
  const lines = rows.flatMap((row) => {
    const pixels = [...row].flatMap((letter) => Array(scale).fill(colours[letter]).flat())
    return Array(scale).fill(Buffer.from([0, ...pixels])) // each line starts with its filter: none
  })
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const data = deflateSync(Buffer.concat(lines))
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(content), 4)
  return Buffer.concat([ends.subarray(0, 4), content, ends.subarray(4)])
}
