import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDataUri } from './data-uri.ts'

const mostBytes = 1_000
const read = (text: string, isEscaped = false) => readDataUri([Buffer.from(text)], { isEscaped, mostBytes })

test.each([
  ['data:image/png;base64,', 'image/png', ''],
  ['data:image/png;base64,aGVsbG8=', 'image/png', 'hello'],
  ['DATA:Image/JPEG;BASE64,aGVsbA==', 'image/jpeg', 'hell'],
  ['data:application/pdf;base64,aGVsbG8h', 'application/pdf', 'hello!'],
  ['data:image/svg+xml;base64,PHN2Zy8+', 'image/svg+xml', '<svg/>'],
])('%s', (text, declaredType, content) => {
  expect(read(text)).toEqual({ ok: true, declaredType, bytes: Buffer.from(content) })
})

test.each([
  ['data:image/png;base64'],
  ['data:;base64,aGVsbG8='],
  ['data:image/png;base64;,aGVsbG8='],
  [' data:image/png;base64,aGVsbG8='],
  ['data:image/png\0;base64,aGVsbG8='],
  ['blob:image/png;base64,aGVsbG8='],
])('%j is no data URI', (text) => {
  expect(read(text)).toMatchObject({ ok: false, problem: expect.stringContaining('data URI') })
})

test.each([
  ['a'],
  ['aGVsbG8'],
  ['aGVsbG8=='],
  ['aGVsbG8=aGVs'],
  ['aGVsbG9='],
  ['aGVsbB=='],
  ['aGVs bG8='],
  ['aGVsbG8=\n'],
  ['aGVs-_8='],
  ['===='],
  ['aGVsbG8\u0000'],
  ['aGVs\\/w=='],
])('%j is no strict base64', (payload) => {
  expect(read(`data:image/png;base64,${payload}`)).toMatchObject({
    ok: false,
    problem: expect.stringContaining('base64'),
  })
})

test.each([
  ['data:image\\/png;base64,\\/+8=', [0xff, 0xef]],
  ['data:image/png;base64,\\u002F\\u002b8\\u003d', [0xff, 0xef]],
  ['\\u0064ata:image\\u002fpng\\u003bbase64\\u002c/+8=', [0xff, 0xef]],
])('escapes of JSON are undone: %s', (text, bytes) => {
  expect(read(text, true)).toEqual({ ok: true, declaredType: 'image/png', bytes: Buffer.from(bytes) })
})

test.each([['\\n'], ['\\"'], ['\\\\'], ['\\u00e9'], ['\\u0'], ['\\uzzzz'], ['\\'], ['\\u212a']])(
  'the escape %s is refused',
  (written) => {
    const answer = read(`data:image/png;base64,aGVs${written}`, true)
    expect(answer).toMatchObject({ ok: false, problem: expect.stringContaining('escaped') })
  },
)

test('any content decodes to itself, regardless of how it is cut and escaped', () => {
  const content = fc.uint8Array({ maxLength: 300 })
  fc.assert(
    fc.property(content, fc.array(fc.nat(400), { maxLength: 8 }), fc.boolean(), (bytes, cuts, isEscaped) => {
      const plain = `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`
      const text = isEscaped
        ? JSON.stringify(plain).slice(1, -1).replaceAll('/', '\\/').replaceAll('+', '\\u002b')
        : plain
      const whole = Buffer.from(text)
      const places = [0, ...cuts.sort((a, b) => a - b), whole.length]
      const pieces = places.slice(1).map((end, at) => whole.subarray(places[at], end))
      const answer = readDataUri(pieces, { isEscaped, mostBytes })
      expect(answer).toEqual({ ok: true, declaredType: 'image/png', bytes: Buffer.from(bytes) })
    }),
  )
})

test('decoding a file that is too long stops after one extra byte', () => {
  const text = `data:image/png;base64,${Buffer.alloc(mostBytes * 5).toString('base64')} and nonsense`
  expect(read(text)).toMatchObject({ ok: true, bytes: Buffer.alloc(mostBytes + 1) })
})
