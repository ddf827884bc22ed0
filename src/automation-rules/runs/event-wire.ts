import Type from 'typebox'
import type { Asset, Currency } from '../../catalog/currencies.ts'
import { exampleFailedRun, exampleRule, exampleRun } from '../../http/examples/rules.ts'
import { integrator, payout, story } from '../../http/examples/story.ts'
import { type EventPayload, oneOf, resource, Timestamp, Uuid } from '../../http/wire.ts'
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

/** A rule that was paused because its key was revoked. */
const PausedRule = resource('PausedAutomationRule', {
  id: Uuid,
  ruleId: { ...Uuid, description: 'The same as id' },
  name: Type.String({ examples: [exampleRule.name] }),
  customerId: Uuid,
  apiKeyId: Uuid,
  reason: oneOf(['KEY_REVOKED'], 'The key that answered for the rule was revoked'),
  pausedAt: Timestamp,
})

/** Payloads of the events of rules. */
export const ruleEvents = {
  'automation_rule.executed': { schema: RunOfRule, example: { ...exampleRun, automationRule: exampleRule } },
  'automation_rule.failed': { schema: RunOfRule, example: { ...exampleFailedRun, automationRule: exampleRule } },
  'automation_rule.paused': {
    schema: PausedRule,
    example: {
      id: payout.ruleId,
      ruleId: payout.ruleId,
      name: exampleRule.name,
      customerId: story.customerId,
      apiKeyId: integrator.apiKeyId,
      reason: 'KEY_REVOKED',
      pausedAt: payout.returnedAt,
    },
  },
} satisfies Partial<Record<EventType, EventPayload>>
