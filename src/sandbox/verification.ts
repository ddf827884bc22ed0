import type { IssueCode } from '../catalog/issues/verification-issues.ts'
import { customerMoves } from '../customers/customer.ts'
import type { CustomerView } from '../customers/present.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Audit } from '../db/audit/audit.ts'
import type { Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { canMove } from '../lib/transitions.ts'
import type { ReviewService } from '../reviews/service.ts'
import { cannotDecide, type Decision, type VerificationService } from '../verification/service.ts'
import { needsReview } from '../verification/submission.ts'

export type SandboxVerification = ReturnType<typeof createSandboxVerificationService>
type OpenedCustomer = Awaited<ReturnType<CustomerService['openFor']>>

type SandboxVerificationDeps = {
  customers: CustomerService
  verification: VerificationService
  reviews: ReviewService
  audit: Audit
}

/** Decides the verification of a customer at once, so that tests can reach every status and issue code. */
export function createSandboxVerificationService({ customers, verification, reviews, audit }: SandboxVerificationDeps) {
  return {
    /** Opens the customer. Data that came with the customer's creation moves to UNDER_REVIEW first, before a worker does it. */
    open: async (caller: Caller, customerId: string): Promise<OpenedCustomer> => {
      const opened = await customers.openFor(caller, customerId)
      const { organizationId, status, submission } = opened.customer
      if (status !== 'CREATED' || submission === 0) return opened
      await customers.startReview(organizationId, customerId)
      return customers.openFor(caller, customerId)
    },

    decide: async (
      tx: Tx,
      caller: Caller,
      opened: OpenedCustomer,
      readDecision: () => { outcome: Decision; issues?: readonly IssueCode[] },
    ): Promise<CustomerView> => {
      const { status } = opened.customer
      // These statuses allow no decision, so the body does not matter.
      if (!canMove(customerMoves, 'reject', status)) throw cannotDecide(status)
      const { outcome, issues } = readDecision()
      // An ACTIVE customer can still become a watch-list match; other decisions need UNDER_REVIEW.
      const isMatch = status === 'ACTIVE' && outcome === 'REVIEW'
      const isPossible = status === 'UNDER_REVIEW' || outcome === 'REJECT' || isMatch
      if (!isPossible) throw cannotDecide(status)
      const codes = issues ?? defaultIssues(outcome, isMatch)
      const actor = `api_key:${caller.apiKeyId}`
      const findings = codes.map((code) => needsReview(code))
      if (isMatch && !(await reviews.openMatchReview(tx, opened.customer, findings))) throw cannotDecide(status)
      const decided = isMatch ? undefined : await verification.decide(tx, opened, actor, outcome, codes)
      const { organizationId, customerId: subjectId } = opened.customer
      const details = { outcome, issues: [...codes] }
      await audit.append(tx, { organizationId, actor, action: 'sandbox.customer_decided', subjectId, details })
      return decided ?? customers.show(opened)
    },
  }
}

function defaultIssues(outcome: Decision, isMatch: boolean): readonly IssueCode[] {
  if (isMatch) return ['AML_MATCH']
  return outcome === 'NEEDS_INFO' ? ['VERIFICATION_ISSUE'] : []
}
