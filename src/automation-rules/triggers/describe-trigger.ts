import cronstrue from 'cronstrue'
import { labelOf } from '../../catalog/currencies.ts'
import type { RuleTerms } from '../request.ts'
import { type Cron, parseCron } from './cron.ts'

/** Describes in English when a rule fires. */
export function describeTrigger({ cronSchedule, thresholdText, sourceAsset, sourceMethod }: RuleTerms): string {
  if (cronSchedule === null)
    return `When ${thresholdText} ${labelOf(sourceAsset)} or more is available on ${sourceMethod}`
  const parsed = parseCron(cronSchedule)
  if (!parsed.ok) return cronSchedule
  const options = { use24HourTimeFormat: true, logicalAndDayFields: !parsed.value.matchesEitherDay }
  return `${cronstrue.toString(normalize(cronSchedule, parsed.value), options)} (UTC)`
}

/** Rewrites notation that cronstrue misreads: leading zeros (07), `*` inside a list, and lists that contain steps. */
function normalize(cronSchedule: string, cron: Cron): string {
  const values = [cron.minutes, cron.hours, cron.daysOfMonth, cron.months, cron.daysOfWeek]
  const writtenOut = (place: number) => [...(values[place] ?? [])].sort((a, b) => a - b).join(',')
  const { matchesEitherDay } = cron
  const fields = cronSchedule
    .trim()
    .replace(/\b0(?=\d)/g, '')
    .split(/[ \t]+/)
  const isAll = (field: string | undefined) => field?.split(',').includes('*') ?? false
  const isEveryDay = matchesEitherDay && (isAll(fields[2]) || isAll(fields[4]))
  return fields
    .map((field, place) => {
      if (isAll(field) || (isEveryDay && place % 2 === 0 && place > 0)) return '*'
      return field.includes(',') && field.includes('/') ? writtenOut(place) : field
    })
    .join(' ')
}
