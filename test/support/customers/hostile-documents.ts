import { documentProblems } from '../../../src/adapters/documents/document-check.ts'
import type { DocumentFile } from '../../../src/adapters/documents/document-checker.ts'
import {
  insertChunks,
  makeBomb,
  makeChunk,
  makeFalsePng,
  makeFlatPicture,
  makeJpeg,
  makeNoise,
  makePdf,
  makePng,
  makeZip,
  padJpeg,
  send,
} from './document-files.ts'

/** Name, file, and the message of the answer about the field. */
export type Hostile = readonly [name: string, file: DocumentFile, problem: string]

const { size, type, damaged, animated, hiddenFile, tooFewPixels, tooManyPixels } = documentProblems
const notDataUri = 'must be a data URI such as data:image/jpeg;base64,…'
const badBase64 = 'must be standard base64 with padding and without spaces or line breaks'
const badEscape = 'must not contain escaped characters other than those of base64'

const big = 200_000
const jpeg = await makeJpeg()
const png = await makePng()
const pdf = await makePdf()
const zip = makeZip()
const html = Buffer.from('<html><script>alert(1)</script></html>')
const join = (...parts: (Buffer | string)[]) => Buffer.concat(parts.map((part) => Buffer.from(part)))
const pad = (content: Buffer | string) => join(content, makeNoise(big))
const encode = (content: Buffer) => content.toString('base64')

const texts: Hostile[] = [
  ['words', { text: 'a picture of my passport' }, notDataUri],
  ['an address', { text: 'https://example.com/passport.jpg' }, notDataUri],
  ['nothing', { text: '' }, notDataUri],
  ['no pieces', { pieces: [] }, notDataUri],
  ['a data URI without base64', { text: `data:image/png,${'a'.repeat(big)}` }, notDataUri],
  ['a data URI with a parameter', { text: `data:image/png;name=a.png;base64,${encode(png)}` }, notDataUri],
  ['a type of endless length', { text: `data:image/${'p'.repeat(big)};base64,AAAA` }, notDataUri],
  ['base64 for URLs', { text: `data:image/png;base64,${png.toString('base64url')}` }, badBase64],
  ['base64 in lines', { text: `data:image/png;base64,${encode(png).replace(/.{76}/g, '$&\r\n')}` }, badBase64],
  [
    'base64 that lost its padding',
    { text: `data:image/png;base64,${encode(pad('ab')).replace(/=+$/, '')}` },
    badBase64,
  ],
  ['padding in the middle', { text: `data:image/png;base64,AAA=${encode(png)}` }, badBase64],
  ['bits that mean nothing', { text: `data:image/png;base64,${encode(png).slice(0, -4)}AB==` }, badBase64],
  ['letters that look like base64', { text: `data:image/png;base64,${'А'.repeat(big)}` }, badBase64],
  ['an escaped line break', { pieces: [Buffer.from(`data:image/png;base64,AAAA\\n${encode(png)}`)] }, badEscape],
  ['a backslash in plain text', { text: `data:image/png;base64,AAA\\/${encode(png)}` }, badBase64],
]

const sizes: Hostile[] = [
  ['no content', { text: 'data:image/jpeg;base64,' }, size],
  ['99,999 bytes', send('image/jpeg', padJpeg(await makeJpeg({ width: 300, height: 200 }), 99_999)), size],
  ['10,485,761 bytes', send('image/jpeg', padJpeg(jpeg, 10_485_761)), size],
  ['40 megabytes', send('image/jpeg', Buffer.alloc(40_000_000)), size],
]

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300">${' '.repeat(big)}</svg>`
const flat = makeFlatPicture({ width: 300, height: 300 })
const gif = pad(await flat.gif().toBuffer())
const heic = pad(Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'))
const types: Hostile[] = [
  ['a PNG declared as JPEG', send('image/jpeg', png), type],
  ['a JPEG declared as PNG', send('image/png', jpeg), type],
  ['a PDF declared as JPEG', send('image/jpeg', pdf), type],
  ['a JPEG declared as PDF', send('application/pdf', jpeg), type],
  ['an SVG declared as PNG', send('image/png', Buffer.from(svg)), type],
  ['an SVG', send('image/svg+xml', Buffer.from(svg)), type],
  ['a GIF', send('image/gif', gif), type],
  ['a GIF declared as PNG', send('image/png', gif), type],
  ['a WebP declared as JPEG', send('image/jpeg', pad(await flat.webp().toBuffer())), type],
  ['a TIFF declared as JPEG', send('image/jpeg', pad(await flat.tiff().toBuffer())), type],
  ['an HEIC declared as JPEG', send('image/jpeg', heic), type],
  ['an HTML page declared as JPEG', send('image/jpeg', pad(html)), type],
  ['an HTML page', send('text/html', pad(html)), type],
  ['an archive declared as PDF', send('application/pdf', pad(zip)), type],
  ['a property of every object as type', send('constructor/x', jpeg), type],
]

const pictures: Hostile[] = [
  ['199 × 200 pixels', send('image/png', await makePng({ width: 199, height: 200 })), tooFewPixels],
  ['200 × 199 pixels', send('image/jpeg', padJpeg(await makeJpeg({ width: 200, height: 199 }), big)), tooFewPixels],
  ['8000 × 5001 pixels', send('image/png', makeFalsePng(8000, 5001, makeBomb(9))), tooManyPixels],
  [
    'a PNG of 100,000 × 100,000 pixels',
    send('image/png', makeFalsePng(100_000, 100_000, makeBomb(50_000_000))),
    tooManyPixels,
  ],
  ['a JPEG of 65,535 × 65,535 pixels', send('image/jpeg', withJpegSize(jpeg, 65_535, 65_535)), tooManyPixels],
  [
    'pixels that unpack to less than the picture',
    send('image/png', makeFalsePng(3000, 3000, makeBomb(1_000))),
    damaged,
  ],
  ['half a JPEG', send('image/jpeg', padJpeg(jpeg, big).subarray(0, -jpeg.length / 2)), damaged],
  [
    'half a JPEG with an end',
    send('image/jpeg', join(padJpeg(jpeg, big).subarray(0, -jpeg.length / 2), Buffer.of(0xff, 0xd9))),
    damaged,
  ],
  ['half a PNG', send('image/png', png.subarray(0, png.length / 2)), damaged],
  ['a JPEG of random bytes', send('image/jpeg', pad(Buffer.of(0xff, 0xd8, 0xff))), damaged],
  ['a PNG of random bytes', send('image/png', pad(png.subarray(0, 33))), damaged],
  ['a PNG with a changed byte', send('image/png', changeByte(png, png.length / 2)), damaged],
  ['a PNG without pixels', send('image/png', insertChunks(makeFalsePng(300, 300, Buffer.alloc(0)))), damaged],
  [
    'an animated PNG',
    send('image/png', insertChunks(png, makeChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])))),
    animated,
  ],
  ['a JPEG with an archive behind it', send('image/jpeg', join(jpeg, zip)), hiddenFile],
  ['a JPEG with an archive and more behind it', send('image/jpeg', join(jpeg, zip, makeNoise(50_000))), hiddenFile],
  ['a JPEG with a web page behind it', send('image/jpeg', join(jpeg, '\n\n', html)), hiddenFile],
  ['a JPEG with a web page further behind it', send('image/jpeg', join(jpeg, makeNoise(big), html)), hiddenFile],
  ['a JPEG with a PDF behind it', send('image/jpeg', join(jpeg, pdf)), hiddenFile],
  ['a PNG with a Java archive behind it', send('image/png', join(png, zip)), hiddenFile],
  ['a PNG with a script behind it', send('image/png', join(png, '/**/alert(1)')), hiddenFile],
  ['a PNG with PHP behind it', send('image/png', join(png, '<?php system($_GET["c"]); ?>')), hiddenFile],
  ['a web page with a JPEG behind it', send('image/jpeg', join(html, jpeg)), type],
  ['a GIF that is also an archive', send('image/jpeg', join(gif, zip)), type],
]

/** Puts another size into the frame header, ITU-T T.81, B.2.2. */
function withJpegSize(original: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(original)
  const frame = changed.indexOf(Buffer.of(0xff, 0xc0))
  changed.writeUInt16BE(height, frame + 5)
  changed.writeUInt16BE(width, frame + 7)
  return changed
}

function changeByte(original: Buffer, at: number): Buffer {
  const changed = Buffer.from(original)
  changed[Math.floor(at)] = changed[Math.floor(at)]! ^ 0xff
  return changed
}

export const hostileDocuments: Hostile[] = [...texts, ...sizes, ...types, ...pictures]
