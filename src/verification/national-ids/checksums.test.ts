import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passesLuhn, passesMod112, passesMod1110, remainder, weightedSum } from './checksums.ts'

// biome-ignore format: a table is read by column
test.each([
  // sum         number               passes
  ['Luhn',       '79927398713',       true,   passesLuhn],
  ['Luhn',       '79927398710',       false,  passesLuhn],
  ['Luhn',       '0',                 true,   passesLuhn],
  ['Luhn',       '',                  false,  passesLuhn],
  ['Luhn',       '7992739871X',       false,  passesLuhn],
  ['MOD 11,10',  '07945',             true,   passesMod1110],
  ['MOD 11,10',  '07946',             false,  passesMod1110],
  ['MOD 11,10',  '',                  false,  passesMod1110],
  ['MOD 11-2',   '079X',              true,   passesMod112],
  ['MOD 11-2',   '0790',              false,  passesMod112],
  ['MOD 11-2',   '000000021825009',   false,  passesMod112],
  ['MOD 11-2',   '0000000218250097',  true,   passesMod112],
  ['MOD 11-2',   'X',                 false,  passesMod112],
])('%s: %j passes: %s', (_sum, number, expected, passes) => {
  expect(passes(number)).toBe(expected)
})

const digits = fc.array(fc.nat(9), { minLength: 4, maxLength: 20 }).map((each) => each.join(''))

test.each([
  ['Luhn', passesLuhn],
  ['MOD 11,10', passesMod1110],
])('%s finds every single wrong digit', (_name, passes) => {
  fc.assert(
    fc.property(digits, fc.nat(19), fc.integer({ min: 1, max: 9 }), (number, place, by) => {
      const closed = Array.from({ length: 10 }, (_, check) => `${number}${check}`).filter(passes)
      expect(closed).toHaveLength(1)
      const right = closed[0] ?? ''
      const at = place % right.length
      const wrong = right.slice(0, at) + ((Number.parseInt(right.charAt(at), 10) + by) % 10) + right.slice(at + 1)
      expect(passes(wrong)).toBe(false)
    }),
  )
})

test('remainders of long numbers are exact', () => {
  fc.assert(
    fc.property(digits, fc.integer({ min: 2, max: 1_000 }), (number, modulus) => {
      expect(remainder(number, modulus)).toBe(Number(BigInt(number) % BigInt(modulus)))
    }),
  )
})

test('digits without a weight do not count', () => {
  expect(weightedSum('1234', [1, 10])).toBe(21)
})
