import type { IssueCode } from '../catalog/issues/verification-issues.ts'
import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Audit } from '../db/audit/audit.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import type { VerificationService } from '../verification/service.ts'
import type { Finding } from '../verification/submission.ts'
import { newFindings } from './new-findings.ts'
import { decisionMoves, type ReviewDecision, type ReviewRow, type ReviewStatus } from './review.ts'
import * as store from './store.ts'

export type ReviewOptions = {
  database: Database
  pages: Pages
  audit: Audit
  customers: CustomerService
  verification: VerificationService
  /** What had stopped because of the customer: looked at in the transaction of the decision. */
  followDecision(
    transaction: Queryable,
    customer: { organizationId: string; customerId: string },
    act: { actor: string; decision: ReviewDecision },
  ): Promise<void>
}

export type ReviewQuery = PageRequest & { status?: ReviewStatus; customerId?: string; organizationId?: string }
export type Decide = { decision: ReviewDecision; issues?: readonly IssueCode[]; reason: string; version?: number }
export type ReviewService = ReturnType<typeof makeReviewService>

export function makeReviewService(options: ReviewOptions) {
  return { ...makeReading(options), ...makeDeciding(options) }
}

function makeReading({ database, pages, audit, customers }: ReviewOptions) {
  return {
    list: (caller: Caller, query: ReviewQuery): Promise<Page<ReviewRow>> => {
      const { status = 'OPEN', pageToken, pageSize } = query
      const customerId = query.customerId?.toLowerCase()
      const wanted = query.organizationId?.toLowerCase()
      const organizationIds = caller.organizationIds.filter((id) => wanted === undefined || id === wanted)
      return pages.read(
        { list: 'reviews', filters: { for: caller.organizationId, organizationId: wanted, status, customerId } },
        { ...(pageToken === undefined ? {} : { pageToken }), ...(pageSize === undefined ? {} : { pageSize }) },
        (slice) => store.listReviews(database, { organizationIds, status, customerId }, slice),
        (row) => row.reviewId,
      )
    },

    /** With the notes about the customer. They may name people: to read them is an act of its own. */
    read: async (caller: Caller, customerId: string) => {
      const customer = await customers.openFor(caller, customerId)
      const review = await requireReview(database, customer)
      const notes = await customers.readNotes(customer)
      if (notes.length > 0) {
        const { organizationId, customerId: subjectId } = customer.row
        const act = { actor: actorOf(caller), action: 'customer.notes_read', subjectId }
        await database.transaction((transaction) => audit.append(transaction, { organizationId, ...act }))
      }
      return { review, notes }
    },

    openFor: (caller: Caller, customerId: string) => customers.openFor(caller, customerId),
  }
}

function makeDeciding(options: ReviewOptions) {
  const { customers } = options
  return {
    /** Keeps others from deciding for a while; by whoever holds it, for longer. */
    claim: async (
      transaction: Queryable,
      caller: Caller,
      { row }: OpenCustomer,
      readMinutes: () => number,
    ): Promise<ReviewRow> => {
      requireFree(await requireReview(transaction, { row }), caller)
      if (!(await store.claimReview(transaction, row, actorOf(caller), readMinutes()))) throw takenMeanwhile()
      return requireReview(transaction, { row })
    },

    /** Lets others decide. What nobody holds any more can be released as well. */
    release: async (transaction: Queryable, caller: Caller, { row }: OpenCustomer): Promise<ReviewRow> => {
      requireFree(await requireReview(transaction, { row }), caller)
      await store.releaseReview(transaction, row, actorOf(caller))
      return requireReview(transaction, { row })
    },

    decide: async (
      transaction: Queryable,
      caller: Caller,
      customer: OpenCustomer,
      readDecision: () => Decide,
    ): Promise<ReviewRow> => {
      const review = await requireReview(transaction, customer)
      requireFree(review, caller)
      const wanted = readDecision()
      const { decision, issues: codes = [], reason } = wanted
      requirePossible(review, wanted)
      const actor = actorOf(caller)
      const looked = { ...customer.row, version: review.version }
      if (!(await store.decideReview(transaction, looked, { decision, codes, actor }))) throw takenMeanwhile()
      await carryOut(options, transaction, customer, review, { actor, decision, codes })
      await options.followDecision(transaction, customer.row, { actor, decision })
      const { reviewId, reason: why, submission } = review
      const details = { reviewId, why, submission, decision, issues: [...codes] }
      await customers.recordAct(transaction, customer, { actor, action: 'review.decided', details, reason })
      return requireReview(transaction, customer)
    },

    /** Blocks what leaves the customer, and asks a person. The customer is served as before, as far as it can see. */
    openHit: (
      transaction: Queryable,
      customer: { organizationId: string; customerId: string },
      findings: readonly Finding[],
    ): Promise<boolean> => store.openHit(transaction, customer, newId(), findings),

    /** The same for what no person has seen yet about this submission; says whether there was any. */
    openNewHits: async (
      transaction: Queryable,
      customer: { organizationId: string; customerId: string; submission: number },
      findings: readonly Finding[],
    ): Promise<boolean> => {
      const seen = await store.findSeenFindings(transaction, customer, customer.submission)
      const fresh = newFindings(findings, seen)
      if (fresh.length > 0) await store.openHit(transaction, customer, newId(), fresh)
      return fresh.length > 0
    },
  }
}

async function carryOut(
  { verification }: ReviewOptions,
  transaction: Queryable,
  customer: OpenCustomer,
  { reason, customerStatus }: ReviewRow,
  { actor, decision, codes }: { actor: string; decision: ReviewDecision; codes: readonly IssueCode[] },
): Promise<void> {
  if (decisionMoves[reason][decision] === 'none') return
  // Who was deactivated stays so when a hit is confirmed, and stays blocked, should it ever be served again.
  if (reason === 'WATCH_LIST_HIT' && customerStatus !== 'ACTIVE') return
  await verification.decide(transaction, customer, actor, decision, codes)
}

async function requireReview(database: Queryable, { row }: Pick<OpenCustomer, 'row'>): Promise<ReviewRow> {
  const review = await store.findReview(database, row)
  if (!review) throw notFound()
  return review
}

/** The state is told before anything is said about the body; the update guards it once more. */
function requireFree(review: ReviewRow, caller: Caller): void {
  if (review.status !== 'OPEN') throw new Refusal('CONFLICT', 'This review has been decided')
  if (review.claimedBy !== null && review.claimedBy !== actorOf(caller)) {
    throw new Refusal('CONFLICT', `This review is claimed until ${review.claimedUntil?.toISOString()}`)
  }
}

function requirePossible({ reason, version }: ReviewRow, wanted: Decide): void {
  if (decisionMoves[reason][wanted.decision] === undefined) {
    throw new Refusal('CONFLICT', `${wanted.decision} is not possible about a ${reason}`)
  }
  if (wanted.decision === 'NEEDS_INFO' && (wanted.issues ?? []).length === 0) {
    throw badField('issues', 'must say what the customer is to correct')
  }
  if (wanted.version !== undefined && wanted.version !== version) {
    throw new Refusal('CONFLICT', `This is version ${version} of the review: look at what was found since`)
  }
}

function takenMeanwhile(): Refusal {
  return new Refusal('CONFLICT', 'Somebody else was first, or more was found: look at the review again')
}

function actorOf({ apiKeyId }: Caller): string {
  return `api_key:${apiKeyId}`
}
