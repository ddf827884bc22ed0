import { expect, test } from 'vitest'
import { formCatalog } from '../../../src/forms/choices.ts'
import { findNotice, readClosing } from '../../../web/forms/model/closing.ts'
import { problemsAt } from '../../../web/forms/model/problems.ts'
import { stepsOf } from '../../../web/forms/model/steps.ts'
import type { Catalog, FormState } from '../../../web/forms/model/types.ts'

test.each([
  ['US', true],
  ['HK', false],
  ['AE', false],
])('a form asks for a postal code where there are some: %s %s', (countryCode, isAsked) => {
  const state = {
    customerType: 'INDIVIDUAL',
    values: { kycData: { address: { countryCode } } },
  } as unknown as FormState
  const fields = stepsOf(state, formCatalog as unknown as Catalog).flatMap((step) => step.fields)
  expect(fields.includes('kycData.address.postalCode')).toBe(isAsked)
})

test('the last end of a session stays as it was first told, until another session has another one', () => {
  const first = readClosing(undefined, { secondsLeft: 1_800, mostSecondsLeft: 3_600 }, 0)
  // The answer to the second poll took four seconds.
  const second = readClosing(first, { secondsLeft: 1_800, mostSecondsLeft: 3_597 }, 7_000)
  expect(second).toEqual({ atMs: 1_807_000, latestMs: 3_600_000 })
  const opened = readClosing(second, { secondsLeft: 1_800, mostSecondsLeft: 43_200 }, 10_000)
  expect(opened.latestMs).toBe(43_210_000)
})

test.each([
  // minutes until the idle end, and the last end
  [30, 700, undefined],
  [1.5, 700, 'idle'],
  [1.5, 8, 'idle'],
  [8, 8, 'last'],
  [30, 30, undefined],
])('a session that ends in %s minutes, and in %s at the latest: %s', (idle, last, notice) => {
  expect(findNotice({ atMs: idle * 60_000, latestMs: last * 60_000 }, 0)).toBe(notice)
})

test.each([
  [
    'kycData.dateOfBirth',
    'due',
    'Please check the date of birth: it is not valid.',
    'Date of birth: this date cannot be right. Check the day, the month and the year',
  ],
  [
    'kycData.address.postalCode',
    'invalid',
    'must be a postal code as written in DE, such as 10115',
    'Postal code: in this country it looks like 10115',
  ],
] as const)('a problem of %s tells the customer what to do', (field, kind, message, words) => {
  const values = { kycData: { dateOfBirth: '2999-05-31', address: { countryCode: 'DE', postalCode: '1062' } } }
  const problem = { field, kind, message, mayStay: false }
  const state = { values, given: [], files: {}, required: [], problems: [problem] } as unknown as FormState
  expect(problemsAt(state, [field]).map(({ text }) => text)).toEqual([words])
})
