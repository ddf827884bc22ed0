import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../test/support/runner/form.ts'
import { type Cron, maxCronLength, nextRunAfter, parseCron } from './cron.ts'

function read(text: string): Cron {
  const parsed = parseCron(text)
  if (!parsed.ok) throw new Error(`${text} ${parsed.message}`)
  return parsed.value
}

function nextRuns(text: string, after: string, count: number): string[] {
  const cron = read(text)
  const runs: string[] = []
  for (let at = nextRunAfter(cron, new Date(after)); at && runs.length < count; at = nextRunAfter(cron, at)) {
    runs.push(at.toISOString().slice(0, 16))
  }
  return runs
}

// 1 January 2026 is a Thursday.
// biome-ignore format: a table is read by column
test.each([
  // schedule             after                    fires
  ['* * * * *',           '2026-01-01T00:00:00Z', ['2026-01-01T00:01', '2026-01-01T00:02']],
  ['* * * * *',           '2026-01-01T00:00:59Z', ['2026-01-01T00:01', '2026-01-01T00:02']],
  ['* * * * *',           '2025-12-31T23:59:00Z', ['2026-01-01T00:00', '2026-01-01T00:01']],
  ['0 0 * * *',           '2025-12-31T23:59:59Z', ['2026-01-01T00:00', '2026-01-02T00:00']],
  ['0 0 * * *',           '2026-01-01T00:00:00Z', ['2026-01-02T00:00', '2026-01-03T00:00']],
  ['*/25 * * * *',        '2026-01-01T00:00:00Z', ['2026-01-01T00:25', '2026-01-01T00:50', '2026-01-01T01:00']],
  ['1-10/4 9 * * *',      '2026-01-01T00:00:00Z', ['2026-01-01T09:01', '2026-01-01T09:05', '2026-01-01T09:09']],
  ['30,0 18,6 * * *',     '2026-01-01T06:00:00Z', ['2026-01-01T06:30', '2026-01-01T18:00', '2026-01-01T18:30']],
  ['05 09 01 * *',        '2026-01-01T09:05:00Z', ['2026-02-01T09:05', '2026-03-01T09:05']],
  ['  0\t12  1 1 *  ',    '2026-01-01T12:00:00Z', ['2027-01-01T12:00']],
  ['0 0 31 * *',          '2026-01-31T00:00:00Z', ['2026-03-31T00:00', '2026-05-31T00:00', '2026-07-31T00:00']],
  ['0 0 1,31 * *',        '2026-02-26T00:00:00Z', ['2026-03-01T00:00', '2026-03-31T00:00', '2026-04-01T00:00']],
  ['0 0 1 jan,Jul *',     '2026-01-01T00:00:00Z', ['2026-07-01T00:00', '2027-01-01T00:00']],
  ['0 0 1 NOV-dec *',     '2026-01-01T00:00:00Z', ['2026-11-01T00:00', '2026-12-01T00:00', '2027-11-01T00:00']],
  ['0 0 * * 0',           '2026-01-01T00:00:00Z', ['2026-01-04T00:00', '2026-01-11T00:00']],
  ['0 0 * * 7',           '2026-01-01T00:00:00Z', ['2026-01-04T00:00', '2026-01-11T00:00']],
  ['0 0 * * Sun',         '2026-01-01T00:00:00Z', ['2026-01-04T00:00', '2026-01-11T00:00']],
  ['0 0 * * sun-mon',     '2026-01-01T00:00:00Z', ['2026-01-04T00:00', '2026-01-05T00:00', '2026-01-11T00:00']],
  ['0 0 * * sat-sun',     '2026-01-01T00:00:00Z', ['2026-01-03T00:00', '2026-01-04T00:00', '2026-01-10T00:00']],
  ['0 0 * * sat-7',       '2026-01-01T00:00:00Z', ['2026-01-03T00:00', '2026-01-04T00:00', '2026-01-10T00:00']],
  ['0 0 * * sun-sun',     '2026-01-01T00:00:00Z', ['2026-01-04T00:00', '2026-01-11T00:00']],
  ['0 0 * * 1-5/2',       '2026-01-01T00:00:00Z', ['2026-01-02T00:00', '2026-01-05T00:00', '2026-01-07T00:00']],
  ['0 0 * * */7',         '2026-01-01T00:00:00Z', ['2026-01-04T00:00', '2026-01-11T00:00']],
  // Two day fields: a day that matches either fires, unless one begins with a star.
  ['0 0 1 * 1',           '2026-01-25T00:00:00Z', ['2026-01-26T00:00', '2026-02-01T00:00', '2026-02-02T00:00']],
  ['0 0 13 * fri',        '2026-02-07T00:00:00Z', ['2026-02-13T00:00', '2026-02-20T00:00', '2026-02-27T00:00', '2026-03-06T00:00', '2026-03-13T00:00', '2026-03-20T00:00', '2026-03-27T00:00', '2026-04-03T00:00', '2026-04-10T00:00', '2026-04-13T00:00']],
  ['0 0 1-31 * 1',        '2026-01-01T00:00:00Z', ['2026-01-02T00:00', '2026-01-03T00:00']],
  ['0 0 * * 1',           '2026-01-01T00:00:00Z', ['2026-01-05T00:00', '2026-01-12T00:00']],
  ['0 0 */2 * 1',         '2026-01-01T00:00:00Z', ['2026-01-05T00:00', '2026-01-19T00:00', '2026-02-09T00:00']],
  ['0 0 1 * */2',         '2026-01-01T00:00:00Z', ['2026-02-01T00:00', '2026-03-01T00:00', '2026-08-01T00:00']],
  ['0 0 *,5 * 1',         '2026-01-01T00:00:00Z', ['2026-01-05T00:00', '2026-01-12T00:00']],
  // Leap years
  ['0 0 29 2 *',          '2026-01-01T00:00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00']],
  ['0 0 29 2 *',          '2096-02-29T00:00:00Z', ['2104-02-29T00:00']],
  ['0 0 29 2 */7',        '2060-03-01T00:00:00Z', ['2088-02-29T00:00', '2128-02-29T00:00']],
  ['59 23 29 2 */7',      '2088-02-29T23:59:59Z', ['2128-02-29T23:59']],
  // Dates that no year has
  ['0 0 30 2 *',          '2026-01-01T00:00:00Z', []],
  ['0 0 31 2,4,6,9,11 *', '2026-01-01T00:00:00Z', []],
  ['0 0 30-31 feb *',     '2026-01-01T00:00:00Z', []],
  ['0 0 30 2 1',          '2026-01-01T00:00:00Z', ['2026-02-02T00:00']],
])('%s after %s fires at %s', (text, after, expected) => {
  expect(nextRuns(text, after, Math.max(1, expected.length))).toEqual(expected)
})

// biome-ignore format: a table is read by column
test.each([
  ['',                        'must have five fields: minute, hour, day of the month, month, day of the week'],
  ['     ',                   'must have five fields'],
  ['* * * *',                 'must have five fields'],
  ['0 * * * * *',             'must have five fields'],
  ['@daily',                  'must have five fields'],
  ['* * * * *\n',             'lists, ranges and steps in the day of the week'],
  ['*\n* * * * *',            'lists, ranges and steps in the minute'],
  ['*\u00a0* * * *',          'must have five fields'],
  ['60 * * * *',              'must use values of 0–59 in the minute'],
  ['* 24 * * *',              'must use values of 0–23 in the hour'],
  ['* * 0 * *',               'must use values of 1–31 in the day of the month'],
  ['* * 32 * *',              'must use values of 1–31 in the day of the month'],
  ['* * * 0 *',               'must use values of 1–12 or jan–dec in the month'],
  ['* * * 13 *',              'must use values of 1–12 or jan–dec in the month'],
  ['* * * * 8',               'must use values of 0–7 or sun–sat in the day of the week'],
  ['* * * mon *',             'must use values of 1–12 or jan–dec in the month'],
  ['jan * * * *',             'must use values of 0–59 in the minute'],
  ['* * * january *',         'must use only *, 1–12 or jan–dec, lists, ranges and steps in the month'],
  ['*/0 * * * *',             'must use a step of 1–60 in the minute'],
  ['*/61 * * * *',            'must use a step of 1–60 in the minute'],
  ['* * * * */8',             'must use a step of 1–7 in the day of the week'],
  ['*/ * * * *',              'lists, ranges and steps in the minute'],
  ['5/10 * * * *',            'must have * or a range before a step in the minute'],
  ['/5 * * * *',              'lists, ranges and steps in the minute'],
  ['*-5 * * * *',             'lists, ranges and steps in the minute'],
  ['5-* * * * *',             'lists, ranges and steps in the minute'],
  ['5-1 * * * *',             'must use ranges in the minute that end after they begin'],
  ['* * * dec-jan *',         'must use ranges in the month that end after they begin'],
  ['* * * * fri-mon',         'must use ranges in the day of the week that end after they begin'],
  ['1-2-3 * * * *',           'lists, ranges and steps in the minute'],
  ['1,,2 * * * *',            'lists, ranges and steps in the minute'],
  [',1 * * * *',              'lists, ranges and steps in the minute'],
  ['1, 2 * * * *',            'must have five fields'],
  ['-1 * * * *',              'lists, ranges and steps in the minute'],
  ['+1 * * * *',              'lists, ranges and steps in the minute'],
  ['1.5 * * * *',             'lists, ranges and steps in the minute'],
  ['1e1 * * * *',             'lists, ranges and steps in the minute'],
  ['0x1 * * * *',             'lists, ranges and steps in the minute'],
  ['005 * * * *',             'lists, ranges and steps in the minute'],
  ['\u0661 * * * *',          'lists, ranges and steps in the minute'],
  ['* * ? * *',               'lists, ranges and steps in the day of the month'],
  ['* * L * *',               'lists, ranges and steps in the day of the month'],
  ['* * 15W * *',             'lists, ranges and steps in the day of the month'],
  ['* * * * 5#2',             'lists, ranges and steps in the day of the week'],
  ['* * * * 5L',              'lists, ranges and steps in the day of the week'],
  ['* * H * *',               'lists, ranges and steps in the day of the month'],
  ['* * * * +1',              'lists, ranges and steps in the day of the week'],
  [`${'*'.repeat(393)} * * * *`, 'must have at most 400 characters'],
])('%j is refused: it %s', (text, message) => {
  expect(parseCron(text)).toMatchObject({ ok: false, message: expect.stringContaining(message) })
})

test('a schedule that lists every value of every field is short enough', () => {
  const all = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at).join()
  const text = `${all(0, 59)} ${all(0, 23)} ${all(1, 31)} ${all(1, 12)} ${all(0, 7)}`
  expect(text.length).toBeLessThanOrEqual(maxCronLength)
  expect(nextRuns(text, '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T00:01'])
})

test('any text is parsed or refused, and never fires in the past', () => {
  const pieces = fc.constantFrom(
    ...'0123456789*/,-? \t\nLW#@jansunmon'.split(''),
    'jan',
    'fri',
    '@daily',
    '*/',
    ' * ',
    '😀',
  )
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 30 }).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(
      anyText,
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9000-01-01') }),
      (text, at) => {
        const parsed = parseCron(text)
        const next = parsed.ok ? nextRunAfter(parsed.value, at) : undefined
        expect((next?.getTime() ?? Number.POSITIVE_INFINITY) > at.getTime()).toBe(true)
      },
    ),
    propertyRuns({ short: 2_000, full: 10_000 }),
  )
})
