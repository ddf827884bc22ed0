import { expect, test } from 'vitest'
import { readCsvLine } from './csv.ts'

// biome-ignore format: a table is read by column
test.each([
  ['a,b,c',                       ['a', 'b', 'c']],
  ['36,"AERO, S.A.",-0- ',        ['36', 'AERO, S.A.', '']],
  ['"said ""no""",x',             ['said "no"', 'x']],
  ['"a" ,"b"',                    ['a', 'b']],
  ['"","-0-",',                   ['', '', '']],
  [' a , b ',                     ['a', 'b']],
  ['" a "," b"',                  [' a ', ' b']],
  ['"a"\t,b',                     ['a', 'b']],
  ['"a" "b",c',                   undefined],
  [' "a",b',                      undefined],
  ['"open',                       undefined],
  ['"a"b,c',                      undefined],
  ['a"b,c',                       undefined],
] as const)('%s is read as %j', (line, fields) => {
  expect(readCsvLine(line)).toEqual(fields)
})
