import { expect, test } from 'vitest'
import { addDuration, parseDuration } from './duration.ts'

// biome-ignore format: a table is read by column
test.each([
  // text                        y  mo d   h  mi s  ms
  ['PT5M1S',                     0, 0, 0,  0, 5, 1, 0],
  ['P1D',                        0, 0, 1,  0, 0, 0, 0],
  ['P2W',                        0, 0, 14, 0, 0, 0, 0],
  ['P1Y2M',                      1, 2, 0,  0, 0, 0, 0],
  ['P1M',                        0, 1, 0,  0, 0, 0, 0],
  ['PT1M',                       0, 0, 0,  0, 1, 0, 0],
  ['P1Y2M3DT4H5M6.007S',         1, 2, 3,  4, 5, 6, 7],
  ['P3DT12H',                    0, 0, 3, 12, 0, 0, 0],
  ['PT0S',                       0, 0, 0,  0, 0, 0, 0],
  ['PT0.5S',                     0, 0, 0,  0, 0, 0, 500],
  ['PT1.25S',                    0, 0, 0,  0, 0, 1, 250],
  ['PT007M',                     0, 0, 0,  0, 7, 0, 0],
  ['PT999999999S',               0, 0, 0,  0, 0, 999_999_999, 0],
] as const)('%s is read', (text, years, months, days, hours, minutes, seconds, milliseconds) => {
  expect(parseDuration(text)).toEqual({ ok: true, years, months, days, hours, minutes, seconds, milliseconds })
})

// biome-ignore format: a table is read by column
test.each([
  ['nothing',                    ''],
  ['no parts',                   'P'],
  ['no parts of time',           'PT'],
  ['T without a time',           'P1DT'],
  ['no P',                       '1D'],
  ['no number',                  'PD'],
  ['no unit',                    'P1'],
  ['no unit of time',            'PT5'],
  ['a sign in front',            '-P1D'],
  ['a plus in front',            '+P1D'],
  ['a sign inside',              'P-1D'],
  ['hours without T',            'P1H'],
  ['days behind T',              'PT1D'],
  ['days before months',         'P1D1M'],
  ['months before years',        'P1M1Y'],
  ['seconds before minutes',     'PT1S1M'],
  ['the same part twice',        'P1D1D'],
  ['weeks with days',            'P1W1D'],
  ['weeks with time',            'P1WT1H'],
  ['a fraction of a day',        'P0.5D'],
  ['a fraction of a minute',     'PT0.5M'],
  ['a comma',                    'PT1,5S'],
  ['four decimals',              'PT1.0001S'],
  ['no decimals',                'PT1.S'],
  ['no whole seconds',           'PT.5S'],
  ['ten digits',                 'PT1000000000S'],
  ['an exponent',                'PT1e3S'],
  ['small letters',              'pt5m'],
  ['a space',                    'PT5M '],
  ['a line feed',                'PT5M\n'],
  ['other digits',               'PT٥M'],
  ['words',                      '5 minutes'],
  ['a date form',                'P0001-02-03T04:05:06'],
  ['a megabyte of digits',       `PT${'9'.repeat(1_000_000)}S`],
  ['a number',                   300],
  ['null',                       null],
])('%s is refused', (_what, text) => {
  expect(parseDuration(text)).toEqual({ ok: false })
})

// biome-ignore format: a table is read by column
test.each([
  // at                          duration       result
  ['2025-11-21T10:00:00.000Z',   'PT5M1S',      '2025-11-21T10:05:01.000Z'],
  ['2025-11-21T10:00:00.000Z',   'PT0S',        '2025-11-21T10:00:00.000Z'],
  ['2025-11-21T10:00:00.999Z',   'PT0.001S',    '2025-11-21T10:00:01.000Z'],
  ['2025-11-21T10:00:00.000Z',   'P2W',         '2025-12-05T10:00:00.000Z'],
  ['2025-12-31T23:59:59.000Z',   'PT1S',        '2026-01-01T00:00:00.000Z'],
  ['2025-01-31T08:00:00.000Z',   'P1M',         '2025-02-28T08:00:00.000Z'],
  ['2024-01-31T08:00:00.000Z',   'P1M',         '2024-02-29T08:00:00.000Z'],
  ['2025-01-31T08:00:00.000Z',   'P2M',         '2025-03-31T08:00:00.000Z'],
  ['2025-03-31T08:00:00.000Z',   'P1M',         '2025-04-30T08:00:00.000Z'],
  ['2025-10-31T08:00:00.000Z',   'P4M',         '2026-02-28T08:00:00.000Z'],
  ['2024-02-29T08:00:00.000Z',   'P1Y',         '2025-02-28T08:00:00.000Z'],
  ['2024-02-29T08:00:00.000Z',   'P4Y',         '2028-02-29T08:00:00.000Z'],
  ['2096-02-29T08:00:00.000Z',   'P4Y',         '2100-02-28T08:00:00.000Z'],
  ['2025-11-30T08:00:00.000Z',   'P1Y3M',       '2027-02-28T08:00:00.000Z'],
  ['2025-01-31T08:00:00.000Z',   'P1M1D',       '2025-03-01T08:00:00.000Z'],
  ['2025-01-30T23:30:00.000Z',   'P1MT1H',      '2025-03-01T00:30:00.000Z'],
  ['0050-01-31T00:00:00.000Z',   'P1M',         '0050-02-28T00:00:00.000Z'],
  // Nights on which clocks change in Europe and America: UTC days all have 24 hours.
  ['2025-03-29T12:00:00.000Z',   'P1D',         '2025-03-30T12:00:00.000Z'],
  ['2025-11-02T00:00:00.000Z',   'P1D',         '2025-11-03T00:00:00.000Z'],
])('%s plus %s is %s', (at, text, result) => {
  const duration = parseDuration(text)
  if (!duration.ok) throw new Error(`${text} was not read`)
  const start = new Date(at)
  expect(addDuration(start, duration).toISOString()).toBe(result)
  expect(start.toISOString()).toBe(at)
})

test.each(['P999999999Y', 'P999999999M', 'P999999999D', 'P142857142W', 'P273735Y'])(
  '%s ends after the last date',
  (text) => {
    const duration = parseDuration(text)
    if (!duration.ok) throw new Error(`${text} was not read`)
    expect(() => addDuration(new Date('2025-11-21T10:00:00.000Z'), duration)).toThrow(RangeError)
  },
)
