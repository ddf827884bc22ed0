import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { findZone } from '../../../src/adapters/documents/mrz/find-zone.ts'
import { parseZone } from '../../../src/adapters/documents/mrz/parse-zone.ts'
import { createZoneReader } from '../../../src/adapters/documents/mrz/zone-reader.ts'
import { makeApplicant } from '../../support/customers/applicants.ts'
import { makeJpeg } from '../../support/customers/document-files.ts'
import { makePageJpeg } from '../../support/customers/page-pictures.ts'
import { drawLines, makePassportJpeg, makeZoneLines } from '../../support/customers/passport-pictures.ts'
import { first } from '../../support/runner/first.ts'

const passport = {
  country: 'SWE',
  lastName: 'Eriksson',
  firstName: 'Anna',
  documentIdNumber: 'L898902C3',
  dateOfBirth: '1974-08-12',
  expirationDate: '2032-04-15',
}
const read = { dateOfBirth: '740812', documentIdNumber: 'L898902C3', expirationDate: '320415' }

async function greyOf(picture: Buffer) {
  const { data, info } = await sharp(picture).greyscale().raw().toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height }
}

const table = '#5a4a3a'
const photo = await makePassportJpeg(passport)

test.each<[string, () => Promise<Buffer>]>([
  ['a scan', async () => photo],
  ['a small scan', () => sharp(photo).resize(700).jpeg().toBuffer()],
  [
    'a photo on a table',
    () => sharp(photo).extend({ top: 200, bottom: 90, left: 200, right: 120, background: table }).toBuffer(),
  ],
  ['a tilted photo', () => sharp(photo).rotate(4, { background: table }).toBuffer()],
])('the lines of a zone are found in %s', async (_name, make) => {
  expect(findZone(await greyOf(await make()))).toBeDefined()
})

test.each<[string, () => Promise<Buffer>]>([
  ['noise', () => makeJpeg()],
  ['the picture of test applicants', async () => fromUri(first(makeApplicant().documents).frontIdImage)],
  ['a page with twelve lines', () => makePageJpeg()],
  ['a paragraph of long lines', () => drawLines(Array(6).fill(makeZoneLines(passport)[1]))],
  ['a large page', () => makePageJpeg({ width: 1_200, height: 850 })],
])('no zone is looked for in %s', async (_name, make) => {
  expect(findZone(await greyOf(await make()))).toBeUndefined()
})

const fromUri = (uri: string) => Buffer.from(uri.split(',')[1]!, 'base64')

test('a field is returned only when its check digit is right', () => {
  const [upper, lower] = makeZoneLines(passport)
  expect(parseZone(`${upper}\n${lower}\n`)).toMatchObject({ ...read, issuingState: 'SWE', names: ['ERIKSSON', 'ANNA'] })
  const misread = lower.replace('740812', '740813')
  expect(parseZone(`SOME PRINT\n${upper}\n${misread}`)).toMatchObject({ ...read, dateOfBirth: undefined })
  const card = ['I<UTOD231458907<<<<<<<<<<<<<<<', '7408122F1204159UTO<<<<<<<<<<<6', 'ERIKSSON<<ANNA<MARIA<<<<<<<<<<']
  expect(parseZone(card.join('\n'))).toMatchObject({ documentIdNumber: 'D23145890', expirationDate: '120415' })
  expect(parseZone('TWO LINES\nOF OTHER PRINT')).toBeUndefined()
})

const failures: string[] = []
const reader = createZoneReader({ idleMs: 50, onFailure: (reason) => failures.push(reason) })
afterAll(() => reader.close())

test('a drawn passport is read, upright and tilted, and the idle process ends', async () => {
  const tilted = await sharp(photo).rotate(3, { background: table }).jpeg().toBuffer()
  const pictures = [photo, await makePageJpeg(), tilted]
  const [upright, none, turned] = await Promise.all(pictures.map((picture) => reader.read(picture)))
  expect(upright).toMatchObject(read)
  expect(none).toBeUndefined()
  expect(turned).toMatchObject({ dateOfBirth: read.dateOfBirth })
  await expect.poll(reader.isRunning).toBe(false)
  expect(failures).toEqual([])
})

// Starting the engine is what costs, so that one process reads as much as possible.
test('a picture that takes too long, or breaks the reader, counts as one without a zone', async () => {
  const told: string[] = []
  const hasty = createZoneReader({ timeLimitMs: 1, onFailure: (reason) => told.push(reason) })
  expect(await hasty.read(photo)).toBeUndefined()
  await hasty.close()
  await expect(hasty.read(photo)).rejects.toThrow('stopping')
  const [again, broken] = await Promise.all([reader.read(photo), reader.read(Buffer.from('no picture'))])
  expect(again).toMatchObject(read)
  expect(broken).toBeUndefined()
  expect([...told, ...failures]).toEqual(['slow', 'failed'])
  expect(await reader.read(photo)).toMatchObject(read)
})
