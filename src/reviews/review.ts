import type { IssueCode } from '../catalog/issues/verification-issues.ts'
import type { CustomerMove, CustomerStatus, CustomerType } from '../customers/customer.ts'
import type { Finding } from '../verification/submission.ts'

/** The checks left a submission to a person; or somebody who is served resembles an entry of a watch list. */
export const reviewReasons = ['MANUAL_SUBMISSION', 'WATCH_LIST_HIT'] as const
export type ReviewReason = (typeof reviewReasons)[number]

export const reviewStatuses = ['OPEN', 'DECIDED'] as const
export type ReviewStatus = (typeof reviewStatuses)[number]

export const reviewDecisions = ['APPROVE', 'NEEDS_INFO', 'REJECT'] as const
export type ReviewDecision = (typeof reviewDecisions)[number]

/** What each decision does to the customer. A decision that is not in this table cannot be made. */
export const decisionMoves: Readonly<Record<ReviewReason, Partial<Record<ReviewDecision, CustomerMove | 'none'>>>> = {
  MANUAL_SUBMISSION: { APPROVE: 'approve', NEEDS_INFO: 'requestInformation', REJECT: 'reject' },
  // To clear a hit changes nothing that the customer could see. To ask for information would tell of it.
  WATCH_LIST_HIT: { APPROVE: 'none', REJECT: 'reject' },
}

/** Only these are compared with new lists: nobody else is served, or can be again. */
export const screenedStatuses: readonly CustomerStatus[] = ['ACTIVE', 'DEACTIVATED']

/** What was found, with all that a person needs to judge it. */
export type ReviewFinding = Finding

export type Review = {
  organizationId: string
  customerId: string
  reviewId: string
  version: number
  reason: ReviewReason
  submission: number
  status: ReviewStatus
  findings: ReviewFinding[]
  openedAt: Date
  /** Absent once the time is over. */
  claimedBy: string | null
  claimedUntil: Date | null
  decision: ReviewDecision | null
  issues: IssueCode[]
  decidedAt: Date | null
  decidedBy: string | null
  customerType: CustomerType
  customerStatus: CustomerStatus
  /** Business time when it was read. */
  now: Date
}
