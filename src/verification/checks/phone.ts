import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { type Finding, isBlank, needsReview, type Person } from '../submission.ts'

/**
 * Checks that the number exists in its country's numbering plan. Plans change faster than our copy of them, so a doubt
 * goes to a reviewer and never counts against the customer.
 */
export function checkPhone({ phoneNumber }: Person, path: string): Finding[] {
  if (isBlank(phoneNumber)) return []
  const isInPlan = parsePhoneNumberFromString(phoneNumber)?.isValid() ?? false
  return isInPlan ? [] : [needsReview('ADDITIONAL_WARNING', `${path}.phoneNumber`)]
}
