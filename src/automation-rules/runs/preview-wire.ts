import Type from 'typebox'
import { scaleOf } from '../../catalog/currencies.ts'
import { CurrencyAnswer, oneOf, resource, Timestamp } from '../../http/wire.ts'
import { formatAmount } from '../../lib/money.ts'
import type { RuleTerms, ShowCurrency } from '../request.ts'
import { describeTrigger } from '../triggers/describe-trigger.ts'
import { type PreviewRun, type PreviewWarning, warningCodes } from './preview.ts'
import { runStatuses } from './run.ts'

export const PreviewAnswer = resource('AutomationRulePreview', {
  description: Type.String({ description: 'When the rule fires', examples: ['At 09:00, only on Monday (UTC)'] }),
  currency: CurrencyAnswer,
  availableBalance: Type.String({ description: 'The amount that can be moved now', examples: ['100.000000'] }),
  runs: Type.Array(
    resource('AutomationRulePreviewRun', {
      scheduledFor: Timestamp,
      runStatus: Type.Optional(oneOf(runStatuses, 'The simulated outcome; absent when the run was not simulated')),
      reason: Type.Optional(
        Type.String({ description: 'Why the run would move nothing', examples: ['NOTHING_TO_MOVE'] }),
      ),
      sourceAmount: Type.Optional(Type.String({ examples: ['50.000000'] })),
      destinationAmount: Type.Optional(Type.String({ description: 'At the current price', examples: ['49.75'] })),
    }),
    { description: 'In order of time. For THRESHOLD_BASED: one run, now, if enough is available' },
  ),
  warnings: Type.Array(
    resource('AutomationRuleWarning', {
      code: Type.String({ description: `Such as ${warningCodes.join(', ')}`, examples: ['INSUFFICIENT_BALANCE'] }),
      message: Type.String({ examples: ['The wallet would hold less than the amount of a run'] }),
      ruleIds: Type.Optional(Type.Array(Type.String(), { description: 'For CONFLICTS_WITH_RULE: the other rules' })),
    }),
  ),
})

export function presentPreview(
  terms: RuleTerms,
  {
    available,
    runs,
    warnings,
  }: { available: bigint; runs: readonly PreviewRun[]; warnings: readonly PreviewWarning[] },
  showCurrency: ShowCurrency,
) {
  const { sourceAsset, destinationAsset } = terms
  return {
    description: describeTrigger(terms),
    currency: showCurrency(sourceAsset),
    availableBalance: formatAmount(available, scaleOf(sourceAsset)),
    runs: runs.map(({ scheduledFor, status, reason, amount, destinationAmount }) => ({
      scheduledFor: scheduledFor.toISOString(),
      ...(status ? { runStatus: status } : {}),
      ...(reason ? { reason } : {}),
      ...(amount === undefined ? {} : { sourceAmount: formatAmount(amount, scaleOf(sourceAsset)) }),
      ...(destinationAmount === undefined
        ? {}
        : { destinationAmount: formatAmount(destinationAmount, scaleOf(destinationAsset)) }),
    })),
    warnings,
  }
}
