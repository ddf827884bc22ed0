import { expect, test } from 'vitest'
import { createFormToken, readFormToken } from './form-link.ts'

const key = Buffer.alloc(32, 1)
const subjectId = '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11'

test('a token holds its subject and version, and is always the same', () => {
  const token = createFormToken(key, 'verify', subjectId, 3)
  expect(token).toBe(createFormToken(key, 'verify', subjectId, 3))
  expect(readFormToken(key, 'verify', token)).toEqual({ subjectId, version: 3 })
})

test('a token for another purpose or key, or with a changed character, is refused', () => {
  const token = createFormToken(key, 'verify', subjectId, 3)
  expect(readFormToken(key, 'pay', token)).toBeUndefined()
  expect(readFormToken(Buffer.alloc(32, 2), 'verify', token)).toBeUndefined()
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'A' ? 'B' : 'A'
    expect(readFormToken(key, 'verify', token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined()
  }
  for (const bad of ['', token.slice(1), `${token}A`, `${token}=`])
    expect(readFormToken(key, 'verify', bad)).toBeUndefined()
})
