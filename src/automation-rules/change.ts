import { sameAmount } from '../lib/money.ts'
import type { FieldProblem } from '../lib/refusal.ts'
import { assetAt, fieldPath, idAt, type RuleTerms, type ShowCurrency, valueAt } from './request.ts'
import type { Rule } from './rule.ts'
import { type Cron, parseCron } from './triggers/cron.ts'

/**
 * Lists the fields of a PUT that differ from the rule, apart from destination, amount and developer fee, which may
 * change. Fields are compared by meaning: ids in any case, amounts with other zeros, schedules in another notation.
 */
export function changeProblems(rule: Rule, body: unknown, showCurrency: ShowCurrency): FieldProblem[] {
  const isSameId = (path: string, id: string) => idAt(body, path) === id
  const isSame = (path: string, value: string) => valueAt(body, path) === value
  const trigger = rule.cronSchedule === null ? 'trigger.thresholdAmount' : 'trigger.cronSchedule'
  const same: Record<string, boolean> = {
    name: isSame('name', rule.name),
    customerId: isSameId('customerId', rule.customerId),
    [fieldPath('source', 'PaymentAccountId')]: isSameId(
      fieldPath('source', 'PaymentAccountId'),
      rule.sourcePaymentAccountId,
    ),
    [fieldPath('source', 'PaymentMethod')]: isSame(fieldPath('source', 'PaymentMethod'), rule.sourceMethod),
    [fieldPath('source', 'Currency')]: assetAt(body, 'source', showCurrency) === rule.sourceAsset,
    'trigger.type': isSame('trigger.type', rule.triggerType),
    [trigger]: isSameTrigger(rule, valueAt(body, trigger)),
  }
  const problems = Object.entries(same)
    .filter(([, isUnchanged]) => !isUnchanged)
    .map(([field]) => ({ field, message: 'cannot be changed: create another rule' }))
  return isSameId('id', rule.ruleId) ? problems : [{ field: 'id', message: 'must be the id in the path' }, ...problems]
}

/** The terms that a PUT may change, without the amount of the fee, which is compared by meaning. */
const changeable = [
  'destinationPaymentAccountId',
  'destinationAsset',
  'destinationMethod',
  'amountType',
  'amountUnits',
  'developerFeeType',
] as const satisfies readonly (keyof RuleTerms)[]

/**
 * Chooses the key that answers for a rule after a PUT: the caller's, if it changes a term. A PUT of other metadata would
 * hand the rule to a key that chose none of its terms, free their author of its limits, and let it approve the payments.
 */
export function answeringKey(before: Rule, terms: RuleTerms, callersKeyId: string): string {
  const [fee, newFee] = [before.developerFeeText, terms.developerFeeText]
  const isSame = changeable.every((name) => before[name] === terms[name]) && (fee === newFee || sameAmount(newFee, fee))
  return isSame && before.apiKeyId !== null ? before.apiKeyId : callersKeyId
}

function isSameTrigger({ cronSchedule, thresholdText }: Rule, sent: unknown): boolean {
  if (cronSchedule === null) return sameAmount(sent, thresholdText)
  return sent === cronSchedule || (typeof sent === 'string' && isSameSchedule(sent, cronSchedule))
}

function isSameSchedule(a: string, b: string): boolean {
  const [left, right] = [parseCron(a), parseCron(b)]
  return left.ok && right.ok && minutesOf(left.value) === minutesOf(right.value)
}

function minutesOf({ minutes, hours, daysOfMonth, months, daysOfWeek, matchesEitherDay }: Cron): string {
  const days = [daysOfMonth, months, daysOfWeek].map((each) => [...each].sort((a, b) => a - b))
  return JSON.stringify([minutes, hours, days, matchesEitherDay])
}
