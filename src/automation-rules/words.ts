import cronstrue from 'cronstrue'
import { labelOf } from '../catalog/currencies.ts'
import { parseCron } from './cron.ts'
import type { RuleTerms } from './request.ts'

/** When a rule fires, for people. */
export function inWords({ cronSchedule, thresholdText, sourceAsset, sourceMethod }: RuleTerms): string {
  if (cronSchedule === null)
    return `When ${thresholdText} ${labelOf(sourceAsset)} or more is available on ${sourceMethod}`
  const parsed = parseCron(cronSchedule)
  const eitherDay = parsed.ok && parsed.value.eitherDay
  const options = { use24HourTimeFormat: true, logicalAndDayFields: !eitherDay }
  return `${cronstrue.toString(plainly(cronSchedule, eitherDay), options)} (UTC)`
}

/** As the library can read it: it knows no Sunday that is written 07, and no star that stands in a list. */
function plainly(cronSchedule: string, eitherDay: boolean): string {
  const fields = cronSchedule
    .trim()
    .replace(/\b0(?=\d)/g, '')
    .split(/[ \t]+/)
  const isAll = (field: string | undefined) => field?.split(',').includes('*') ?? false
  const isEveryDay = eitherDay && (isAll(fields[2]) || isAll(fields[4]))
  return fields
    .map((field, place) => (isAll(field) || (isEveryDay && place % 2 === 0 && place > 0) ? '*' : field))
    .join(' ')
}
