import { readdir, readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { PDFDocument, PDFName, PDFString } from '@cantoo/pdf-lib'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { createDocumentChecker, type DocumentFile } from '../../../src/adapters/documents/document-checker.ts'
import { blockOtherReaders, otherReaders } from '../../../src/adapters/documents/reencode-image.ts'
import type { CheckedDocument } from '../../../src/customers/ports.ts'
import {
  insertChunks,
  makeChunk,
  makeFlatPicture,
  makeJpeg,
  makePicture,
  makePng,
  makeText,
  padJpeg,
  savePdf,
  send,
  startPdf,
  writePdf,
  writeStream,
} from '../../support/customers/document-files.ts'

const checker = createDocumentChecker({ timeLimitMs: 240_000 })
afterAll(() => checker.close())

async function accept(file: DocumentFile): Promise<CheckedDocument> {
  const answer = await checker.check('organization', file)
  return answer.ok ? answer : expect.fail(answer.problem)
}

type Make = () => Buffer | Promise<Buffer>

const canary = 'CANARY-7f3a'
const jpeg = await makeJpeg()
const png = await makePng()

/** ISO 32000-1, 7.5.4: a reader that trusts the table finds each object where the table says. */
function expectTrueTable(pdf: Buffer): void {
  const text = pdf.toString('latin1')
  const table = text.slice(Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1]))
  const [, ...sections] = table.slice(0, table.indexOf('trailer')).split(/^(?=\d+ \d+\s*$)/m)
  const entries = sections.flatMap((section) => {
    const [heading = '', ...lines] = section.trim().split('\n')
    return lines.map((line, at) => ({ number: Number.parseInt(heading, 10) + at, line }))
  })
  for (const { number, line } of entries.filter((entry) => / n\s*$/.test(entry.line))) {
    expect(text.slice(Number(line.slice(0, 10))).startsWith(`${number} 0 obj`)).toBe(true)
  }
  expect(entries.length).toBeGreaterThan(3)
}

test('a thread that starts and blocks readers disturbs no check of another thread', async () => {
  const file = send('image/jpeg', jpeg)
  const along = Promise.all(Array.from({ length: 20 }, () => accept(file)))
  let isChecked = false
  void along.finally(() => (isChecked = true)).catch(() => {})
  while (!isChecked) {
    blockOtherReaders()
    await setImmediate()
  }
  await along
})

test('every reader in the library is blocked but those in use', async () => {
  const folder = 'node_modules/@img'
  const [installed = ''] = (await readdir(folder)).filter((name) => name.startsWith('sharp-libvips-'))
  const [library = ''] = (await readdir(`${folder}/${installed}/lib`)).filter((name) => name.startsWith('libvips-cpp'))
  const names = (await readFile(`${folder}/${installed}/lib/${library}`, 'latin1')).matchAll(/VipsForeignLoad(\w+)/g)
  const readers = [...new Set([...names].map(([, name = '']) => name))]
  const isBlocked = (reader: string) =>
    otherReaders.some((other) => other === reader || other === reader.replace(/(Buffer|File|Source)$/, ''))
  expect(readers.filter((reader) => !isBlocked(reader)).toSorted()).toEqual(['Jpeg', 'JpegBuffer', 'Png', 'PngBuffer'])
})

test('the library reads no format but JPEG and PNG', async () => {
  blockOtherReaders()
  const formats = Object.values(sharp.format).filter(({ input, output }) => input.buffer && output.buffer)
  const unread = formats.filter(({ id }) => !['jpeg', 'jpg', 'png', 'raw'].includes(id))
  expect(unread.map(({ id }) => id)).toEqual(expect.arrayContaining(['webp', 'gif', 'tiff', 'heif']))
  for (const { id } of unread) {
    const written = await makeFlatPicture({ width: 64, height: 64 })
      .toFormat(id, id === 'heif' ? { compression: 'av1' } : {})
      .toBuffer()
    await expect(sharp(written).metadata(), id).rejects.toThrow(/unsupported image format|blocked/)
  }
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"/>')
  await expect(sharp(svg).metadata()).rejects.toThrow(/unsupported image format|blocked/)
})

describe('accepted files', () => {
  const smallest = async () => padJpeg(await makeJpeg({ width: 300, height: 200 }), 100_000)
  const largest = () => padJpeg(jpeg, 10_485_760)
  const widest = async () => padJpeg(await makeFlatPicture({ width: 8000, height: 5000 }).jpeg().toBuffer(), 700_000)
  const onItsSide = () => makePicture().withMetadata({ orientation: 6 }).jpeg().toBuffer()

  // biome-ignore format: a table is read by column
  const pictures: [name: string, mediaType: string, make: Make, format: string, width: number, height: number][] = [
    ['a JPEG',                      'image/jpeg', () => jpeg,                                                     'jpeg',  600,  400],
    ['a JPEG under its other name', 'image/jpg',  () => jpeg,                                                     'jpeg',  600,  400],
    ['a type in capitals',          'IMAGE/JPEG', () => jpeg,                                                     'jpeg',  600,  400],
    ['a PNG',                       'image/png',  () => png,                                                      'png',   600,  400],
    ['the smallest size',           'image/jpeg', smallest,                                                       'jpeg',  300,  200],
    ['the largest size',            'image/jpeg', largest,                                                        'jpeg',  600,  400],
    ['the fewest pixels',           'image/png',  () => makePng({ width: 200, height: 200 }),                     'png',   200,  200],
    ['the most pixels',             'image/jpeg', widest,                                                         'jpeg', 8000, 5000],
    ['a progressive JPEG',          'image/jpeg', () => makePicture().jpeg({ progressive: true }).toBuffer(),     'jpeg',  600,  400],
    ['a JPEG for print',            'image/jpeg', () => makePicture().toColourspace('cmyk').jpeg().toBuffer(),    'jpeg',  600,  400],
    ['a grey JPEG',                 'image/jpeg', () => makePicture().greyscale().jpeg({ quality: 99 }).toBuffer(), 'jpeg', 600, 400],
    ['an interlaced PNG',           'image/png',  () => makePicture().png({ progressive: true }).toBuffer(),      'png',   600,  400],
    ['a PNG with 16-bit colours',   'image/png',  () => makePicture().toColourspace('rgb16').png().toBuffer(),    'png',   600,  400],
    ['a picture rotated by 90°',    'image/jpeg', onItsSide,                                                      'jpeg',  400,  600],
  ]

  test.each(pictures)('%s', async (_name, mediaType, make, format, width, height) => {
    const content = await make()
    const { bytes, pageSigns: _, ...rest } = await accept(send(mediaType, content))
    expect(rest).toEqual({
      ok: true,
      mediaType: `image/${format}`,
      byteLength: content.length,
      width,
      height,
      screenHints: [],
    })
    expect(await sharp(bytes).metadata()).toMatchObject({ format, width, height, space: 'srgb', depth: 'uchar' })
  })

  test.each([false, true])('a PDF, with object streams: %s', async (useObjectStreams) => {
    const content = await savePdf(await startPdf(50), { useObjectStreams })
    const { bytes, pageSigns: _, ...rest } = await accept(send('application/pdf', content))
    expect(rest).toEqual({ ok: true, mediaType: 'application/pdf', byteLength: content.length, screenHints: [] })
    expectTrueTable(bytes)
    const stored = await PDFDocument.load(bytes, { throwOnInvalidObject: true })
    expect(stored.getPages().map((page) => page.getSize())).toEqual(
      new Array(50).fill({ width: 595.28, height: 841.89 }),
    )
    expect(bytes.includes(jpeg), 'the picture on the page').toBe(true)
    expect((await accept(send('application/pdf', bytes))).bytes.equals(bytes), 'a second time').toBe(true)
  })

  test('base64 with characters that JSON allows to escape', async () => {
    const text = `data:image/jpeg;base64,${jpeg.toString('base64')}`
    const escaped = Buffer.from(text.replaceAll('/', '\\/').replaceAll('+', '\\u002B').replaceAll('=', '\\u003d'))
    const { byteLength } = await accept({
      pieces: [escaped.subarray(0, 6), escaped.subarray(6, 99), escaped.subarray(99)],
    })
    expect(byteLength).toBe(jpeg.length)
    expect(await accept({ text })).toMatchObject({ byteLength: jpeg.length })
  })

  test('a PDF that opens at a page, and a PDF with a clickable link', async () => {
    await accept(send('application/pdf', writePdf('', { catalog: '/OpenAction [3 0 R /Fit]' })))
    await accept(send('application/pdf', writePdf('', { catalog: '/OpenAction <</S /GoTo /D [3 0 R /Fit]>>' })))
    const link = `/Annots [<</Subtype /Link /Rect [0 0 9 9] /A <</S /URI /URI (https://${canary}.example)>>>>]`
    const { bytes } = await accept(send('application/pdf', writePdf('', { page: link })))
    expect(bytes.toString('latin1')).toContain('/Link')
    expect(bytes.toString('latin1')).not.toContain(canary)
  })

  test('fonts and pictures with names that are keywords elsewhere in a PDF', async () => {
    const fonts = '/Resources <</Font <</AA 9 0 R /JS 9 0 R /EF 9 0 R /A 9 0 R>>>>'
    const font = '9 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Courier>> endobj'
    const { bytes } = await accept(send('application/pdf', writePdf(font, { page: fonts })))
    expect(bytes.toString('latin1')).toMatch(/\/AA 9 0 R\s*\/JS 9 0 R\s*\/EF 9 0 R\s*\/A 9 0 R/)
  })
})

describe('everything but the picture is removed', () => {
  const script = `<script>${canary}</script>`
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><a>${canary}</a></x:xmpmeta>`
  // A position in the GPS directory, and a text in the first one.
  const located = makePicture().withExif({
    IFD0: { Copyright: canary },
    IFD3: { GPSMapDatum: canary, GPSLatitude: '51/1 30/1 0/1' },
  })

  const metadata: [name: string, mediaType: string, make: Make][] = [
    ['the place where it was taken', 'image/jpeg', () => located.clone().jpeg().toBuffer()],
    ['the place where it was taken, in a PNG', 'image/png', () => located.clone().png().toBuffer()],
    ['XMP', 'image/jpeg', () => makePicture().withXmp(xmp).jpeg().toBuffer()],
    ['comments', 'image/jpeg', () => padJpeg(jpeg, jpeg.length + 1_000, script)],
    ['texts in a PNG', 'image/png', () => insertChunks(png, makeText('Comment', script))],
    ['unknown chunks', 'image/png', () => insertChunks(png, makeChunk('caNy', Buffer.from(script)))],
    ['data that a camera appends', 'image/jpeg', () => Buffer.concat([jpeg, Buffer.from(`SEFH${canary}SEFT`), jpeg])],
    [
      'data that an editor leaves behind',
      'image/png',
      () => Buffer.concat([png, Buffer.alloc(9), Buffer.from(canary)]),
    ],
  ]

  test.each(metadata)('%s', async (_name, mediaType, make) => {
    const content = await make()
    expect(content.toString('latin1')).toContain(canary)
    const { bytes } = await accept(send(mediaType, content))
    expect(bytes.toString('latin1')).not.toContain(canary)
    expect(Object.keys(await sharp(bytes).metadata())).not.toEqual(expect.arrayContaining(['exif', 'xmp', 'icc']))
  })

  test('the picture itself stays', async () => {
    const before = await makePicture().removeAlpha().raw().toBuffer()
    const { bytes } = await accept(send('image/png', png))
    expect((await sharp(bytes).raw().toBuffer()).equals(before)).toBe(true)
  })

  test('colours behind full transparency', async () => {
    const hidden = await makePicture().ensureAlpha(0).png().toBuffer()
    const { bytes } = await accept(send('image/png', hidden))
    const { channels } = await sharp(bytes).stats()
    expect(channels.map(({ min }) => min)).toEqual([255, 255, 255])
  })

  const shadow = `9 0 obj <</S /JavaScript /JS (${canary})>> endobj 9 0 obj <</S /GoTo>> endobj`
  const extras: [name: string, make: Make][] = [
    ['the author of a PDF', () => makePdfBy(canary)],
    [
      'metadata of a page',
      () => writePdf(writeStream(9, '/Type /Metadata /Subtype /XML', Buffer.from(xmp)), { page: '/Metadata 9 0 R' }),
    ],
    ['objects that no page needs', () => writePdf(`9 0 obj (${canary}) endobj`)],
    ['objects that a later one replaces', () => writePdf(shadow, { page: '/X 9 0 R' })],
    ['text between the objects of a PDF', () => writePdf(`\n${script}\n`)],
    ['comments in a PDF', () => writePdf(`%${script}\n`)],
    ['an outline', () => writePdf(`9 0 obj <</Title (${canary})>> endobj`, { catalog: '/Outlines <</First 9 0 R>>' })],
  ]

  test.each(extras)('%s', async (_name, make) => {
    const content = await make()
    expect(content.toString('latin1')).toContain(canary)
    const { bytes } = await accept(send('application/pdf', content))
    expect(bytes.toString('latin1')).not.toContain(canary)
    expect((await PDFDocument.load(bytes)).getPageCount()).toBe(1)
  })
})

async function makePdfBy(author: string): Promise<Buffer> {
  const pdf = await startPdf()
  const information = pdf.context.obj({ Author: PDFString.of(author) })
  pdf.context.trailerInfo.Info = pdf.context.register(information)
  pdf.catalog.set(PDFName.of('PieceInfo'), information)
  return savePdf(pdf)
}

describe('screenshots', () => {
  const phone = { width: 1170, height: 2532 }
  const named = 'SCREENSHOT_NAMED_IN_METADATA'
  test.each([
    ['the size of a phone, without a camera', 'image/png', makePicture(phone).png(), ['SCREEN_SIZE_WITHOUT_CAMERA']],
    [
      'the size of a phone, with a camera',
      'image/png',
      makePicture(phone)
        .withExif({ IFD0: { Make: 'Maker' } })
        .png(),
      [],
    ],
    ['the size of a phone, after a messenger', 'image/jpeg', makePicture(phone).jpeg({ quality: 50 }), []],
    [
      'a comment',
      'image/jpeg',
      makePicture()
        .withExif({ IFD2: { UserComment: 'Screenshot' } })
        .jpeg(),
      [named],
    ],
    [
      'a program',
      'image/png',
      makePicture().withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">gnome-screenshot</x:xmpmeta>').png(),
      [named],
    ],
    ['an ordinary picture', 'image/png', makePicture().png(), []],
  ] as const)('%s', async (_name, mediaType, picture, screenHints) => {
    expect(await accept(send(mediaType, await picture.toBuffer()))).toMatchObject({ screenHints })
  })

  test('a text chunk of a PNG', async () => {
    const file = send('image/png', insertChunks(png, makeText('Software', 'Flameshot 12')))
    expect(await accept(file)).toMatchObject({ screenHints: [named] })
  })
})
