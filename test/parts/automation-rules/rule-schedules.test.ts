import { expect, test } from 'vitest'
import type { RuleTerms } from '../../../src/automation-rules/request.ts'
import { nextRunAfter, parseCron } from '../../../src/automation-rules/triggers/cron.ts'
import { describeTrigger } from '../../../src/automation-rules/triggers/describe-trigger.ts'
import { seededRandom } from '../../support/faults/cutting-proxy.ts'
import { anyInstant, anySchedule, firesBetween, nextFire, readSchedule } from '../../support/rules/cron-oracle.ts'
import { playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

const random = seededRandom(seed)

function parse(text: string) {
  const parsed = parseCron(text)
  if (!parsed.ok) throw new Error(`seed ${seed}: ${text} is right, and ${parsed.message}`)
  return parsed.value
}

/** Compares both from fire to fire, and returns whether the schedule ever fires. */
function expectFires(text: string): boolean {
  const [schedule, cron] = [readSchedule(text), parse(text)]
  let at = anyInstant(random)
  for (let step = 0; step < 4; step += 1) {
    const expected = nextFire(schedule, at)
    const found = nextRunAfter(cron, at)
    expect(found?.toISOString(), `seed ${seed}: ${text} after ${at.toISOString()}`).toBe(expected?.toISOString())
    if (!expected) return false
    at = expected
  }
  return true
}

test('random schedules fire when an independent evaluator says', { timeout: roundsTimeoutMs }, async () => {
  let never = 0
  await playRounds({ short: 10, full: 200 }, async () => {
    for (let count = 0; count < 1_000; count += 1) if (!expectFires(anySchedule(random))) never += 1
  })
  // Proves that schedules that never fire were tried as well.
  expect(never).toBeGreaterThan(0)
})

test('a year of a schedule has every fire exactly once', () => {
  const [from, to] = [new Date('2027-12-31T23:58:00Z'), new Date('2028-12-31T23:59:00Z')]
  for (const text of ['7 */5 29-31 * *', '0 0 29 2 mon', '59 23 * feb,dec sat-sun', '*/17 3,21 */9 1-12/5 *']) {
    const expected = [...firesBetween(readSchedule(text), from, to)]
    const found: Date[] = []
    for (let at = nextRunAfter(parse(text), from); at && at <= to; at = nextRunAfter(parse(text), at)) found.push(at)
    expect(found, text).toEqual(expected)
    expect(found.length, text).toBeGreaterThanOrEqual(5)
  }
})

test('every schedule has a description in words', () => {
  const words = new Set<string>()
  for (let count = 0; count < 2_000; count += 1) {
    const cronSchedule = anySchedule(random)
    const told = () => describeTrigger({ cronSchedule } as RuleTerms)
    expect(told, `seed ${seed}: ${cronSchedule}`).not.toThrow()
    words.add(told())
  }
  expect(words.size).toBeGreaterThan(1_900)
  expect([...words].filter((each) => /undefined|NaN|null/.test(each))).toEqual([])
})
