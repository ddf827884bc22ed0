import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isWithinEdits } from './likeness.ts'

// biome-ignore format: a table is read by column
test.each([
  // one        other       letters
  ['kitten',    'sitting',  3],
  ['',          'abc',      3],
  ['abc',       'abc',      0],
  ['exmaple',   'example',  2],
  ['gonzales',  'gonsalez', 2],
] as const)('%j and %j are %d edits apart', (one, other, letters) => {
  for (let max = 0; max < 5; max++) expect(isWithinEdits(one, other, max)).toBe(max >= letters)
})

test('a word is within as many edits as were made to it, from both sides', () => {
  const change = fc.record({ at: fc.nat(8), letter: fc.constantFrom('', 'a', 'b', 'ab') })
  fc.assert(
    fc.property(fc.stringMatching(/^[abc]{0,8}$/), fc.array(change, { maxLength: 3 }), (word, changes) => {
      const other = changes.reduce((text, { at, letter }) => text.slice(0, at) + letter + text.slice(at + 1), word)
      // 'ab' for one letter replaces it and inserts one.
      const max = changes.reduce((sum, { letter }) => sum + Math.max(letter.length, 1), 0)
      expect([isWithinEdits(word, other, max), isWithinEdits(other, word, max)]).toEqual([true, true])
    }),
  )
})
