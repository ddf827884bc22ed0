import { expect, test } from 'vitest'
import { automaticPromise, manualPromise } from './promise.ts'

test.each([
  // now                        late if submitted before
  ['2026-11-13T12:00:00Z', '2026-11-10T12:00:00Z'], // Friday: Tuesday
  ['2026-11-16T12:00:00Z', '2026-11-11T12:00:00Z'], // Monday: Wednesday
  ['2026-11-18T12:00:00Z', '2026-11-13T12:00:00Z'], // Wednesday: Friday
])('at %s a manual review is late since %s', (now, since) => {
  expect(manualPromise(new Date(now))).toEqual(new Date(since))
})

test('an automatic review is late after ten minutes', () => {
  expect(automaticPromise(new Date('2026-11-13T12:00:00Z'))).toEqual(new Date('2026-11-13T11:50:00Z'))
})
