import { sameAmount } from '../lib/money.ts'
import type { FieldProblem } from '../lib/refusal.ts'
import { assetAt, fieldOf, idAt, partOf, type ShowCurrency } from './request.ts'
import type { Rule } from './rule.ts'
import { type Cron, parseCron } from './triggers/cron.ts'

/**
 * A PUT sends the whole rule, and may change where the money goes, how much it is, and the developer's fee. The rest
 * must mean what it meant: ids in either case, an amount with other zeros, the same schedule in other words.
 */
export function changeProblems(rule: Rule, body: unknown, showCurrency: ShowCurrency): FieldProblem[] {
  const isSameId = (path: string, id: string) => idAt(body, path) === id
  const isSame = (path: string, value: string) => partOf(body, path) === value
  const trigger = rule.cronSchedule === null ? 'trigger.thresholdAmount' : 'trigger.cronSchedule'
  const same: Record<string, boolean> = {
    name: isSame('name', rule.name),
    customerId: isSameId('customerId', rule.customerId),
    [fieldOf('source', 'PaymentAccountId')]: isSameId(
      fieldOf('source', 'PaymentAccountId'),
      rule.sourcePaymentAccountId,
    ),
    [fieldOf('source', 'PaymentMethod')]: isSame(fieldOf('source', 'PaymentMethod'), rule.sourceMethod),
    [fieldOf('source', 'Currency')]: assetAt(body, 'source', showCurrency) === rule.sourceAsset,
    'trigger.type': isSame('trigger.type', rule.triggerType),
    [trigger]: isSameTrigger(rule, partOf(body, trigger)),
  }
  const problems = Object.entries(same)
    .filter(([, isUnchanged]) => !isUnchanged)
    .map(([field]) => ({ field, message: 'cannot be changed; make another rule' }))
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

function minutesOf({ minutes, hours, daysOfMonth, months, daysOfWeek, eitherDay }: Cron): string {
  const days = [daysOfMonth, months, daysOfWeek].map((each) => [...each].sort((a, b) => a - b))
  return JSON.stringify([minutes, hours, days, eitherDay])
}
