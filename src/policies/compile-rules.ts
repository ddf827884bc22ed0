import { parseAmount } from '../lib/money.ts'
import type { FieldProblem } from '../lib/refusal.ts'
import type { Validated } from '../lib/validated.ts'
import { type CompiledRule, type RuleKind, type WrittenRule, weekdays } from './policy.ts'

type RuleField = Exclude<keyof WrittenRule, 'ruleId' | 'kind' | 'appliesTo'>

/** The fields of each kind: those that it needs, and those that it may have. */
const fieldsOf: Readonly<Record<RuleKind, { needs: readonly RuleField[]; may: readonly RuleField[] }>> = {
  LIMIT: { needs: ['per'], may: ['transactionMax', 'hourMax', 'dayMax', 'monthMax'] },
  DESTINATIONS: { needs: ['allowed', 'coolingHours'], may: [] },
  APPROVAL: { needs: ['above', 'approvals', 'expiresInHours'], may: ['approvers'] },
  QUIET_HOURS: { needs: ['from', 'to', 'timeZone'], may: ['days'] },
  KILL_SWITCH: { needs: [], may: [] },
}

const noTimeZone = 'must be a time zone of the IANA database that Svc knows, such as "Europe/Berlin"'
const limits = ['transactionMax', 'hourMax', 'dayMax', 'monthMax'] as const
const amounts = [...limits, 'above'] as const

/** The most ids that all lists of a policy have together: a payment is compared with each. */
export const mostIdsOfPolicy = 5_000

/** Turns the rules of a policy into the form that is evaluated, or lists every problem. */
export function compileRules(rules: readonly WrittenRule[]): Validated<CompiledRule[]> {
  const problems = [...repeatedIds(rules), ...rules.flatMap(problemsOf), ...tooManyIds(rules)]
  return problems.length > 0 ? { ok: false, value: rules, problems } : { ok: true, value: rules.map(compile) }
}

function repeatedIds(rules: readonly WrittenRule[]): FieldProblem[] {
  return rules.flatMap(({ ruleId }, at) => {
    const isRepeated = rules.findIndex((rule) => rule.ruleId === ruleId) < at
    return isRepeated ? [{ field: `rules[${at}].ruleId`, message: 'is the id of an earlier rule of this policy' }] : []
  })
}

/** Names the first list with which a policy has too many ids. */
function tooManyIds(rules: readonly WrittenRule[]): FieldProblem[] {
  let count = 0
  for (const [at, { appliesTo = {}, allowed = [], approvers = [] }] of rules.entries()) {
    const { apiKeyIds = [], customerIds = [], paymentAccountIds = [] } = appliesTo
    const lists = {
      'appliesTo.apiKeyIds': apiKeyIds,
      'appliesTo.customerIds': customerIds,
      'appliesTo.paymentAccountIds': paymentAccountIds,
      allowed,
      approvers,
    }
    for (const [field, { length }] of Object.entries(lists)) {
      count += length
      const message = `makes the policy list more than ${mostIdsOfPolicy} ids in all`
      if (count > mostIdsOfPolicy) return [{ field: `rules[${at}].${field}`, message }]
    }
  }
  return []
}

function problemsOf(rule: WrittenRule, at: number): FieldProblem[] {
  const { needs, may } = fieldsOf[rule.kind]
  const problem = (field: string, message: string) => ({ field: `rules[${at}].${field}`, message })
  const given = Object.keys(rule).filter((field) => !['ruleId', 'kind', 'appliesTo'].includes(field)) as RuleField[]
  const missing = needs.filter((field) => rule[field] === undefined)
  const foreign = given.filter((field) => ![...needs, ...may].includes(field))
  const unread = amounts.filter((field) => rule[field] !== undefined && !parseAmount(rule[field], 2).ok)
  return [
    ...missing.map((field) => problem(field, `is required for ${rule.kind}`)),
    ...foreign.map((field) => problem(field, `is no field of ${rule.kind}`)),
    ...unread.map((field) => problem(field, 'must be an amount of USD with at most two decimals, such as "1000.00"')),
    ...(rule.kind === 'LIMIT' && limits.every((field) => rule[field] === undefined)
      ? [problem('dayMax', 'or another maximum is required for LIMIT')]
      : []),
    ...(rule.approvers && rule.approvals !== undefined && rule.approvers.length < rule.approvals
      ? [problem('approvers', 'must have at least as many keys as approvals')]
      : []),
    ...(rule.timeZone !== undefined && !isTimeZone(rule.timeZone) ? [problem('timeZone', noTimeZone)] : []),
  ]
}

/** Abbreviations and offsets are no time zones: they do not follow the clocks of a place. */
function isTimeZone(name: string): boolean {
  return name === 'UTC' || /^[A-Za-z_]+\/[A-Za-z0-9_+\-/]+$/.test(name)
}

/** Names the rules whose time zone is none of those that the database knows, which evaluates them. */
export function foreignTimeZones(rules: readonly WrittenRule[], known: ReadonlySet<string>): FieldProblem[] {
  return rules.flatMap(({ timeZone }, at) =>
    timeZone === undefined || known.has(timeZone) ? [] : [{ field: `rules[${at}].timeZone`, message: noTimeZone }],
  )
}

function compile(rule: WrittenRule): CompiledRule {
  const { ruleId, kind, appliesTo = {} } = rule
  const { rails, networks } = appliesTo
  return {
    ruleId,
    kind,
    apiKeyIds: lowerCase(appliesTo.apiKeyIds),
    customerIds: lowerCase(appliesTo.customerIds),
    destinationIds: lowerCase(appliesTo.paymentAccountIds),
    methods: rails || networks ? [...(rails ?? []), ...(networks ?? [])] : null,
    per: rule.per ?? null,
    transactionMax: centsOf(rule.transactionMax),
    hourMax: centsOf(rule.hourMax),
    dayMax: centsOf(rule.dayMax),
    monthMax: centsOf(rule.monthMax),
    allowedIds: lowerCase(rule.allowed),
    coolingHours: rule.coolingHours ?? null,
    approvalAbove: centsOf(rule.above),
    approvalsNeeded: rule.approvals ?? null,
    approverIds: lowerCase(rule.approvers),
    approvalHours: rule.expiresInHours ?? null,
    quietFrom: rule.from ?? null,
    quietTo: rule.to ?? null,
    timeZone: rule.timeZone ?? null,
    quietDays: rule.days?.map((day) => weekdays.indexOf(day) + 1) ?? null,
  }
}

function lowerCase(ids: readonly string[] | undefined): string[] | null {
  return ids ? [...new Set(ids.map((id) => id.toLowerCase()))] : null
}

function centsOf(amount: string | undefined): string | null {
  if (amount === undefined) return null
  const parsed = parseAmount(amount, 2)
  if (!parsed.ok) throw new Error(`${amount} is not an amount`)
  return String(parsed.units)
}
