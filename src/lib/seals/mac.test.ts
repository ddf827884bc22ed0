import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { computeMac, createMac } from './mac.ts'

test.each([
  // bytes of the key, text
  [32, ''],
  [32, 'a'],
  [64, 'a key of one block'],
  [65, 'a longer key is hashed first'],
  [32, 'Zoë €100 💶'],
  [32, 'x'.repeat(21_845)],
  [32, '€'.repeat(21_845)],
  [32, 'x'.repeat(21_846)],
  [32, 'x'.repeat(200_000)],
])('with a key of %i bytes, the MAC of a text is that of the library', (bytes, text) => {
  const key = randomBytes(bytes)
  const expected = createMac(key).update(text).digest('hex')
  expect(computeMac(key, text).toString('hex')).toBe(expected)
  computeMac(key, 'another text')
  expect(computeMac(key, text).toString('hex')).toBe(expected)
})

test.each([
  // characters, bytes
  [0, 0],
  [10, 21],
  [21_000, 2_536],
  [21_000, 2_537],
])('the MAC of %i characters and %i bytes after them is that of the library', (characters, length) => {
  const [key, text, bytes] = [randomBytes(32), '€'.repeat(characters), randomBytes(length)]
  expect(computeMac(key, text, bytes)).toEqual(createMac(key).update(text).update(bytes).digest())
})
