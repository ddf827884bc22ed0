import { afterAll, expect, onTestFinished, test } from 'vitest'
import {
  createDocumentChecker,
  type DocumentCheckerOptions,
  type DocumentFile,
} from '../../../src/adapters/documents/document-checker.ts'
import {
  insertChunks,
  makeBomb,
  makeChunk,
  makeFalsePng,
  makeJpeg,
  makePicture,
  makePng,
  padJpeg,
  savePdf,
  send,
  startPdf,
  writePdf,
} from '../../support/customers/document-files.ts'
import { hostileDocuments } from '../../support/customers/hostile-documents.ts'
import { hostilePdfs } from '../../support/customers/hostile-pdfs.ts'

const megabyte = 1024 * 1024
const checker = createDocumentChecker({ timeLimitMs: 240_000 })
afterAll(() => checker.close())

async function answerTo(file: DocumentFile, by = checker): Promise<string> {
  const answer = await by.check('organization', file)
  return answer.ok ? 'accepted' : answer.problem
}

const isBomb = ([name]: readonly [string, ...unknown[]]) => /bomb|290 MB/.test(name)
const pdfBombs = hostilePdfs.filter(isBomb)
const otherPdfs = hostilePdfs.filter((each) => !isBomb(each))

test.concurrent.each([...hostileDocuments, ...otherPdfs])('rejected: %s', async (_name, file, problem) => {
  expect(await answerTo(file)).toBe(problem)
})

/** Runs a task beside a ticking timer: counts the ticks, and samples the memory at each. */
async function watch(run: () => Promise<unknown>): Promise<{ turns: number; extraBytes: number }> {
  const before = process.memoryUsage.rss()
  let [turns, peak] = [0, before]
  const timer = setInterval(() => {
    turns += 1
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 2)
  await run().finally(() => clearInterval(timer))
  return { turns, extraBytes: peak - before }
}

test('a decompression bomb anywhere in a picture costs no memory', async () => {
  const png = await makePng()
  const named = Buffer.from('a\0\0')
  const bomb = makeBomb(200_000_000)
  const bombs = [
    makeFalsePng(300, 300, bomb),
    insertChunks(png, makeChunk('zTXt', Buffer.concat([named, bomb]))),
    insertChunks(png, makeChunk('iCCP', Buffer.concat([named, bomb]))),
    insertChunks(png, makeChunk('iTXt', Buffer.concat([Buffer.from('a\0\x01\0\0\0'), bomb]))),
  ]
  for (const picture of bombs) {
    const { extraBytes } = await watch(() => checker.check('organization', send('image/png', picture)))
    expect(extraBytes).toBeLessThan(150 * megabyte)
  }
})

test('a decompression bomb behind any filter of a PDF is rejected and costs no memory', async () => {
  expect(pdfBombs.length).toBeGreaterThan(8)
  for (const [name, file, problem] of pdfBombs) {
    const { extraBytes } = await watch(async () => expect(await answerTo(file), name).toBe(problem))
    expect(extraBytes, name).toBeLessThan(150 * megabyte)
  }
})

function makeChecker(options: DocumentCheckerOptions) {
  const made = createDocumentChecker(options)
  onTestFinished(() => made.close())
  return made
}

const good = send('image/jpeg', await makeJpeg())
const tooComplex = 'is too complex to be checked: send a simpler file'

test('a file whose processing never ends costs its thread, and the next file gets a new thread', async () => {
  const endless = send('application/pdf', writePdf('words '.repeat(1_500_000)))
  const one = makeChecker({ threads: 1, timeLimitMs: 5_000 })
  const answers = await Promise.all([good, endless, good, good].map((file) => answerTo(file, one)))
  expect(answers).toEqual(['accepted', tooComplex, 'accepted', 'accepted'])
})

test('a file that fills the heap costs its thread, and the next one gets a new thread', async () => {
  const full = send('application/pdf', writePdf(`9 0 obj [${'<<>>'.repeat(300_000)}] endobj`))
  const one = makeChecker({ threads: 1, heapLimitMb: 32, timeLimitMs: 240_000 })
  const answers = await Promise.all([full, good, full, good].map((file) => answerTo(file, one)))
  expect(answers).toEqual([tooComplex, 'accepted', tooComplex, 'accepted'])
  expect(await answerTo(full), 'with the heap that a thread has').toBe('accepted')
})

test('threads that process PDFs are replaced and keep no memory', async () => {
  const names = Array.from({ length: 60_000 }, (_, at) => `/n${at}`).join('')
  const file = send('application/pdf', writePdf(`9 0 obj [${names}] endobj`))
  const one = makeChecker({ threads: 1, timeLimitMs: 240_000 })
  const answers = await Promise.all(Array.from({ length: 5 }, () => answerTo(file, one)))
  expect(answers).toEqual(new Array(5).fill('accepted'))
})

test('nine documents of 10 MB in one request neither exhaust the memory nor block the event loop', async () => {
  const full = 10 * megabyte
  const photo = makePicture({ width: 1000, height: 750 }).resize(4000, 3000, { kernel: 'nearest' })
  const baseline = await photo.clone().jpeg({ quality: 80 }).toBuffer()
  const progressive = await photo.clone().jpeg({ quality: 80, progressive: true }).toBuffer()
  const turned = await photo.clone().withMetadata({ orientation: 8 }).jpeg({ quality: 80 }).toBuffer()
  const scan = send('image/png', await makePng({ width: 2000, height: 1740 }))
  const pdf = await startPdf()
  pdf.getPage(0).drawImage(await pdf.embedJpg(padJpeg(baseline, full - 300_000)))
  const photos = [baseline, progressive, turned].map((content) => send('image/jpeg', padJpeg(content, full)))
  const files = [...photos, scan, send('application/pdf', await savePdf(pdf)), ...photos, scan]
  const { turns, extraBytes } = await watch(async () => {
    expect(await Promise.all(files.map((file) => answerTo(file)))).toEqual(new Array(9).fill('accepted'))
  })
  expect(turns).toBeGreaterThan(files.length * 10)
  expect(extraBytes).toBeLessThan(400 * megabyte)
})

test('pictures that must be decoded in one piece are processed one at a time', async () => {
  const one = makeChecker({ memoryBytes: 1, timeLimitMs: 240_000 })
  const turned = send('image/jpeg', await makePicture().withMetadata({ orientation: 3 }).jpeg().toBuffer())
  const answers = await Promise.all([turned, good, turned, turned, good].map((file) => answerTo(file, one)))
  expect(answers).toEqual(new Array(5).fill('accepted'))
})

test('closing aborts queued and running work and rejects new files', async () => {
  const one = createDocumentChecker({ threads: 1, timeLimitMs: 240_000 })
  const pending = [one.check('organization', good), one.check('organization', good)].map((check) =>
    expect(check).rejects.toThrow(/stopping|ended/),
  )
  await one.close()
  await Promise.all(pending)
  await expect(one.check('organization', good)).rejects.toThrow('Documents are no longer checked')
})
