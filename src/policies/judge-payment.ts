import { formatAmount } from '../lib/money.ts'
import type { limitWindows, PolicyOwner, RuleKind } from './policy.ts'

/** The verdict of a rule on a payment, as svc.weigh_policies answers it. Amounts are in cents. */
export type WeighedRule = {
  owner: PolicyOwner
  ruleId: string
  kind: RuleKind
  verdict: 'GO' | 'REFUSE' | 'COUNT' | 'APPROVAL'
  transactionMax: string | null
  hourMax: string | null
  hourUsed: string | null
  dayMax: string | null
  dayUsed: string | null
  monthMax: string | null
  monthUsed: string | null
}

export type Outcome = 'GO' | 'REFUSE' | 'APPROVAL'

export type JudgedRule = Pick<WeighedRule, 'ruleId' | 'owner' | 'kind'> & {
  outcome: Outcome
  window?: (typeof limitWindows)[number]
  limit?: string
  used?: string
  remaining?: string
}

/** Shows what the rules do to a payment: one refusal refuses it. */
export function judgePayment(rules: readonly WeighedRule[], usdCents: bigint | undefined) {
  const judged = rules.map((rule) => judge(rule, usdCents))
  const has = (outcome: Outcome) => judged.some((rule) => rule.outcome === outcome)
  const outcome: Outcome = has('REFUSE') ? 'REFUSE' : has('APPROVAL') ? 'APPROVAL' : 'GO'
  return { outcome, ...(usdCents === undefined ? {} : { usdAmount: formatAmount(usdCents, 2) }), rules: judged }
}

function judge(rule: WeighedRule, usdCents: bigint | undefined): JudgedRule {
  const { ruleId, owner, kind, verdict } = rule
  if (kind !== 'LIMIT') return { ruleId, owner, kind, outcome: verdict === 'COUNT' ? 'GO' : verdict }
  const tightest = windowsOf(rule).sort((a, b) => (a.remaining < b.remaining ? -1 : 1))[0]
  if (!tightest) throw new Error(`the limit ${ruleId} has no maximum`)
  const isAbove = usdCents === undefined || usdCents > tightest.remaining
  const { window, limit, used, remaining } = tightest
  const [shownLimit, shownUsed, shownRemaining] = [limit, used, remaining < 0n ? 0n : remaining].map((cents) =>
    formatAmount(cents, 2),
  ) as [string, string, string]
  const outcome = verdict === 'REFUSE' || isAbove ? 'REFUSE' : 'GO'
  return { ruleId, owner, kind, outcome, window, limit: shownLimit, used: shownUsed, remaining: shownRemaining }
}

function windowsOf(rule: WeighedRule) {
  const windows = [
    ['TRANSACTION', rule.transactionMax, '0'],
    ['HOUR', rule.hourMax, rule.hourUsed],
    ['DAY', rule.dayMax, rule.dayUsed],
    ['MONTH', rule.monthMax, rule.monthUsed],
  ] as const
  return windows.flatMap(([window, max, usedText]) => {
    if (max === null) return []
    const [limit, used] = [BigInt(max), BigInt(usedText ?? '0')]
    return [{ window, limit, used, remaining: limit - used }]
  })
}
