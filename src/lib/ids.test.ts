import { randomFillSync } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createIdSource, isUuid, newId, uuidv7 } from './ids.ts'

const zeros = new Uint8Array(10)
const ones = new Uint8Array(10).fill(0xff)
// The example of RFC 9562, appendix A.6.
const rfcRandom = Uint8Array.from([0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f])

// biome-ignore format: a table is read by column
test.each([
  // milliseconds     random     id
  [0,                 zeros,     '00000000-0000-7000-8000-000000000000'],
  [0,                 ones,      '00000000-0000-7fff-bfff-ffffffffffff'],
  [0xffffffffffff,    zeros,     'ffffffff-ffff-7000-8000-000000000000'],
  [0x017f22e279b0,    rfcRandom, '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'],
])('at %d the bits are laid out as the RFC says', (nowMs, random, id) => {
  expect(uuidv7(nowMs, random)).toBe(id)
})

test('an invalid time or number of random bytes is a fault', () => {
  expect(() => uuidv7(0x1000000000000, zeros)).toThrow(RangeError)
  expect(() => uuidv7(-1, zeros)).toThrow(RangeError)
  expect(() => uuidv7(0, zeros.subarray(1))).toThrow(RangeError)
})

test('10,000 new ids are version 7, sorted, different, and carry the present time', () => {
  const before = Date.now()
  const ids = Array.from({ length: 10_000 }, newId)
  expect(ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toEqual(
    [],
  )
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  expect(Math.abs(timeOf(ids[0]!) - before)).toBeLessThan(1000)
})

test('10,000 ids of one frozen millisecond stay sorted and different by running ahead of the clock', () => {
  const ids = takeIds(Array.from({ length: 10_000 }, () => 5_000))
  expectAscending(ids)
  expect(timeOf(ids.at(-1)!)).toBeLessThan(5_010)
})

test('ids neither repeat nor descend when the clock steps back, and follow it once it has caught up', () => {
  const ids = takeIds([5_000, 4_000, 0, 4_999, 5_000, 5_001, 3_000, 9_000])
  expectAscending(ids)
  expect(ids.map(timeOf)).toEqual([5_000, 5_000, 5_000, 5_000, 5_000, 5_001, 5_001, 9_000])
})

test('ids ascend with any clock', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 2, maxLength: 300 }), (times) =>
      expectAscending(takeIds(times)),
    ),
    { numRuns: 300 },
  )
})

// biome-ignore format: a table is read by column
test.each([
  // text                                     is a UUID
  ['017f22e2-79b0-7cc3-98c4-dc0c0c07398f',    true],
  ['017F22E2-79B0-7CC3-98C4-DC0C0C07398F',    true],
  ['9b2f1c1e-6c57-4a3e-8c0f-0d6f8a1b2c3d',    true],
  ['00000000-0000-0000-0000-000000000000',    true],
  ['',                                        false],
  ['017f22e279b07cc398c4dc0c0c07398f',        false],
  ['{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}',  false],
  ['017f22e2-79b0-7cc3-98c4-dc0c0c07398g',    false],
  ['017f22e2-79b0-7cc3-98c4-dc0c0c07398',     false],
  ['017f22e2-79b0-7cc3-98c4-dc0c0c07398f0',   false],
  ['017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n',  false],
  [' 017f22e2-79b0-7cc3-98c4-dc0c0c07398f',   false],
  ['٠17f22e2-79b0-7cc3-98c4-dc0c0c07398f',    false],
])('isUuid(%j) is %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected)
})

function takeIds(times: number[]): string[] {
  const clock = times.values()
  const nextId = createIdSource(() => clock.next().value!, randomFillSync)
  return times.map(() => nextId())
}

function expectAscending(ids: string[]): void {
  expect(ids.every((id, index) => index === 0 || ids[index - 1]! < id)).toBe(true)
}

function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}
