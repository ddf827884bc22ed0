import type { Asset, Currency } from '../../catalog/currencies.ts'
import { exampleOf } from '../../http/openapi/example.ts'
import { type EventPayload, resource } from '../../http/wire.ts'
import type { EventType } from '../../lib/event-types.ts'
import type { Rule } from '../rule.ts'
import { presentRule, RuleAnswer } from '../wire.ts'
import type { Run } from './run.ts'
import { presentRun, RunAnswer } from './wire.ts'

/** A run that has ended, with its rule as it fired. */
const RunOfRule = resource('AutomationRuleRunOfRule', { ...RunAnswer.properties, automationRule: RuleAnswer })

export function presentRunWithRule(run: Run, rule: Rule, currencyOf: (asset: Asset) => Currency) {
  return { ...presentRun(run, rule.sourceAsset), automationRule: presentRule(rule, undefined, currencyOf) }
}

const {
  reason: _reason,
  sourceAmount,
  quoteId,
  transactionId,
  ...run
} = exampleOf(RunAnswer) as Record<string, unknown>
const { lastRun: _lastRun, ...automationRule } = exampleOf(RuleAnswer) as Record<string, unknown>

/** Payloads of the events of rules. */
export const ruleEvents = {
  'automation_rule.executed': {
    schema: RunOfRule,
    example: { ...run, runStatus: 'EXECUTED', sourceAmount, quoteId, transactionId, automationRule },
  },
  'automation_rule.failed': {
    schema: RunOfRule,
    example: { ...run, runStatus: 'FAILED', reason: 'DEVELOPER_FEE_BELOW_SVC_FEE', automationRule },
  },
} satisfies Partial<Record<EventType, EventPayload>>
