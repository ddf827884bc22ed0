import { expect, test } from 'vitest'
import { mergeDeep } from './merge.ts'

test.each([
  // base                              patch                          merged
  [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  [{ a: { x: 1, y: 2 } }, { a: { y: 3 } }, { a: { x: 1, y: 3 } }],
  [{ a: [1, 2, 3] }, { a: [4] }, { a: [4] }],
  [{ a: { x: 1 } }, { a: 'text' }, { a: 'text' }],
  [{ a: 1, b: 2 }, { a: null }, { b: 2 }],
  [{ a: { x: 1, y: 2 } }, { a: { x: null } }, { a: { y: 2 } }],
  [{}, { a: { x: null, y: 1 } }, { a: { y: 1 } }],
  [undefined, { a: { x: 1 } }, { a: { x: 1 } }],
])('%o with %o is %o', (base, patch, merged) => {
  expect(mergeDeep<object>(base, patch)).toEqual(merged)
})

test('neither side is changed', () => {
  const base = { a: { x: 1 } }
  const patch = { a: { y: 2 } }
  mergeDeep<object>(base, patch)
  expect([base, patch]).toEqual([{ a: { x: 1 } }, { a: { y: 2 } }])
})
