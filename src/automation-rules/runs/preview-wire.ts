import Type from 'typebox'
import { scaleOf } from '../../catalog/currencies.ts'
import { CurrencyAnswer, oneOf, resource, Timestamp } from '../../http/wire.ts'
import { formatAmount } from '../../lib/money.ts'
import type { RuleTerms, ShowCurrency } from '../request.ts'
import { inWords } from '../triggers/words.ts'
import { type PreviewRun, type Warning, warningCodes } from './preview.ts'
import { runStatuses } from './run.ts'

export const PreviewAnswer = resource('AutomationRulePreview', {
  description: Type.String({ description: 'When it fires', examples: ['At 09:00, only on Monday (UTC)'] }),
  currency: CurrencyAnswer,
  availableBalance: Type.String({ description: 'What can be moved now', examples: ['100.000000'] }),
  runs: Type.Array(
    resource('AutomationRulePreviewRun', {
      scheduledFor: Timestamp,
      runStatus: Type.Optional(oneOf(runStatuses, 'What it would come to; absent when it was not played through')),
      reason: Type.Optional(Type.String({ description: 'Why it would move nothing', examples: ['NOTHING_TO_MOVE'] })),
      sourceAmount: Type.Optional(Type.String({ examples: ['50.000000'] })),
      destinationAmount: Type.Optional(Type.String({ description: 'At the price of now', examples: ['49.75'] })),
    }),
    { description: 'In order. Of THRESHOLD_BASED: one, now, when enough is available' },
  ),
  warnings: Type.Array(
    resource('AutomationRuleWarning', {
      code: Type.String({ description: `Such as ${warningCodes.join(', ')}`, examples: ['INSUFFICIENT_BALANCE'] }),
      message: Type.String({ examples: ['A run finds less in the wallet than it is to move'] }),
      ruleIds: Type.Optional(Type.Array(Type.String(), { description: 'Of CONFLICTS_WITH_RULE: which' })),
    }),
  ),
})

export function presentPreview(
  terms: RuleTerms,
  { available, runs, warnings }: { available: bigint; runs: readonly PreviewRun[]; warnings: readonly Warning[] },
  showCurrency: ShowCurrency,
) {
  const { sourceAsset, destinationAsset } = terms
  return {
    description: inWords(terms),
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
