import { expect, test } from 'vitest'
import type { Posted } from '../ports.ts'
import { isGone, outcomeOf } from './outcome.ts'

const answered = (status: number): Posted => ({ ok: true, status, headers: {}, body: Buffer.of(), truncated: false })
const failed = (kind: string): Posted => ({ ok: false, kind, message: '', mayHaveArrived: false })

// biome-ignore format: a table is read by column
test.each([
  [200, 'DELIVERED'], [204, 'DELIVERED'], [299, 'DELIVERED'],
  [301, 'REJECTED'],  [304, 'REJECTED'],  [400, 'REJECTED'], [410, 'REJECTED'], [429, 'REJECTED'], [500, 'REJECTED'],
])('%i is %s', (status, outcome) => {
  expect(outcomeOf(answered(status))).toBe(outcome)
  expect(isGone(answered(status))).toBe(status === 410)
})

// biome-ignore format: a table is read by column
test.each([
  ['timeout',         'TIMEOUT'],
  ['unreachable',     'UNREACHABLE'],
  ['reset',           'RESET'],
  ['invalid answer',  'INVALID_ANSWER'],
  ['invalid request', 'BLOCKED'],
  ['refused',         'BLOCKED'],
  ['unavailable',     undefined],
])('%s is %s', (kind, outcome) => {
  expect(outcomeOf(failed(kind))).toBe(outcome)
  expect(isGone(failed(kind))).toBe(false)
})
