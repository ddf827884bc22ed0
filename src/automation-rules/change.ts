import { sameAmount } from '../lib/money.ts'
import type { FieldProblem } from '../lib/refusal.ts'
import { assetAt, fieldPath, idAt, type ShowCurrency, valueAt } from './request.ts'
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
