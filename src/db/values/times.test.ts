import pg from 'pg'
import { expect, test } from 'vitest'
import { readTime, time } from './times.ts'

test.each([
  '2025-11-21 10:00:00+00',
  '2025-11-21 10:00:00.1+00',
  '2025-11-21 10:00:00.001999+00',
  '2025-11-21 10:00:00.123456+00',
  '0099-02-28 23:59:59.999999+00',
  '12025-11-21 10:00:00.5+00',
  '2025-11-21 10:00:00+05:30',
  '0044-03-15 12:00:00+00 BC',
  'infinity',
  '-infinity',
])('%s is read as the driver reads it', (text) => {
  expect(readTime(text)).toEqual(pg.types.getTypeParser(time)(text))
})
