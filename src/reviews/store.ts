import type { Queryable, Tx } from '../db/database.ts'
import type { Check } from '../db/verify.ts'
import { requireFence } from '../db/work.ts'
import type { PageSlice } from '../lib/pages.ts'
import { type Review, type ReviewDecision, type ReviewFinding, type ReviewStatus, screenedStatuses } from './review.ts'

type CustomerKey = { organizationId: string; customerId: string }

const columns = `review.organization_id as "organizationId", review.customer_id as "customerId",
  review.review_id as "reviewId", review.version, review.reason, review.submission, review.status, review.findings,
  review.has_match as "hasMatch",
  review.opened_at as "openedAt", review.decision, review.issues, review.decided_at as "decidedAt",
  review.decided_by as "decidedBy", svc.now() as now,
  case when review.claimed_until > clock_timestamp() then review.claimed_by end as "claimedBy",
  case when review.claimed_until > clock_timestamp() then review.claimed_until end as "claimedUntil"`

const customerColumns = 'customer.customer_type as "customerType", customer.status as "customerStatus"'

export type ReviewFilter = { organizationIds: readonly string[]; status: ReviewStatus; customerId: string | undefined }

/** Lists reviews oldest first. Review ids increase with time, so each organization's page comes from the index. */
export function listReviews(database: Queryable, filter: ReviewFilter, slice: PageSlice): Promise<Review[]> {
  return database.query<Review>({
    name: 'list reviews',
    text: `select ${columns}, ${customerColumns} from unnest($1::uuid[]) as mine (organization_id)
             cross join lateral (
               select organization_id, customer_id, review_id, version, reason, submission, status, findings, has_match,
                      opened_at, claimed_by, claimed_until, decision, issues, decided_at, decided_by
                 from svc.reviews
                where organization_id = mine.organization_id and status = $2
                  and ($3::uuid is null or customer_id = $3) and ($4::uuid is null or review_id > $4)
                order by review_id limit $5) as review
             join svc.customers as customer
               on customer.organization_id = review.organization_id and customer.customer_id = review.customer_id
            order by review.review_id limit $5`,
    values: [filter.organizationIds, filter.status, filter.customerId ?? null, slice.after ?? null, slice.limit],
  })
}

/** Finds a customer's open review, or else the latest one. */
export async function findReview(
  database: Queryable,
  { organizationId, customerId }: CustomerKey,
): Promise<Review | undefined> {
  const [found] = await database.query<Review>({
    name: 'find review',
    text: `select ${columns}, ${customerColumns}
             from svc.reviews as review
             join svc.customers as customer
               on customer.organization_id = review.organization_id and customer.customer_id = review.customer_id
            where review.organization_id = $1 and review.customer_id = $2
            order by review.version desc limit 1`,
    values: [organizationId, customerId],
  })
  return found
}

/** Claims the open review in real time; false when another reviewer holds it or none is open. */
export async function claimReview(
  tx: Tx,
  { organizationId, customerId }: CustomerKey,
  actor: string,
  minutes: number,
): Promise<boolean> {
  const claimed = await tx.query({
    name: 'claim review',
    text: `update svc.reviews
              set claimed_by = $3, claimed_until = clock_timestamp() + $4 * interval '1 minute'
            where organization_id = $1 and customer_id = $2 and status = 'OPEN'
              and (claimed_by is null or claimed_by = $3 or claimed_until <= clock_timestamp())
        returning review_id`,
    values: [organizationId, customerId, actor, minutes],
  })
  return claimed.length > 0
}

export async function releaseReview(tx: Tx, { organizationId, customerId }: CustomerKey, actor: string): Promise<void> {
  await tx.query({
    name: 'release review',
    text: `update svc.reviews set claimed_by = null, claimed_until = null
            where organization_id = $1 and customer_id = $2 and status = 'OPEN' and claimed_by = $3`,
    values: [organizationId, customerId, actor],
  })
}

export type ReviewOutcome = {
  decision: ReviewDecision
  codes: readonly string[]
  /** Hashes of the doubts that are settled by this decision. */
  accepted: readonly Buffer[]
  /** Codes whose answer a reviewer has to judge. */
  questions: readonly string[]
  actor: string
}

/**
 * Decides the version of the review that the reviewer judged. Returns false, and writes nothing, when the review is
 * decided, has a newer version, is claimed by another reviewer, or is about an older submission of the customer.
 */
export async function decideReview(
  tx: Tx,
  { organizationId, customerId, version, submission }: CustomerKey & { version: number; submission: number },
  { decision, codes, accepted, questions, actor }: ReviewOutcome,
): Promise<boolean> {
  const decided = await tx.query({
    name: 'decide review',
    text: `update svc.reviews
              set status = 'DECIDED', decision = $5, issues = $6, decided_by = $7, accepted = $8, questions = $9,
                  decided_at = svc.now(), claimed_by = null, claimed_until = null
            where organization_id = $1 and customer_id = $2 and version = $3 and submission = $4 and status = 'OPEN'
              and (claimed_by is null or claimed_by = $7 or claimed_until <= clock_timestamp())
        returning review_id`,
    values: [
      organizationId,
      customerId,
      version,
      submission,
      decision,
      JSON.stringify(codes),
      actor,
      accepted,
      questions,
    ],
  })
  return decided.length > 0
}

/** Opens a review of a served customer, or adds to the open one; false when the customer is not served. */
export async function openMatchReview(
  tx: Tx,
  { organizationId, customerId }: CustomerKey,
  reviewId: string,
  findings: readonly ReviewFinding[],
): Promise<boolean> {
  const opened = await tx.query({
    name: 'open match review',
    text: `insert into svc.reviews as review
                  (organization_id, customer_id, review_id, version, reason, submission, findings, opened_at)
           select organization_id, customer_id, $3,
                  (select coalesce(max(version), 0) + 1 from svc.reviews where organization_id = $1 and customer_id = $2),
                  'WATCH_LIST_HIT', submission, $4, svc.now()
             from svc.customers
            where organization_id = $1 and customer_id = $2 and status = any($5) and erased_at is null
               on conflict (organization_id, customer_id) where status = 'OPEN'
               do update set findings = review.findings || excluded.findings, version = review.version + 1
        returning review_id`,
    values: [organizationId, customerId, reviewId, JSON.stringify(findings), screenedStatuses],
  })
  if (opened.length === 0) return false
  // Every writer locks the review before the customer. An erasure that began before this review wins.
  const locked = await tx.query({
    name: 'lock screened customer',
    text: `select customer_id from svc.customers
            where organization_id = $1 and customer_id = $2 and erased_at is null for share`,
    values: [organizationId, customerId],
  })
  requireFence(locked)
  return true
}

/** Finds all findings in reviews of this submission, decided or open. */
export async function findSeenFindings(
  tx: Tx,
  { organizationId, customerId }: CustomerKey,
  submission: number,
): Promise<ReviewFinding[]> {
  const reviews = await tx.query<{ findings: ReviewFinding[] }>({
    name: 'find seen findings',
    text: `select findings from svc.reviews where organization_id = $1 and customer_id = $2 and submission = $3`,
    values: [organizationId, customerId, submission],
  })
  return reviews.flatMap((review) => review.findings)
}

/** Says why a customer cannot be erased: a reviewer has to decide an open review first. */
export async function findErasureObstacle(
  tx: Tx,
  organizationId: string,
  customerId: string,
): Promise<string | undefined> {
  const open = await tx.query({
    name: 'find open review',
    text: `select review_id from svc.reviews where organization_id = $1 and customer_id = $2 and status = 'OPEN'`,
    values: [organizationId, customerId],
  })
  return open.length > 0 ? 'A review of this customer is open: decide it first' : undefined
}

export const reviewChecks: readonly Check[] = [
  {
    name: 'every submission left to a reviewer has an open review',
    sql: `select format('submission %s of customer %s waits for a reviewer and has no open review',
                   submission.submission, submission.customer_id) as violation
            from svc.submissions as submission
            join svc.customers as customer on customer.organization_id = submission.organization_id
             and customer.customer_id = submission.customer_id and customer.submission = submission.submission
             and customer.status = 'UNDER_REVIEW'
            left join svc.reviews as review on review.organization_id = submission.organization_id
             and review.customer_id = submission.customer_id and review.submission = submission.submission
             and review.status = 'OPEN'
           where submission.state = 'MANUAL' and review.review_id is null`,
  },
  {
    name: 'every active or deactivated customer is screened',
    sql: `select format('customer %s is %s and is not screened', customer.customer_id, customer.status) as violation
            from svc.customers as customer
            left join svc.screenings as screening on screening.organization_id = customer.organization_id
             and screening.customer_id = customer.customer_id
           where customer.status in ('ACTIVE', 'DEACTIVATED') and screening.customer_id is null`,
  },
]
