import cronstrue from 'cronstrue'
import { labelOf } from '../catalog/currencies.ts'
import { parseCron } from './cron.ts'
import type { RuleTerms } from './request.ts'

/** When a rule fires, for people. */
export function inWords({ cronSchedule, thresholdText, sourceAsset, sourceMethod }: RuleTerms): string {
  if (cronSchedule === null)
    return `When ${thresholdText} ${labelOf(sourceAsset)} or more is available on ${sourceMethod}`
  const parsed = parseCron(cronSchedule)
  const words = cronstrue.toString(
    cronSchedule
      .trim()
      .split(/[ \t]+/)
      .join(' '),
    {
      use24HourTimeFormat: true,
      logicalAndDayFields: parsed.ok && !parsed.value.eitherDay,
    },
  )
  return `${words} (UTC)`
}
