import type { Transitions } from '../../lib/transitions.ts'
import type { TriggerType } from '../rule.ts'

export const runStatuses = ['PENDING', 'EXECUTED', 'SKIPPED', 'FAILED'] as const
export type RunStatus = (typeof runStatuses)[number]

/** The lifecycle of a run. A move that is not in this table cannot happen. */
export const runMoves = {
  /** The run created its transaction. */
  execute: { from: ['PENDING'], to: 'EXECUTED' },
  /** The run had nothing to move, or may not move it now. The rule itself is valid. */
  skip: { from: ['PENDING'], to: 'SKIPPED' },
  /** The run had an amount to move and could not. */
  fail: { from: ['PENDING'], to: 'FAILED' },
} as const satisfies Transitions<RunStatus>

export const skipReasons = [
  'RULE_PAUSED',
  'RULE_DELETED',
  'CUSTOMER_NOT_ACTIVE',
  'ORGANIZATION_SUSPENDED',
  'PAYMENT_ACCOUNT_NOT_ACTIVE',
  'NOTHING_TO_MOVE',
  'INSUFFICIENT_BALANCE',
  'BELOW_THRESHOLD',
  'AMOUNT_BELOW_MINIMUM',
] as const
export type SkipReason = (typeof skipReasons)[number]

/** Failures that need the integrator to change the rule, or an operator to repair the service. */
export const failReasons = [
  'DEVELOPER_FEE_BELOW_SVC_FEE',
  'AMOUNT_ABOVE_MAXIMUM',
  'PAYMENT_METHOD_NOT_AVAILABLE',
  'UNSUPPORTED_ROUTE',
  'POLICY_REFUSED',
  'BAD_REQUEST',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
] as const
export type FailReason = (typeof failReasons)[number]

export type Run = {
  organizationId: string
  runId: string
  ruleId: string
  triggerType: TriggerType
  scheduledFor: Date
  status: RunStatus
  reason: string | null
  /** Smallest units of the rule's source asset. */
  amount: string | null
  quoteId: string | null
  transactionId: string | null
  createdAt: Date
  finishedAt: Date | null
}
