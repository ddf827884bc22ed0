import { expect, test } from 'vitest'
import { maskCoordinates } from './mask.ts'

// biome-ignore format: a table is read by column
test.each([
  [{ accountNumber: '000123456789' },          '****6789'],
  [{ accountNumber: '123456789' },             '****6789'],
  [{ accountNumber: '12345678' },              '****678'],
  [{ accountNumber: '1234567' },               '****567'],
  [{ accountNumber: '12345' },                 '****45'],
  [{ accountNumber: '1234' },                  '****4'],
  [{ iban: 'DE89370400440532013000' },         '****3000'],
  [{ iban: 'NO9386011117947' },                '****7947'],
  [{ interacEmail: 'ada.example@example.com' }, 'a****@example.com'],
  [{ interacEmail: 'a@example.com' },          'a****@example.com'],
  [{},                                         '****'],
])('%j is shown as %s', (coordinates, mask) => {
  expect(maskCoordinates(coordinates)).toBe(mask)
})
