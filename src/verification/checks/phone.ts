import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { type Finding, isBlank, needsInformation, type Person } from '../submission.ts'

/**
 * Checks that the number exists in its country's numbering plan. The request accepts any number of the E.164 form; the
 * customer corrects one that no plan has, or confirms it: our copy of a plan may be old.
 */
export function checkPhone({ phoneNumber }: Person, path: string): Finding[] {
  if (isBlank(phoneNumber)) return []
  const isInPlan = parsePhoneNumberFromString(phoneNumber)?.isValid() ?? false
  return isInPlan ? [] : [{ ...needsInformation('INVALID_PARAMETERS', `${path}.phoneNumber`), canBeConfirmed: true }]
}
