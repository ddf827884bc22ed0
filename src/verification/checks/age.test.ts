import { expect, test } from 'vitest'
import { checkAge } from './age.ts'

// biome-ignore format: a table is read by column
test.each([
  // born         on the day                     finding
  ['1990-05-17',  '2025-11-21T00:00:00.000Z',    undefined],
  ['2007-11-20',  '2025-11-21T00:00:00.000Z',    undefined],
  ['2007-11-21',  '2025-11-21T00:00:00.000Z',    undefined],
  ['2007-11-22',  '2025-11-21T23:59:59.999Z',    'ADDITIONAL_WARNING'],
  ['2007-11-22',  '2025-11-22T00:00:00.000Z',    undefined],
  ['2015-01-01',  '2025-11-21T00:00:00.000Z',    'ADDITIONAL_WARNING'],
  ['2025-11-21',  '2025-11-21T00:00:00.000Z',    'ADDITIONAL_WARNING'],
  ['2008-02-29',  '2026-02-28T23:59:59.999Z',    'ADDITIONAL_WARNING'],
  ['2008-02-29',  '2026-03-01T00:00:00.000Z',    undefined],
  ['2006-02-28',  '2024-02-28T00:00:00.000Z',    undefined],
  ['2006-03-01',  '2024-02-29T00:00:00.000Z',    'ADDITIONAL_WARNING'],
  ['1905-11-21',  '2025-11-21T00:00:00.000Z',    undefined],
  ['1904-11-22',  '2025-11-21T00:00:00.000Z',    undefined],
  ['1904-11-21',  '2025-11-21T00:00:00.000Z',    'INVALID_PARAMETERS'],
  ['0199-05-17',  '2025-11-21T00:00:00.000Z',    'INVALID_PARAMETERS'],
  ['2025-11-22',  '2025-11-21T23:59:59.999Z',    'INVALID_PARAMETERS'],
  ['1990-02-30',  '2025-11-21T00:00:00.000Z',    'INVALID_PARAMETERS'],
  ['17.05.1990',  '2025-11-21T00:00:00.000Z',    'INVALID_PARAMETERS'],
  ['',            '2025-11-21T00:00:00.000Z',    undefined],
] as const)('a person born %s, at %s: %s', (dateOfBirth, now, code) => {
  const leadsTo = code === 'ADDITIONAL_WARNING' ? 'review' : 'information'
  const expected = code ? [{ code, field: 'kycData.dateOfBirth', leadsTo }] : []
  expect(checkAge({ dateOfBirth }, 'kycData', new Date(now))).toEqual(expected)
})

test('a missing date of birth has no age finding', () => {
  expect(checkAge({}, 'kycData', new Date('2025-11-21T00:00:00.000Z'))).toEqual([])
})
