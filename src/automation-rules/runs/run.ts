import type { Transitions } from '../../lib/transitions.ts'
import type { TriggerType } from '../rule.ts'

export const runStatuses = ['PENDING', 'EXECUTED', 'SKIPPED', 'FAILED'] as const
export type RunStatus = (typeof runStatuses)[number]

/** The whole life of a run. A move that is not in this table cannot happen. */
export const runMoves = {
  /** Its transaction is made. */
  execute: { from: ['PENDING'], to: 'EXECUTED' },
  /** There was nothing to do, or it must not be done now: nobody's mistake. */
  skip: { from: ['PENDING'], to: 'SKIPPED' },
  /** It should have moved something, and could not. */
  fail: { from: ['PENDING'], to: 'FAILED' },
} as const satisfies Transitions<RunStatus>

/** Why nothing was moved, though nothing is wrong with the rule. */
export const skipReasons = [
  ...(['RULE_PAUSED', 'RULE_DELETED', 'CUSTOMER_NOT_ACTIVE', 'PAYMENT_ACCOUNT_NOT_ACTIVE'] as const),
  ...(['NOTHING_TO_MOVE', 'INSUFFICIENT_BALANCE', 'BELOW_THRESHOLD', 'AMOUNT_BELOW_MINIMUM'] as const),
]
export type SkipReason = (typeof skipReasons)[number]

/** Why it could not be moved. Somebody has to look at the rule, or at us. */
export const failReasons = [
  ...(['DEVELOPER_FEE_BELOW_SVC_FEE', 'AMOUNT_ABOVE_MAXIMUM', 'PAYMENT_METHOD_NOT_AVAILABLE'] as const),
  ...(['UNSUPPORTED_ROUTE', 'BAD_REQUEST', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'] as const),
]
export type FailReason = (typeof failReasons)[number]

/** A run as it is stored. The amount is in smallest units of its rule's source asset. */
export type Run = {
  organizationId: string
  runId: string
  ruleId: string
  triggerType: TriggerType
  scheduledFor: Date
  status: RunStatus
  reason: string | null
  amount: string | null
  quoteId: string | null
  transactionId: string | null
  createdAt: Date
  finishedAt: Date | null
}
