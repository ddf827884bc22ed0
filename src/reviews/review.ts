import type { IssueCode } from '../catalog/issues/verification-issues.ts'
import type { CustomerMove, CustomerStatus, CustomerType } from '../customers/customer.ts'
import type { Finding } from '../verification/submission.ts'

/** The checks left a submission to a reviewer, or a served customer matches an entry of a watch list. */
export const reviewReasons = ['MANUAL_SUBMISSION', 'WATCH_LIST_HIT'] as const
export type ReviewReason = (typeof reviewReasons)[number]

export const reviewStatuses = ['OPEN', 'DECIDED'] as const
export type ReviewStatus = (typeof reviewStatuses)[number]

export const reviewDecisions = ['APPROVE', 'NEEDS_INFO', 'REJECT'] as const
export type ReviewDecision = (typeof reviewDecisions)[number]

/** The move of the customer that each decision makes. The API refuses a decision that is not in this table. */
export const decisionMoves: Readonly<Record<ReviewReason, Partial<Record<ReviewDecision, CustomerMove | 'none'>>>> = {
  MANUAL_SUBMISSION: { APPROVE: 'approve', NEEDS_INFO: 'requestInformation', REJECT: 'reject' },
  // Clearing a match changes nothing for the customer. NEEDS_INFO would reveal the match.
  WATCH_LIST_HIT: { APPROVE: 'none', REJECT: 'reject' },
}

/** Re-screened against each new list: customers in any other status are not served and cannot be served again. */
export const screenedStatuses: readonly CustomerStatus[] = ['ACTIVE', 'DEACTIVATED']

/** A finding of verification. The stores import it from here, because a store knows its own capability only. */
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
  /** Whether one of the findings is a match: the database derives it. */
  hasMatch: boolean
  openedAt: Date
  /** Null once the claim has expired. */
  claimedBy: string | null
  claimedUntil: Date | null
  decision: ReviewDecision | null
  issues: IssueCode[]
  decidedAt: Date | null
  decidedBy: string | null
  customerType: CustomerType
  customerStatus: CustomerStatus
  /** Business time of the read. */
  now: Date
}
