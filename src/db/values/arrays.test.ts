import pg from 'pg'
import { expect, test } from 'vitest'
import { readTextArray, textArray, writeArray } from './arrays.ts'

// biome-ignore format: a table is read by column
test.each<[elements: unknown[], text: string | undefined]>([
  [[],                               '{}'],
  [['a', 'B c', ''],                 '{"a","B c",""}'],
  [[null, undefined, 'NULL'],        '{NULL,NULL,"NULL"}'],
  [['"', '\\', '{a,b}', '\n'],       '{"\\"","\\\\","{a,b}","\n"}'],
  [['{"a":"\\n"}', 'é"'],             '{"{\\"a\\":\\"\\\\n\\"}","é\\""}'],
  [['"\u0001', '"\ud800'],            '{"\\"\u0001","\\"\ud800"}'],
  [[1, -2.5, 3, true, false],        '{1,-2.5,3,true,false}'],
  [[Buffer.from('\0b"'), Buffer.of()], '{"\\\\x006222","\\\\x"}'],
  [['a', new Uint8Array(1)],         undefined],
  [[['a'], ['b']],                   undefined],
  [[new Date(0)],                    undefined],
  [[{ a: 1 }],                       undefined],
])('the array %j is written as %j', (elements, text) => {
  expect(writeArray(elements)).toBe(text)
})

test('the driver reads an array of texts as it was written, and so do we', () => {
  for (const texts of [
    [],
    ['a'],
    ['a', 'b c'],
    ['"', '\\', '\\"', '{a,b}', '\n', '', 'NULL', 'null'],
    [null, 'a'],
    ['"\n\t\u0000', '{"b":"c\\nd\\""}'],
  ]) {
    const text = writeArray(texts) ?? ''
    expect(pg.types.getTypeParser(textArray)(text)).toEqual(texts)
    expect(readTextArray(text)).toEqual(texts)
  }
})
