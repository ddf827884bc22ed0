import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { PDFDocument, PDFName } from '@cantoo/pdf-lib'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { makeFlatPicture, makeJpeg, makePdf, makePicture } from '../../support/customers/document-files.ts'
import { openFormClient, saveAnswers } from '../../support/forms/form-client.ts'
import { addPhoto, askForNews, goToStep, heading, press, startForms } from '../../support/forms/form-visitor.ts'
import { makeFolder } from '../../support/runner/folder.ts'

const { open } = await startForms()
/** A picture in HEVC, as phones make them: browsers on Linux open none by themselves. */
const heicPhoto = path.join(import.meta.dirname, '..', '..', 'support', 'forms', 'sample.heic')
const converted = 'We turned your file into a picture that we can check.'

/** Opens the page of the identity document. */
async function openDocument() {
  const visitor = await open()
  await goToStep(visitor.page, 'document')
  await heading(visitor.page, 'Identity document')
  const group = visitor.page.getByRole('group', { name: 'Front of the document' }).first()
  const choose = (name: string, buffer: Buffer, mimeType = 'application/octet-stream') =>
    group.locator('input[type=file]').first().setInputFiles({ name, mimeType, buffer })
  return { ...visitor, group, choose }
}

async function makeBlankPdf(): Promise<Buffer> {
  const pdf = await PDFDocument.create()
  pdf.addPage()
  return Buffer.from(await pdf.save())
}

async function makeSmallPdf(pages = 1): Promise<Buffer> {
  const pdf = await PDFDocument.create()
  for (let at = 0; at < pages; at++) {
    const page = pdf.addPage()
    for (let line = 0; line < 40; line++)
      page.drawText(`Statement line ${line} of an electronic bill`, { x: 50, y: 760 - line * 18 })
  }
  return Buffer.from(await pdf.save())
}

/** A scan as fax machines make them: the left half is white, the right half black (ITU-T T.4, one dimension). */
async function makeScan(): Promise<Buffer> {
  const pdf = await PDFDocument.create()
  const page = pdf.addPage([300, 400])
  const row = [0b00011011, 0b00000110, 0b10100000]
  const scan = pdf.context.stream(new Uint8Array(Array.from({ length: 64 }, () => row).flat()), {
    Type: 'XObject',
    Subtype: 'Image',
    Width: 64,
    Height: 64,
    ColorSpace: 'DeviceGray',
    BitsPerComponent: 1,
    Filter: 'CCITTFaxDecode',
    DecodeParms: { K: 0, Columns: 64, Rows: 64, EncodedByteAlign: true, EndOfBlock: false },
  })
  page.node.setXObject(PDFName.of('Scan'), pdf.context.register(scan))
  const content = pdf.context.stream('q 300 0 0 400 0 0 cm /Scan Do Q')
  page.node.set(PDFName.of('Contents'), pdf.context.register(content))
  return Buffer.from(await pdf.save())
}

/** The share of dark pixels in the picture that the customer looks at. */
function readDarkness(page: Page): Promise<number> {
  const read = `(async () => {
    const picture = document.querySelector('.field img')
    await picture.decode()
    const canvas = new OffscreenCanvas(100, 100)
    const context = canvas.getContext('2d')
    context.drawImage(picture, 0, 0, 100, 100)
    const { data } = context.getImageData(0, 0, 100, 100)
    return data.filter((value, at) => at % 4 === 0 && value < 128).length / 10_000
  })()`
  return page.evaluate(read)
}

test('what phones and scanners make becomes what the API takes, after a look at it', async () => {
  const { page, group, choose, problems } = await openDocument()
  const files: [name: string, buffer: Buffer][] = [
    ['a.webp', await makePicture().webp({ quality: 70 }).toBuffer()],
    ['small.jpg', await makePicture({ width: 300, height: 220 }).jpeg({ quality: 40 }).toBuffer()],
    ['48-megapixels.jpg', await makeFlatPicture({ width: 8_000, height: 6_000 }).jpeg().toBuffer()],
    ['statement.pdf', await makeSmallPdf()],
    ['scan.pdf', await makeScan()],
    ['IMG_0001.HEIC', await readFile(heicPhoto)],
  ]
  for (const [name, buffer] of files) {
    await choose(name, buffer)
    await group
      .getByText(converted)
      .waitFor()
      .catch(() => expect.fail(`${name} was not converted`))
    if (name === 'scan.pdf') expect(await readDarkness(page)).toBeCloseTo(0.5, 1)
    await group.getByRole('button', { name: 'Use this picture' }).click()
    await group.getByText(/Uploaded$/).waitFor()
  }
  // A PDF of a fitting size stays a PDF.
  await choose('articles.pdf', await makePdf())
  await expect.poll(() => group.getByText(/Uploaded$/).count()).toBe(1)
  await group.getByRole('button', { name: 'Remove' }).click()
  await group.getByRole('button', { name: 'Choose a file' }).waitFor()
  expect(problems).toEqual([])
  await page.close()
})

test('a small PDF shows up to four pages, and the customer chooses among more', async () => {
  const { group, choose, problems } = await openDocument()
  await choose('statement.pdf', await makeSmallPdf(3))
  await group.getByText('These are pages 1 to 3 of 3.').waitFor()
  expect(await group.getByLabel('Pages to send').count()).toBe(0)
  await group.getByRole('button', { name: 'Choose another' }).click()
  await choose('statement.pdf', await makeSmallPdf(6))
  await group.getByText('These are pages 1 to 4 of 6.').waitFor()
  await group.getByLabel('Pages to send').selectOption('Pages 5 to 6')
  await group.getByText('These are pages 5 to 6 of 6.').waitFor()
  await group.getByRole('button', { name: 'Use this picture' }).click()
  await group.getByText(/Uploaded$/).waitFor()
  // The focus stays in the field when the button that had it is gone.
  await expect.poll(() => group.locator('button:focus').count()).toBe(1)
  await choose('empty.pdf', await makeBlankPdf())
  await group.getByText('The page looks empty').waitFor()
  expect(problems).toEqual([])
})

test('files that cannot be used are told before they are sent', async () => {
  const { group, choose, page } = await openDocument()
  const sent: string[] = []
  page.on('request', (request) => void (request.url().includes('/api/files') && sent.push(request.url())))
  const bad: [name: string, buffer: Buffer, words: string][] = [
    ['notes.txt', Buffer.from('hello'.repeat(100)), 'This kind of file cannot be used'],
    ['tiny.jpg', await makeJpeg({ width: 150, height: 400 }), 'too small to be read'],
    ['damaged.jpg', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(200_000)]), 'cannot be opened'],
  ]
  for (const [name, buffer, words] of bad) {
    await choose(name, buffer)
    await group.getByText(words).waitFor()
  }
  // A large file is passed by its path.
  const { folder, remove } = await makeFolder()
  onTestFinished(remove)
  const large = path.join(folder, 'large.pdf')
  await writeFile(large, Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(11_000_000)]))
  await group.locator('input[type=file]').first().setInputFiles(large)
  await group.getByText('larger than 10 MB').waitFor()
  expect(sent).toEqual([])
})

test('a file can be dropped, and what the service refuses is told in words for the customer', async () => {
  const { group, page, choose } = await openDocument()
  const bytes = (await makeJpeg()).toString('base64')
  await group.locator('.drop').evaluate((target: EventTarget, content: string) => {
    const scope = globalThis as unknown as Record<string, new (...args: unknown[]) => Record<string, never>>
    const data = new scope.DataTransfer!() as unknown as { items: { add(file: unknown): void } }
    const file = new scope.File!([Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))], 'dropped.jpg')
    data.items.add(file)
    target.dispatchEvent(
      new scope.DragEvent!('drop', { dataTransfer: data, bubbles: true, cancelable: true }) as unknown as Event,
    )
  }, bytes)
  await group.getByRole('button', { name: 'Use this picture' }).click()
  await group.getByText(/Uploaded$/).waitFor()
  await choose('damaged.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(150_000)]))
  await group.getByText('The file is damaged and cannot be opened').waitFor()
  await addPhoto(page, 'Front of the document')
})

test('a picture stays with its document while another one is removed', async () => {
  const { customer, page, problems } = await open({ customerType: 'BUSINESS', businessName: 'Example Goods Inc' })
  await goToStep(page, 'papers')
  const paper = (at: number) => page.getByRole('region', { name: `Document ${at}` })
  for (const at of [1, 2, 3]) {
    await press(page, 'Add a document')
    await paper(at).waitFor()
  }
  await paper(2)
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'p.jpg', mimeType: 'image/jpeg', buffer: await makeJpeg() })
  await paper(2).getByRole('button', { name: 'Use this picture' }).waitFor()
  await page.getByText('All answers saved').waitFor()
  const saves = Promise.withResolvers<void>()
  await page.route('**/api/draft', async (route) => {
    await saves.promise
    await route.continue()
  })
  // The picture is sent after the answers, so that the place of its document changes in between.
  await paper(2).getByLabel('Kind of document').selectOption('REGISTER_EXTRACT')
  await press(page, 'Use this picture')
  await paper(1).getByRole('button', { name: 'Remove this document' }).click()
  saves.resolve()
  await page.getByText('Uploaded', { exact: true }).waitFor()
  expect(await paper(1).getByLabel('Kind of document').inputValue()).toBe('REGISTER_EXTRACT')
  expect(await paper(1).getByText('Uploaded', { exact: true }).count()).toBe(1)
  expect(await page.getByText('Uploaded', { exact: true }).count()).toBe(1)
  // When another device removes one, a picture that waits may be that of another document: the page says that it is gone.
  await paper(2)
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'p.jpg', mimeType: 'image/jpeg', buffer: await makeJpeg() })
  await paper(2).getByRole('button', { name: 'Use this picture' }).waitFor()
  await page.getByText('All answers saved').waitFor()
  const phone = await openFormClient(customer.verificationLink ?? '')
  expect((await saveAnswers(phone, { 'kybData.businessDocuments[0]': null })).status).toBe(200)
  await askForNews(page)
  await page.getByRole('alert').getByText('Please give it again if it is still needed: Document 2: Document.').waitFor()
  await press(page, 'Close')
  expect(problems).toEqual([])
})
