import Type from 'typebox'
import { type Asset, scaleOf } from '../../catalog/currencies.ts'
import { exampleRun } from '../../http/examples/rules.ts'
import { payout } from '../../http/examples/story.ts'
import { oneOf, resource, Timestamp, Uuid } from '../../http/wire.ts'
import { formatAmount } from '../../lib/money.ts'
import { triggerTypes } from '../rule.ts'
import { failReasons, type Run, runStatuses, skipReasons } from './run.ts'

export const RunAnswer = resource(
  'AutomationRuleRun',
  {
    runId: Uuid,
    ruleId: Type.String({ examples: [payout.ruleId] }),
    triggerType: oneOf(triggerTypes),
    scheduledFor: {
      ...Timestamp,
      description: 'The minute of the schedule, or when the balance reached the threshold',
    },
    runStatus: oneOf(runStatuses, 'PENDING until the run has ended'),
    reason: Type.Optional(
      Type.String({
        description: `Why the run moved nothing. SKIPPED: ${skipReasons.join(', ')}. FAILED: ${failReasons.join(', ')}`,
        examples: ['INSUFFICIENT_BALANCE'],
      }),
    ),
    sourceAmount: Type.Optional(
      Type.String({ description: 'The amount that the run moved', examples: ['100.000000'] }),
    ),
    quoteId: Type.Optional(Uuid),
    transactionId: Type.Optional(Uuid),
    createdAt: Timestamp,
    finishedAt: Type.Optional(Timestamp),
  },
  exampleRun,
)

/** Presents a run, in answers and in events alike. */
export function presentRun(run: Run, sourceAsset: Asset) {
  return {
    runId: run.runId,
    ruleId: run.ruleId,
    triggerType: run.triggerType,
    scheduledFor: run.scheduledFor.toISOString(),
    runStatus: run.status,
    // The reason of a retry is internal.
    ...(run.reason === null || run.status === 'PENDING' ? {} : { reason: run.reason }),
    ...(run.amount === null ? {} : { sourceAmount: formatAmount(BigInt(run.amount), scaleOf(sourceAsset)) }),
    ...(run.quoteId === null ? {} : { quoteId: run.quoteId }),
    ...(run.transactionId === null ? {} : { transactionId: run.transactionId }),
    createdAt: run.createdAt.toISOString(),
    ...(run.finishedAt === null ? {} : { finishedAt: run.finishedAt.toISOString() }),
  }
}
