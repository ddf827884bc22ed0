import { decodePDFRawStream, PDFArray, PDFDocument, PDFName, type PDFPage, type PDFRawStream } from '@cantoo/pdf-lib'
import { expect, test } from 'vitest'
import { watermarkPdf } from '../../../src/adapters/documents/pdf/watermark.ts'

/** A page whose operators would leave a state in which nothing is visible. */
async function makePdf(...contents: string[]): Promise<Buffer> {
  const pdf = await PDFDocument.create()
  const page = pdf.addPage([300, 200])
  const streams = contents.map((text) => pdf.context.register(pdf.context.flateStream(text)))
  page.node.set(PDFName.of('Contents'), pdf.context.obj(streams))
  page.node.set(PDFName.of('Resources'), pdf.context.obj({ ExtGState: { Faint: { ca: 0 } } }))
  return Buffer.from(await pdf.save())
}

function operatorsOf(page: PDFPage): string {
  const contents = page.node.Contents()
  const streams = contents instanceof PDFArray ? contents.asArray().map((_, at) => contents.lookup(at)) : [contents]
  return streams
    .map((stream) => decodePDFRawStream(stream as PDFRawStream).decode())
    .map(textOf)
    .join('\n')
}
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

test.each([
  ['a clip before an open q', ['0 0 0 0 re W n q q q']],
  ['an open q in a second stream', ['/Faint gs', 'q 1 0 0 1 9999 9999 cm q']],
  ['more Q than q', ['Q Q Q /Faint gs 0 0 0 0 re W n']],
  ['an open text object', ['BT 3 Tr q']],
])('the mark is drawn outside the state of the page: %s', async (_what, contents) => {
  const marked = await watermarkPdf(await makePdf(...contents), ['Reader 1', 'now'])
  const page = (await PDFDocument.load(marked)).getPage(0)
  const own = operatorsOf(page)
  expect(own).toContain(Buffer.from('Reader 1').toString('hex').toUpperCase())
  for (const part of contents) expect(own).not.toContain(part)
  const forms = page.node.Resources()?.lookup(PDFName.of('XObject')) as never as { values(): unknown[] }
  const form = page.node.context.lookup(forms.values()[0] as never) as PDFRawStream
  expect(textOf(decodePDFRawStream(form).decode())).toBe(contents.join('\n'))
  expect(String(form.dict.lookup(PDFName.of('Resources')))).toContain('Faint')
})
