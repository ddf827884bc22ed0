import { expect, test } from 'vitest'
import type { RuleTerms } from '../request.ts'
import { describeTrigger } from './describe-trigger.ts'

const inBase = { sourceAsset: 'USDC/BASE', sourceMethod: 'BASE' } as RuleTerms

// biome-ignore format: a table is read by column
test.each([
  ['* * * * *',        'Every minute (UTC)'],
  ['*/5 * * * *',      'Every 5 minutes (UTC)'],
  ['0 9 * * mon',      'At 09:00, only on Monday (UTC)'],
  ['0 9 * * 7',        'At 09:00, only on Sunday (UTC)'],
  ['30 17 1,15 * *',   'At 17:30, on day 1 and 15 of the month (UTC)'],
  ['  0\t12  1 1 *  ', 'At 12:00, on day 1 of the month, only in January (UTC)'],
  ['0 9 1-5,*/14 * *', 'At 09:00, on day 1, 2, 3, 4, 5, 15, and 29 of the month (UTC)'],
  // Either day, or both
  ['0 0 13 * fri',     'At 00:00, on day 13 of the month, and on Friday (UTC)'],
  ['0 0 */2 * fri',    'At 00:00, every 2 days in a month, only on Friday (UTC)'],
])('%j: %s', (cronSchedule, words) => {
  expect(describeTrigger({ ...inBase, cronSchedule })).toBe(words)
})

test('the description of a threshold names its currency and network', () => {
  expect(describeTrigger({ ...inBase, cronSchedule: null, thresholdText: '100.00' })).toBe(
    'When 100.00 USDC or more is available on BASE',
  )
})
