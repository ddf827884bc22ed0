import { PDFDocument } from '@cantoo/pdf-lib'
import sharp, { type Sharp } from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { createDocumentChecker } from '../../../src/adapters/documents/document-checker.ts'
import {
  makeFlatPicture,
  makeJpeg,
  makePicture,
  padJpeg,
  savePdf,
  send,
  writePdf,
  writeStream,
} from '../../support/customers/document-files.ts'
import { makePage, makePageJpeg } from '../../support/customers/page-pictures.ts'

const checker = createDocumentChecker({ timeLimitMs: 240_000 })
afterAll(() => checker.close())

async function signsOf(mediaType: string, content: Buffer): Promise<string[]> {
  const bytes = mediaType === 'image/jpeg' && content.length < 100_000 ? padJpeg(content, 100_000) : content
  const answer = await checker.check('organization', send(mediaType, bytes))
  return answer.ok ? answer.pageSigns : expect.fail(answer.problem)
}

const page = await makePage().png().toBuffer()
const jpeg = (picture: Sharp) => picture.jpeg({ quality: 85 }).toBuffer()
const onTable = { top: 150, bottom: 90, left: 200, right: 120, background: '#5a4a3a' }
const gradient = Buffer.from(Array.from({ length: 1_000 * 700 }, (_, at) => ((at % 1_000) * 255) / 1_000))

test.each<[string, () => Promise<Buffer>]>([
  ['a scan', () => jpeg(sharp(page))],
  ['a small scan', () => jpeg(sharp(page).resize(400))],
  ['a photo on a table', () => jpeg(sharp(page).extend(onTable))],
  ['a tilted photo', () => jpeg(sharp(page).rotate(7, { background: '#5a4a3a' }))],
  ['a page on its side', () => jpeg(sharp(page).rotate(90))],
  ['a page upside down', () => jpeg(sharp(page).rotate(180))],
  ['a blurred photo', () => jpeg(sharp(page).blur(1.5))],
  ['a dark photo', () => jpeg(sharp(page).linear(0.35, 0))],
  ['a pale copy', () => jpeg(sharp(page).linear(0.3, 150))],
  ['white print on a dark card', () => jpeg(sharp(page).negate())],
])('a page that can be read: %s', async (_name, make) => {
  expect(await signsOf('image/jpeg', await make())).toEqual([])
})

test.each<[string, string, () => Promise<Buffer>]>([
  ['noise', 'NOISE', () => makeJpeg()],
  ['noise of 3 megapixels', 'NOISE', () => jpeg(makePicture({ width: 2_000, height: 1_500 }))],
  [
    'noise in large dots',
    'NOISE',
    () => jpeg(makePicture({ width: 200, height: 150 }).resize(1_600, 1_200, { kernel: 'nearest' })),
  ],
  ['smooth noise', 'NOISE', () => jpeg(makePicture({ width: 400, height: 300 }).resize(1_200, 900))],
  [
    'noise in a frame',
    'NO_TEXT',
    () => jpeg(makePicture({ width: 800, height: 600 }).extend({ ...onTable, background: 'white' })),
  ],
  ['one colour', 'BLANK_PAGE', () => jpeg(makeFlatPicture({ width: 900, height: 700 }))],
  ['white paper', 'BLANK_PAGE', () => jpeg(makePage({ ink: 225 }))],
  [
    'two halves',
    'NO_TEXT',
    () => jpeg(makeFlatPicture({ width: 500, height: 700 }).extend({ left: 500, background: 'white' })),
  ],
  ['a gradient', 'NO_TEXT', () => jpeg(sharp(gradient, { raw: { width: 1_000, height: 700, channels: 1 } }))],
])('no page: %s shows %s', async (_name, sign, make) => {
  expect(await signsOf('image/jpeg', await make())).toEqual([sign])
})

async function pdfOf(picture: Buffer): Promise<Buffer> {
  const pdf = await PDFDocument.create()
  pdf.addPage().drawImage(await pdf.embedJpg(picture), { x: 0, y: 0, width: 500, height: 350 })
  return savePdf(pdf)
}

test('a PDF is judged by its text, or else by its largest picture', async () => {
  expect(await signsOf('application/pdf', await pdfOf(await makePageJpeg({ width: 2_000, height: 1_400 })))).toEqual([])
  expect(await signsOf('application/pdf', await pdfOf(await makeJpeg()))).toEqual(['NOISE'])
  expect(await signsOf('application/pdf', writePdf(''))).toEqual(['NO_TEXT'])
  const text = Buffer.from('BT /F1 12 Tf (Account statement) Tj ET\n'.repeat(9))
  expect(await signsOf('application/pdf', writePdf(writeStream(4, '', text)))).toEqual([])
})
