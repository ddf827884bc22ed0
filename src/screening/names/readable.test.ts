import { expect, test } from 'vitest'
import { isReadable } from './match.ts'

// biome-ignore format: a table is read by column
test.each([
  ['Igor Ivanovich Voroshkin',            true],
  [`${'Mr '.repeat(60)}Igor Voroshkin`,   true],
  ['Ada Example '.repeat(9),              false],
  ['a'.repeat(500),                       false],
  ['王小明',                               true],
  ['김정은',                               true],
  ['山田太郎',                             true],
  ['山田やえ',                             true],
  ['御手洗麗奈',                           false],
  ['白川 雅子',                            false],
  ['สมชาย ใจดี',                          false],
  ['A. P. J. Abdul Kalam',                true],
  ['I g o r V o r o s h k i n',           false],
  ['Igor V.o.r.o.s.h.k.i.n',              false],
  ['Igor 🆅🅾🆁🅾🆂🅷🅺🅸🅽',              false],
  ['🅸🅶🅾🆁',                              false],
  ['Igor Vor@shkin',                      false],
  ['Yahoo! N° 5® Ltd',                    true],
] as const)('%s can be compared as a whole: %s', (name, expected) => {
  expect(isReadable(name, 'INDIVIDUAL')).toBe(expected)
})
