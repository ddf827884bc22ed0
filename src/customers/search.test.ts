import { expect, test } from 'vitest'
import { prefixLength, searchHashes, wantedHashes } from './search.ts'

const key = Buffer.alloc(32, 1)
const stored = (name: string, email = 'ada@example.com') => searchHashes(key, 'one', { name, email })
const finds = (name: string, search: object) => {
  const hashes = stored(name).map((hash) => hash.toString('hex'))
  return wantedHashes(key, 'one', search).every((hash) => hashes.includes(hash.toString('hex')))
}

// biome-ignore format: a table is read by column
test.each([
  // stored                  search                            is found
  ['Ada Example',            { name: 'ada  EXAMPLE ' },         true],
  ['Ada Example',            { name: 'Ada' },                   false],
  ['Ada Example',            { namePrefix: 'Ada' },             true],
  ['Ada Example',            { namePrefix: 'ada ex' },          true],
  ['Ada Example',            { namePrefix: 'Example' },         false],
  ['Zoë O’Neil',             { name: 'zoe o neil' },            true],
  ['李小龍',                  { namePrefix: '李小龍' },           true],
  ['Ada Example',            { email: ' ADA@example.com' },     true],
  ['Ada Example',            { email: 'bob@example.com' },      false],
  ['Ada Example',            { email: 'ada@example.com', namePrefix: 'Bob' }, false],
  ['A'.repeat(40),           { namePrefix: 'A'.repeat(24) },    true],
] as const)('%s, searched by %o, is found: %s', (name, search, isFound) => {
  expect(finds(name, search)).toBe(isFound)
})

test('a name has a hash for each prefix from 3 to 24 characters, one for the whole, and one for the email', () => {
  expect(stored('Ada')).toHaveLength(3)
  expect(stored('Ada Example')).toHaveLength(11)
  expect(stored('A'.repeat(100))).toHaveLength(24)
  expect(stored('')).toHaveLength(2)
})

test('hashes depend on the key and on the organization', () => {
  const [one] = wantedHashes(key, 'one', { name: 'Ada' })
  expect(wantedHashes(key, 'two', { name: 'Ada' })).not.toEqual([one])
  expect(wantedHashes(Buffer.alloc(32, 2), 'one', { name: 'Ada' })).not.toEqual([one])
})

test('only letters and digits of a prefix count', () => {
  expect(prefixLength(' A. ')).toBe(1)
  expect(prefixLength('O’Neil')).toBe(6)
})
