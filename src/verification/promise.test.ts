import { expect, test } from 'vitest'
import { automaticLateBefore, manualDue, manualLateBefore } from './promise.ts'

test.each([
  // now                        late if opened before
  ['2026-11-13T12:00:00Z', '2026-11-10T12:00:00Z'], // Friday: Tuesday
  ['2026-11-14T12:00:00Z', '2026-11-11T00:00:00Z'], // Saturday: as at the end of Friday
  ['2026-11-16T12:00:00Z', '2026-11-11T12:00:00Z'], // Monday: Wednesday
  ['2026-11-18T12:00:00Z', '2026-11-13T12:00:00Z'], // Wednesday: Friday
])('at %s a manual review is late since %s', (now, since) => {
  expect(manualLateBefore(new Date(now))).toEqual(new Date(since))
})

test.each([
  // opened                     due
  ['2026-11-10T12:00:00Z', '2026-11-13T12:00:00Z'], // Tuesday: Friday
  ['2026-11-13T12:00:00Z', '2026-11-18T12:00:00Z'], // Friday: Wednesday
  ['2026-11-14T12:00:00Z', '2026-11-19T00:00:00Z'], // Saturday: as if on Monday morning
  ['2026-11-16T00:00:00Z', '2026-11-19T00:00:00Z'], // Monday: Thursday
])('a review opened at %s is due at %s', (opened, due) => {
  expect(manualDue(new Date(opened))).toEqual(new Date(due))
})

test('due date and lateness agree at every hour of two weeks', () => {
  const hourMs = 3_600_000
  const start = Date.parse('2026-11-02T00:30:00Z')
  const hours = Array.from({ length: 14 * 24 }, (_, at) => new Date(start + at * hourMs))
  const nows = hours.map((each) => new Date(each.getTime() + hourMs / 4))
  const differing = hours.flatMap((opened) =>
    nows.filter((now) => opened < manualLateBefore(now) !== manualDue(opened) < now).map((now) => [opened, now]),
  )
  expect(differing).toEqual([])
})

test('an automatic review is late after ten minutes', () => {
  expect(automaticLateBefore(new Date('2026-11-13T12:00:00Z'))).toEqual(new Date('2026-11-13T11:50:00Z'))
})
