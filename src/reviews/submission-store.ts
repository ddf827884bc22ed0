import type { Tx } from '../db/database.ts'
import { newId } from '../lib/ids.ts'
import type { ReviewFinding } from './review.ts'

type CustomerKey = { organizationId: string; customerId: string }

/** Opens the review of a submission, unless the customer has an open one. */
export async function openSubmissionReview(
  tx: Tx,
  { organizationId, customerId, submission, findings }: CustomerKey & { submission: number; findings: ReviewFinding[] },
): Promise<void> {
  await tx.query({
    name: 'open submission review',
    text: `insert into svc.reviews
                  (organization_id, customer_id, review_id, version, reason, submission, findings, opened_at)
           select $1, $2, $3, coalesce(max(version), 0) + 1, 'MANUAL_SUBMISSION', $4, $5, svc.now()
             from svc.reviews where organization_id = $1 and customer_id = $2
               on conflict (organization_id, customer_id) where status = 'OPEN' do nothing`,
    values: [organizationId, customerId, newId(), submission, JSON.stringify(findings)],
  })
}

export type ClosedReview = { decision: 'APPROVE' | 'NEEDS_INFO' | 'REJECT'; codes: readonly string[]; actor: string }

/** Closes the customer's open review, if any, with a decision made elsewhere. */
export async function closeReview(
  tx: Tx,
  { organizationId, customerId }: CustomerKey,
  { decision, codes, actor }: ClosedReview,
): Promise<void> {
  await tx.query({
    name: 'close review',
    text: `update svc.reviews
              set status = 'DECIDED', decision = $3, issues = $4, decided_by = $5, decided_at = svc.now(),
                  claimed_by = null, claimed_until = null
            where organization_id = $1 and customer_id = $2 and status = 'OPEN'`,
    values: [organizationId, customerId, decision, JSON.stringify(codes), actor],
  })
}

/** Removes the watch-list entries from the findings of an erased customer: an entry would reveal the name. */
export async function eraseReviewMatches(tx: Tx, organizationId: string, customerId: string): Promise<void> {
  await tx.query({
    name: 'erase matches of reviews',
    text: `update svc.reviews
              set accepted = '{}',
                  findings = (select coalesce(jsonb_agg(finding - 'watchList' - 'dataHash' order by place), '[]')
                                from jsonb_array_elements(findings) with ordinality as found (finding, place))
            where organization_id = $1 and customer_id = $2`,
    values: [organizationId, customerId],
  })
}
