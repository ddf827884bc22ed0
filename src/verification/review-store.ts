import type { IssueCode } from '../catalog/issues/verification-issues.ts'
import type { Queryable } from '../db/database.ts'
import type { Finding } from './submission.ts'

/** Finds the customers among these with a match that is open, confirmed or not cleared, of a submission or of a list. */
export async function findBlocked(
  database: Queryable,
  organizationId: string,
  customerIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const blocked = await database.query<{ customerId: string }>({
    name: 'find blocked customers',
    text: `select distinct review.customer_id as "customerId" from svc.reviews as review
             join svc.customers as customer on customer.organization_id = review.organization_id
              and customer.customer_id = review.customer_id
            where review.organization_id = $1 and review.customer_id = any($2) and review.has_match
              and (review.status = 'OPEN' or review.decision = 'REJECT'
                or (review.decision = 'NEEDS_INFO' and customer.status <> 'ACTIVE'))`,
    values: [organizationId, customerIds],
  })
  return new Set(blocked.map(({ customerId }) => customerId))
}

/** Finds the hashes of the doubts that reviewers have settled for a customer. */
export async function findAccepted(
  database: Queryable,
  organizationId: string,
  customerId: string,
): Promise<ReadonlySet<string>> {
  const reviews = await database.query<{ accepted: Buffer[] }>({
    name: 'find accepted doubts',
    text: `select accepted from svc.reviews where organization_id = $1 and customer_id = $2 and accepted <> '{}'`,
    values: [organizationId, customerId],
  })
  return new Set(reviews.flatMap(({ accepted }) => accepted.map((hash) => hash.toString('hex'))))
}

/** Finds the hashes of the data that the customer was asked to correct or confirm, in earlier submissions. */
export async function findAskedData(
  database: Queryable,
  { organizationId, customerId, submission }: { organizationId: string; customerId: string; submission: number },
): Promise<ReadonlySet<string>> {
  // The customer was told of no finding of a submission that a reviewer judged.
  const asked = await database.query<{ dataHash: string }>({
    name: 'find asked data',
    text: `select distinct finding->>'dataHash' as "dataHash"
             from svc.submissions as asked, jsonb_array_elements(findings) as finding
            where organization_id = $1 and customer_id = $2 and submission < $3 and finding ? 'dataHash'
              and not exists (select from svc.reviews
                               where organization_id = $1 and customer_id = $2 and submission = asked.submission)`,
    values: [organizationId, customerId, submission],
  })
  return new Set(asked.map(({ dataHash }) => dataHash))
}

/** Finds the codes whose answer a reviewer has to judge: those of the last decision of a reviewer. */
export async function findOpenQuestions(
  database: Queryable,
  organizationId: string,
  customerId: string,
): Promise<IssueCode[]> {
  const [last] = await database.query<{ questions: IssueCode[] }>({
    name: 'find open questions',
    text: `select questions from svc.reviews where organization_id = $1 and customer_id = $2 and status = 'DECIDED'
            order by version desc limit 1`,
    values: [organizationId, customerId],
  })
  return last?.questions ?? []
}

/**
 * Finds the warnings of earlier submissions that no reviewer has judged yet. The customer was asked about something else
 * first, and does not get rid of a warning by changing the birth date or the country meanwhile.
 */
export async function findKeptWarnings(
  database: Queryable,
  { organizationId, customerId, submission }: { organizationId: string; customerId: string; submission: number },
): Promise<Finding[]> {
  const kept = await database.query<{ finding: Finding }>({
    name: 'find kept warnings',
    text: `select distinct finding
             from svc.submissions, jsonb_array_elements(findings) as finding
            where organization_id = $1 and customer_id = $2 and submission < $3
              and submission > coalesce((select max(submission) from svc.reviews
                                          where organization_id = $1 and customer_id = $2 and status = 'DECIDED'), 0)
              and finding->>'code' = 'ADDITIONAL_WARNING' and finding->>'leadsTo' = 'review'`,
    values: [organizationId, customerId, submission],
  })
  return kept.map(({ finding }) => finding)
}
