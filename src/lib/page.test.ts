import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../test/support/runner/form.ts'
import { createPageToken, readPageToken } from './page.ts'

const key = Buffer.alloc(32, 'a')
const scope = { list: 'customers', filters: { organizationId: 'org-1', status: 'ACTIVE', types: ['a', 'b'] } }
const after = ['2025-11-21T00:00:00.000Z', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f']
const token = createPageToken(key, { ...scope, after })
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

test('a token holds the sort key that it was created with', () => {
  expect(readPageToken(key, token, scope)).toEqual({ ok: true, after })
  expect(token).toMatch(/^[A-Za-z0-9_-]+$/)
})

// biome-ignore format: a table is read by column
test.each<[string, Record<string, unknown>, boolean]>([
  // difference              filters
  // followed
  ['the order of keys',      { types: ['a', 'b'], status: 'ACTIVE', organizationId: 'org-1' },                       true],
  ['an undefined filter',    { organizationId: 'org-1', status: 'ACTIVE', types: ['a', 'b'], name: undefined },      true],
  ['a null filter',          { organizationId: 'org-1', status: 'ACTIVE', types: ['a', 'b'], name: null },           false],
  ['another value',          { organizationId: 'org-1', status: 'CREATED', types: ['a', 'b'] },                      false],
  ['another organization',   { organizationId: 'org-2', status: 'ACTIVE', types: ['a', 'b'] },                       false],
  ['one filter less',        { organizationId: 'org-1', types: ['a', 'b'] },                                         false],
  ['one filter more',        { organizationId: 'org-1', status: 'ACTIVE', types: ['a', 'b'], name: '' },             false],
  ['the order of a list',    { organizationId: 'org-1', status: 'ACTIVE', types: ['b', 'a'] },                       false],
  ['a list as one text',     { organizationId: 'org-1', status: 'ACTIVE', types: 'a,b' },                            false],
  ['no filters',             {},                                                                                     false],
])('with %s as the difference the token is compared by meaning', (_difference, filters, followed) => {
  expect(readPageToken(key, token, { list: 'customers', filters }).ok).toBe(followed)
})

test('the order of keys inside a nested filter does not matter', () => {
  const made = createPageToken(key, { list: 'customers', filters: { at: { from: '1', to: '2' } }, after })
  expect(readPageToken(key, made, { list: 'customers', filters: { at: { to: '2', from: '1' } } }).ok).toBe(true)
})

test('another list and another key are refused', () => {
  expect(readPageToken(key, token, { ...scope, list: 'quotes' })).toEqual({ ok: false })
  expect(readPageToken(Buffer.alloc(32, 'b'), token, scope)).toEqual({ ok: false })
})

test('changing any one character to any other is refused', () => {
  for (let position = 0; position < token.length; position++) {
    for (const character of `${alphabet}=+/ %`) {
      const changed = token.slice(0, position) + character + token.slice(position + 1)
      if (changed !== token) expect(readPageToken(key, changed, scope)).toEqual({ ok: false })
    }
  }
})

test('cutting a token anywhere is refused', () => {
  for (let length = 0; length < token.length; length++) {
    expect(readPageToken(key, token.slice(0, length), scope)).toEqual({ ok: false })
    expect(readPageToken(key, token.slice(length + 1), scope)).toEqual({ ok: false })
  }
})

test('the same bytes written another way are refused', () => {
  const bytes = Buffer.from(token, 'base64url')
  const spellings = [`${token}=`, `${token}==`, ` ${token}`, `${token}\n`, `${token.slice(0, 8)}\n${token.slice(8)}`]
  for (const spelling of spellings) {
    expect(Buffer.from(spelling, 'base64url')).toEqual(bytes)
    expect(readPageToken(key, spelling, scope)).toEqual({ ok: false })
  }
})

test('stray bits in the last character are refused', () => {
  const made = ['', 'x', 'xx'].map((text) => createPageToken(key, { ...scope, after: [text] }))
  const stray = made.flatMap((text) =>
    [...alphabet]
      .map((last) => text.slice(0, -1) + last)
      .filter((other) => other !== text && Buffer.from(other, 'base64url').equals(Buffer.from(text, 'base64url'))),
  )
  expect(stray.length).toBeGreaterThan(0)
  for (const other of stray) expect(readPageToken(key, other, scope)).toEqual({ ok: false })
})

test('a token over 1024 characters is neither made nor read', () => {
  expect(() => createPageToken(key, { ...scope, after: ['x'.repeat(1024)] })).toThrow(RangeError)
  const longest = createPageToken(key, { ...scope, after: ['x'.repeat(748)] })
  expect(longest.length).toBe(1024)
  expect(readPageToken(key, longest, scope).ok).toBe(true)

  const payload = Buffer.from(JSON.stringify(['x'.repeat(749)]))
  const signed = `page token\n${JSON.stringify(['customers', scope.filters])}\n`
  const mac = createHmac('sha256', key).update(signed).update(payload).digest().subarray(0, 16)
  expect(readPageToken(key, Buffer.concat([mac, payload]).toString('base64url'), scope)).toEqual({ ok: false })
})

test('any sort key is read back, and any other text is refused', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 4 })
  fc.assert(
    fc.property(texts, fc.string({ unit: 'binary' }), (sortKey, noise) => {
      const made = createPageToken(key, { ...scope, after: sortKey })
      expect(readPageToken(key, made, scope)).toEqual({ ok: true, after: sortKey })
      expect(readPageToken(key, noise, scope)).toEqual({ ok: false })
    }),
    propertyRuns({ short: 500, full: 2_000 }),
  )
})
