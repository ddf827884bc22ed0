import { inflateSync } from 'node:zlib'
import { PDFDocument, PDFName, PDFRawStream } from '@cantoo/pdf-lib'
import { afterAll, describe, expect, test } from 'vitest'
import { createDocumentChecker } from '../../../src/adapters/documents/document-checker.ts'
import {
  makeJpeg,
  makeNoise,
  savePdf,
  send,
  startPdf,
  writePdf,
  writeStream,
} from '../../support/customers/document-files.ts'
import { encodeFor, encodeLzw } from '../../support/customers/pdf-encoders.ts'

const checker = createDocumentChecker({ timeLimitMs: 240_000 })
afterAll(() => checker.close())

async function store(content: Buffer): Promise<Buffer> {
  const answer = await checker.check('organization', send('application/pdf', content))
  return answer.ok ? answer.bytes : expect.fail(answer.problem)
}

async function refuse(content: Buffer): Promise<string> {
  const answer = await checker.check('organization', send('application/pdf', content))
  return answer.ok ? expect.fail('accepted') : answer.problem
}

/** The stream of the page's picture or text in the stored file, unpacked as any reader would. */
async function readBack(stored: Buffer, name: 'Contents' | 'X'): Promise<{ filter: string; bytes: Buffer }> {
  const page = (await PDFDocument.load(stored, { throwOnInvalidObject: true })).getPage(0).node
  const stream = page.lookup(PDFName.of(name))
  if (!(stream instanceof PDFRawStream)) return expect.fail('no stream')
  const filter = stream.dict.lookup(PDFName.of('Filter'))?.toString() ?? ''
  const bytes = Buffer.from(stream.contents)
  return { filter, bytes: filter === '/FlateDecode' ? inflateSync(bytes) : bytes }
}

const text = Buffer.concat([Buffer.from('BT /F1 12 Tf (Scanned page) Tj ET\n'.repeat(3_000)), Buffer.alloc(999)])
const listed = (filters: readonly string[]) => `[${filters.map((name) => `/${name}`).join(' ')}]`

describe('filters that scanners use', () => {
  test.each([
    [['ASCII85Decode']],
    [['ASCIIHexDecode']],
    [['LZWDecode']],
    [['RunLengthDecode']],
    [['ASCII85Decode', 'LZWDecode']],
    [['ASCII85Decode', 'FlateDecode']],
    [['ASCIIHexDecode', 'RunLengthDecode']],
    [['FlateDecode', 'FlateDecode']],
    [['ASCII85Decode', 'FlateDecode', 'RunLengthDecode']],
  ])('%s are undone, and the content is stored in one plain form', async (filters) => {
    const page = writeStream(4, `/Filter ${listed(filters)}`, encodeFor(filters, text))
    const { filter, bytes } = await readBack(await store(writePdf(page)), 'Contents')
    expect(filter).toBe('/FlateDecode')
    expect(bytes.equals(text)).toBe(true)
  })

  test('short names of filters mean the same', async () => {
    const page = writeStream(4, '/Filter [/A85 /LZW]', encodeFor(['ASCII85Decode', 'LZWDecode'], text))
    expect((await readBack(await store(writePdf(page)), 'Contents')).bytes.equals(text)).toBe(true)
  })

  const size = '/Subtype /Image /Width 600 /Height 400 /BitsPerComponent 8 /ColorSpace /DeviceRGB'
  const picture = (filters: readonly string[], more: string, data: Buffer) =>
    writePdf(writeStream(9, `${size} /Filter ${listed(filters)} ${more}`, data), { page: '/X 9 0 R' })

  test.each([[['ASCII85Decode']], [['ASCIIHexDecode']], [['FlateDecode']], [['ASCII85Decode', 'FlateDecode']]])(
    'a JPEG inside %s is stored as the JPEG',
    async (outer) => {
      const jpeg = await makeJpeg()
      const filters = [...outer, 'DCTDecode']
      const parameters = `/DecodeParms [${'null '.repeat(outer.length)}<</ColorTransform 1>>]`
      const stored = await store(picture(filters, parameters, encodeFor(filters, jpeg)))
      const { filter, bytes } = await readBack(stored, 'X')
      expect(filter).toBe('/DCTDecode')
      expect(bytes.equals(jpeg)).toBe(true)
      expect(stored.toString('latin1')).toMatch(/\/DecodeParms\s*<<\s*\/ColorTransform 1/)
    },
  )

  test('LZW without early change, and with a predictor, which stays', async () => {
    const pixels = makeNoise(600 * 400 * 3)
    const parameters = '/DecodeParms <</EarlyChange 0 /Predictor 2 /Colors 3 /Columns 600>>'
    const stored = await store(picture(['LZWDecode'], parameters, encodeLzw(pixels, 0)))
    expect((await readBack(stored, 'X')).bytes.equals(pixels)).toBe(true)
    expect(stored.toString('latin1')).toMatch(/\/Predictor 2/)
    expect(stored.toString('latin1')).not.toContain('EarlyChange')
  })

  test('object streams behind a chain of filters are read', async () => {
    const packed = encodeFor(['ASCII85Decode', 'LZWDecode'], Buffer.from('9 0 <</Marker /Seen>>'))
    const entries = '/Type /ObjStm /N 1 /First 4 /Filter [/ASCII85Decode /LZWDecode]'
    const stored = await store(writePdf(writeStream(50, entries, packed), { page: '/X 9 0 R' }))
    expect(stored.toString('latin1')).toContain('/Marker')
  })

  test.each([
    ['[/LZWDecode /JPXDecode /FlateDecode]', 'the filters LZWDecode, JPXDecode and FlateDecode in this order'],
    ['/Secret', 'an unknown filter'],
    ['[/Crypt /FlateDecode]', 'the filters Crypt and FlateDecode in this order'],
  ])('a refusal of %s names it and says what to do', async (filter, name) => {
    const page = writeStream(4, `/Filter ${filter}`, makeNoise(99))
    expect(await refuse(writePdf(page))).toBe(
      `must not use ${name}: print it to a new PDF, or send its pages as JPG or PNG`,
    )
  })
})

describe('protected by an owner password only', () => {
  const algorithms = ['RC4-40', 'RC4-128', 'AES-128', 'AES-256'] as const
  const cases = algorithms.flatMap((algorithm) => [false, true].map((packed) => [algorithm, packed] as const))

  test.each(cases)('%s, with object streams %s: opened, and stored without a password', async (algorithm, packed) => {
    const pdf = await startPdf(3)
    pdf.getPage(0).node.set(PDFName.of('X'), pdf.context.obj({ Kept: pdf.context.obj('Tag') }))
    pdf.encrypt({ ownerPassword: 'simsalabim', userPassword: '', algorithm, allowWeakCryptography: true })
    const stored = await store(await savePdf(pdf, { useObjectStreams: packed }))
    expect(stored.toString('latin1')).not.toContain('/Encrypt')
    expect((await PDFDocument.load(stored)).getPageCount()).toBe(3)
    expect(stored.includes(await makeJpeg()), 'the picture on the page').toBe(true)
  })

  test.each(algorithms)('%s with a user password is refused with what to do', async (algorithm) => {
    const pdf = await startPdf()
    pdf.encrypt({ userPassword: 'open sesame', algorithm, allowWeakCryptography: true })
    expect(await refuse(await savePdf(pdf))).toBe(
      'must not need a password to be opened: remove the password, or send its pages as JPG or PNG',
    )
  })

  test('another kind of encryption is refused by its name', async () => {
    const encrypt = '/Encrypt <</Filter /Adobe.PubSec /V 4>> /ID [<00> <00>]'
    expect(await refuse(writePdf('', { trailer: encrypt }))).toBe(
      'must not use encryption for certain recipients: print it to a new PDF, or send its pages as JPG or PNG',
    )
  })
})
