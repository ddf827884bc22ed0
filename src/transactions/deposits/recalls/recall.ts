import type { FiatLabel } from '../../../catalog/currencies.ts'
import type { Transitions } from '../../../lib/transitions.ts'

/** OPEN and ACCEPTED hold all of the deposit that has not left. SETTLED: the bank took the money back. */
export const recallStatuses = ['OPEN', 'ACCEPTED', 'REJECTED', 'SETTLED'] as const
export type RecallStatus = (typeof recallStatuses)[number]

export const recallDecisions = ['ACCEPT', 'REJECT'] as const
export type RecallDecision = (typeof recallDecisions)[number]

/** The life of a recall. The bank may withdraw one that was accepted: the operator of the deployment releases the money. */
export const recallMoves = {
  accept: { from: ['OPEN'], to: 'ACCEPTED' },
  reject: { from: ['OPEN'], to: 'REJECTED' },
  release: { from: ['ACCEPTED'], to: 'REJECTED' },
  settle: { from: ['OPEN', 'ACCEPTED'], to: 'SETTLED' },
} as const satisfies Transitions<RecallStatus>

/** The latest recall of a deposit. */
export type ShownRecall = {
  recallId: string
  status: RecallStatus
  /** The bank's reason, such as DUPL, TECH or FRAD of ISO 20022. */
  code: string
  /** In smallest units. */
  amount: string
  recordedAt: string
  decidedAt: string | null
}

/** A payment that a recall may name, with its deposit once that exists. */
export type RecalledDeposit = {
  book: string
  externalId: string
  organizationId: string | null
  depositId: string | null
  customerId: string | null
}

/** A recall as a bank told it. It has no payments while no entry of ours fits, and several when its ids disagree. */
export type Recall = {
  bankRecallId: string
  /** Null when the bank told no amount: it wants all of the payment. */
  currency: FiatLabel | null
  amount: string | null
  code: string
  status: RecallStatus
  recordedAt: Date
  payments: readonly RecalledDeposit[]
}

/** True while a recall holds its deposit. */
export function isHolding(recall: { status: RecallStatus } | null): boolean {
  return recall !== null && (recallMoves.settle.from as readonly RecallStatus[]).includes(recall.status)
}

/** True when a reviewer of the organization may release the money: no fraud is suspected, and no bank was promised it. */
export function mayReviewerReject({ status, code }: Pick<Recall, 'status' | 'code'>): boolean {
  return status === 'OPEN' && !/^frau?d/i.test(code)
}
