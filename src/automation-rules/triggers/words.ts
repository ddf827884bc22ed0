import cronstrue from 'cronstrue'
import { labelOf } from '../../catalog/currencies.ts'
import type { RuleTerms } from '../request.ts'
import { type Cron, parseCron } from './cron.ts'

/** When a rule fires, for people. */
export function inWords({ cronSchedule, thresholdText, sourceAsset, sourceMethod }: RuleTerms): string {
  if (cronSchedule === null)
    return `When ${thresholdText} ${labelOf(sourceAsset)} or more is available on ${sourceMethod}`
  const parsed = parseCron(cronSchedule)
  if (!parsed.ok) return cronSchedule
  const options = { use24HourTimeFormat: true, logicalAndDayFields: !parsed.value.eitherDay }
  return `${cronstrue.toString(plainly(cronSchedule, parsed.value), options)} (UTC)`
}

/**
 * As the library can read it: it knows no Sunday that is written 07, no star that stands in a list, and muddles lists of
 * steps and ranges, which are written out.
 */
function plainly(cronSchedule: string, cron: Cron): string {
  const values = [cron.minutes, cron.hours, cron.daysOfMonth, cron.months, cron.daysOfWeek]
  const writtenOut = (place: number) => [...(values[place] ?? [])].sort((a, b) => a - b).join(',')
  const { eitherDay } = cron
  const fields = cronSchedule
    .trim()
    .replace(/\b0(?=\d)/g, '')
    .split(/[ \t]+/)
  const isAll = (field: string | undefined) => field?.split(',').includes('*') ?? false
  const isEveryDay = eitherDay && (isAll(fields[2]) || isAll(fields[4]))
  return fields
    .map((field, place) => {
      if (isAll(field) || (isEveryDay && place % 2 === 0 && place > 0)) return '*'
      return field.includes(',') && field.includes('/') ? writtenOut(place) : field
    })
    .join(' ')
}
