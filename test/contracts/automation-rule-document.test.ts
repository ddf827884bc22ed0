import { expect, test } from 'vitest'
import { maxRulesPerWallet } from '../../src/automation-rules/rule.ts'
import { maxSimulatedRuns, warningCodes } from '../../src/automation-rules/runs/preview.ts'
import { maxCronLength, nextRunAfter, parseCron } from '../../src/automation-rules/triggers/cron.ts'
import { readText } from '../support/style/source-tree.ts'

/** Compares docs/automation-rules.md with the code. */
const page = readText('docs/automation-rules.md') ?? ''
const schedules = page.slice(page.indexOf('## Schedules'), page.indexOf('## Previewing a rule'))

test('the page lists every preview warning and no others', () => {
  const rows = page.slice(page.indexOf('| warning '), page.indexOf('## Reading')).split('\n')
  const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code))
  expect(listed.sort()).toEqual([...warningCodes].sort())
})

test('the example schedules fire as the page says', () => {
  const rejected = schedules.slice(schedules.indexOf('- Rejected'))
  const shown = (text: string) =>
    [...text.matchAll(/`((?:[^` ]+ ){4}[^` ]+)`/g)].map(([, schedule]) => schedule as string)
  const fires = (text: string) => {
    const parsed = parseCron(text)
    return parsed.ok && nextRunAfter(parsed.value, new Date(0)) !== undefined
  }
  expect(shown(schedules.replace(rejected, '')).map(fires)).toEqual([true, true])
  expect(shown(rejected).map(fires)).toEqual([false])
})

test('the figures on the page equal those in the code', () => {
  expect(page.replaceAll('\n', ' ')).toContain(`A wallet has at most ${maxRulesPerWallet} rules`)
  expect(schedules).toContain(`more than ${maxCronLength} characters`)
  expect([maxSimulatedRuns, page]).toEqual([1_000, expect.stringContaining('more than a thousand times')])
})
