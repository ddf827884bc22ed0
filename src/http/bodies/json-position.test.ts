import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describePlace, findJsonError } from './json-position.ts'

test.each([
  // body                            place
  ['{"a": 1,}', 'line 1, column 9'],
  ['{"a": 1', 'line 1, column 8'],
  ['{"a": 1}}', 'line 1, column 9'],
  ['{"a" 1}', 'line 1, column 6'],
  ['{a: 1}', 'line 1, column 2'],
  ["{'a': 1}", 'line 1, column 2'],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3'],
  ['[1, 2', 'line 1, column 6'],
  ['[1 2]', 'line 1, column 4'],
  ['[01]', 'line 1, column 3'],
  ['{"a": undefined}', 'line 1, column 7'],
  ['{"a": "open', 'line 1, column 7'],
  ['', 'line 1, column 1'],
] as const)('%j stops being JSON at %s', (body, place) => {
  expect(describePlace(body, findJsonError(body))).toBe(place)
})

test('the place is found in every text that JSON.parse refuses, and only there', () => {
  const almostJson = fc
    .json()
    .chain((text) =>
      fc
        .tuple(fc.nat(text.length), fc.constantFrom('', ',', '}', ']', '"', ':', 'x', '\\', '\n'))
        .map(([at, inserted]) => ({ text: text.slice(0, at) + inserted + text.slice(at) })),
    )
  fc.assert(
    fc.property(almostJson, ({ text }) => {
      const at = findJsonError(text)
      const isJson = parses(text)
      // A complete text ends where it should; anything else has a place before the end, or ends too early.
      if (isJson) expect(at).toBe(text.length)
      else expect(parses(text.slice(0, at)) && at === text.length).toBe(false)
    }),
  )
})

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
