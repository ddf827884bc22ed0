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
