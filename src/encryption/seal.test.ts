import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../test/support/runner/form.ts'
import { CannotBeOpened, openSealed, type Place, seal, sealedExtraBytes } from './seal.ts'

const key = randomBytes(32)
const plain = Buffer.from('Ann Example, 1990-01-31')
const place: Place = { organizationId: 'organization-1', table: 'customers', row: 'customer-1', column: 'name' }

test.each([0, 1, 15, 16, 17, 100_000, 10 * 1024 * 1024])('%i bytes open as they were sealed', (length) => {
  const content = randomBytes(length)
  const sealed = seal(key, content, place)
  expect(sealed.length).toBe(length + sealedExtraBytes)
  expect(openSealed(key, sealed, place).equals(content)).toBe(true)
})

test('a key object and its bytes are interchangeable', () => {
  expect(openSealed(createSecretKey(key), seal(key, plain, place), place)).toEqual(plain)
  expect(openSealed(key, seal(createSecretKey(key), plain, place), place)).toEqual(plain)
})

test('equal contents have different ciphertexts, which do not show the content', () => {
  const sealed = Array.from({ length: 100 }, () => seal(key, plain, place))
  expect(new Set(sealed.map((each) => each.toString('hex'))).size).toBe(100)
  expect(new Set(sealed.map((each) => each.subarray(1, 13).toString('hex'))).size).toBe(100)
  expect(sealed.some((each) => each.includes('Ann'))).toBe(false)
})

type Cipher = { seal: typeof seal; open: typeof openSealed }
const ours: Cipher = { seal, open: openSealed }

/** A cipher that does not bind the place: the tests below must detect it. */
const forgetful: Cipher = {
  seal: (secret, content) => {
    const iv = randomBytes(12)
    const encryption = createCipheriv('aes-256-gcm', secret, iv)
    return Buffer.concat([iv, encryption.update(content), encryption.final(), encryption.getAuthTag()])
  },
  open: (secret, sealed) => {
    const decryption = createDecipheriv('aes-256-gcm', secret, sealed.subarray(0, 12))
    decryption.setAuthTag(sealed.subarray(-16))
    return Buffer.concat([decryption.update(sealed.subarray(12, -16)), decryption.final()])
  },
}

/** A cipher that only concatenates the parts of the place. */
const careless: Cipher = {
  seal: (secret, content, { organizationId, table, row, column }) =>
    seal(secret, content, { organizationId: '', table: '', row: '', column: organizationId + table + row + column }),
  open: (secret, sealed, { organizationId, table, row, column }) =>
    openSealed(secret, sealed, {
      organizationId: '',
      table: '',
      row: '',
      column: organizationId + table + row + column,
    }),
}

function opens(cipher: Cipher, sealed: Buffer, secret: Buffer, at: Place): boolean {
  try {
    cipher.open(secret, sealed, at)
    return true
  } catch {
    return false
  }
}

const swaps: Record<string, Partial<Place>> = {
  'another organization': { organizationId: 'organization-2' },
  'another table': { table: 'payment_accounts' },
  'another row': { row: 'customer-2' },
  'another column': { column: 'email' },
  'two columns swapped': { row: place.column, column: place.row },
  'a border moved': { table: 'customersc', row: 'ustomer-1' },
  'an empty part': { organizationId: 'organization-1customers', table: '' },
  'a quoted border': { table: 'customers","customer-1', row: '' },
}

const openedAfterSwap = (cipher: Cipher) => {
  const sealed = cipher.seal(key, plain, place)
  expect(opens(cipher, sealed, key, place)).toBe(true)
  return Object.keys(swaps).filter((name) => opens(cipher, sealed, key, { ...place, ...swaps[name] }))
}

test('a value opens in no other place', () => {
  expect(openedAfterSwap(ours)).toEqual([])
})

test('a cipher that does not bind the place is caught by the same swaps', () => {
  expect(openedAfterSwap(forgetful)).toEqual(Object.keys(swaps))
  expect(openedAfterSwap(careless)).toEqual(['a border moved', 'an empty part'])
})

// Any text, including broken surrogate pairs, which UTF-8 would all encode alike.
const part = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 4 })
const anyPlace = fc.record({ organizationId: part, table: part, row: part, column: part })

test('a value opens only at an identical place, regardless of its characters', () => {
  fc.assert(
    fc.property(anyPlace, anyPlace, fc.uint8Array(), (here, there, content) => {
      const sealed = seal(key, Buffer.from(content), here)
      expect(openSealed(key, sealed, here)).toEqual(Buffer.from(content))
      const isSame = JSON.stringify(Object.values(here)) === JSON.stringify(Object.values(there))
      expect(opens(ours, sealed, key, there)).toBe(isSame)
    }),
    propertyRuns({ short: 500, full: 2_000 }),
  )
  const broken = { ...place, row: '\ud800' }
  expect(opens(ours, seal(key, plain, broken), key, { ...place, row: '\ud801' })).toBe(false)
})

/** The same text, cut into four parts at other borders. */
const cut = (text: string, cuts: readonly number[]): Place => {
  const [first = 0, second = 0, third = 0] = cuts.map((each) => each % (text.length + 1)).sort((a, b) => a - b)
  return {
    organizationId: text.slice(0, first),
    table: text.slice(first, second),
    row: text.slice(second, third),
    column: text.slice(third),
  }
}
const threeCuts = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20))

test('a value opens only with the same borders between the parts of its place', () => {
  const findMix = (cipher: Cipher) =>
    fc.check(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab",[]\\') }), threeCuts, threeCuts, (text, one, other) => {
        const [here, there] = [cut(text, one), cut(text, other)]
        const isSame = JSON.stringify(here) === JSON.stringify(there)
        return opens(cipher, cipher.seal(key, plain, here), key, there) === isSame
      }),
      { numRuns: 1_000 },
    ).failed
  expect(findMix(ours)).toBe(false)
  expect(findMix(careless)).toBe(true)
})

test('a flipped bit, a missing or added byte and another key are refused with the same message', () => {
  const sealed = seal(key, plain, place)
  const flips = Array.from({ length: sealed.length * 8 }, (_, bit) => {
    const changed = Buffer.from(sealed)
    changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7))
    return changed
  })
  const shorter = Array.from({ length: sealed.length }, (_, length) => sealed.subarray(0, length))
  const longer = [Buffer.concat([sealed, Buffer.of(0)]), Buffer.concat([Buffer.of(1), sealed])]
  for (const changed of [...flips, ...shorter, ...longer, Buffer.alloc(sealed.length)]) {
    expect(() => openSealed(key, changed, place)).toThrow(new CannotBeOpened())
  }
  for (const wrong of [randomBytes(32), Buffer.alloc(32), randomBytes(16), Buffer.alloc(0)]) {
    expect(() => openSealed(wrong, sealed, place)).toThrow(new CannotBeOpened())
  }
  expect(Object.keys(new CannotBeOpened())).toEqual(['name'])
  expect(openSealed(key, sealed, place)).toEqual(plain)
})
