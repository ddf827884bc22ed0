import type { IssueCode } from '../catalog/issues/verification-issues.ts'
import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Audit } from '../db/audit/audit.ts'
import type { Database, Queryable, Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import type { VerificationService } from '../verification/service.ts'
import type { Finding } from '../verification/submission.ts'
import { newFindings } from './new-findings.ts'
import { decisionMoves, type Review, type ReviewDecision, type ReviewStatus } from './review.ts'
import * as store from './store.ts'

export type ReviewDeps = {
  database: Database
  pages: Pages
  audit: Audit
  customers: CustomerService
  verification: VerificationService
  /** What had stopped because of the customer: looked at in the transaction of the decision. */
  followDecision(
    tx: Tx,
    customer: { organizationId: string; customerId: string },
    act: { actor: string; decision: ReviewDecision },
  ): Promise<void>
}

export type ReviewQuery = PageRequest & { status?: ReviewStatus; customerId?: string; organizationId?: string }
export type Decide = { decision: ReviewDecision; issues?: readonly IssueCode[]; reason: string; version?: number }
export type ReviewService = ReturnType<typeof createReviewService>

export function createReviewService(deps: ReviewDeps) {
  return { ...createReadOperations(deps), ...createDecisionOperations(deps) }
}

function createReadOperations({ database, pages, audit, customers }: ReviewDeps) {
  return {
    list: (caller: Caller, query: ReviewQuery): Promise<Page<Review>> => {
      const { status = 'OPEN', pageToken, pageSize } = query
      const customerId = query.customerId?.toLowerCase()
      const wanted = query.organizationId?.toLowerCase()
      const organizationIds = caller.organizationIds.filter((id) => wanted === undefined || id === wanted)
      return pages.read(
        { list: 'reviews', filters: { for: caller.organizationId, organizationId: wanted, status, customerId } },
        { ...(pageToken === undefined ? {} : { pageToken }), ...(pageSize === undefined ? {} : { pageSize }) },
        (slice) => store.listReviews(database, { organizationIds, status, customerId }, slice),
        (review) => review.reviewId,
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
        await database.inTx((tx) => audit.append(tx, { organizationId, ...act }))
      }
      return { review, notes }
    },

    openFor: (caller: Caller, customerId: string) => customers.openFor(caller, customerId),
  }
}

function createDecisionOperations(deps: ReviewDeps) {
  const { customers } = deps
  return {
    /** Keeps others from deciding for a while; by whoever holds it, for longer. */
    claim: async (tx: Tx, caller: Caller, { row }: OpenCustomer, readMinutes: () => number): Promise<Review> => {
      requireFree(await requireReview(tx, { row }), caller)
      if (!(await store.claimReview(tx, row, actorOf(caller), readMinutes()))) throw takenMeanwhile()
      return requireReview(tx, { row })
    },

    /** Lets others decide. What nobody holds any more can be released as well. */
    release: async (tx: Tx, caller: Caller, { row }: OpenCustomer): Promise<Review> => {
      requireFree(await requireReview(tx, { row }), caller)
      await store.releaseReview(tx, row, actorOf(caller))
      return requireReview(tx, { row })
    },

    decide: async (tx: Tx, caller: Caller, customer: OpenCustomer, readDecision: () => Decide): Promise<Review> => {
      const review = await requireReview(tx, customer)
      requireFree(review, caller)
      const wanted = readDecision()
      const { decision, issues: codes = [], reason } = wanted
      requirePossible(review, wanted)
      const actor = actorOf(caller)
      const looked = { ...customer.row, version: review.version }
      if (!(await store.decideReview(tx, looked, { decision, codes, actor }))) throw takenMeanwhile()
      await carryOut(deps, tx, customer, review, { actor, decision, codes })
      await deps.followDecision(tx, customer.row, { actor, decision })
      const { reviewId, reason: why, submission } = review
      const details = { reviewId, why, submission, decision, issues: [...codes] }
      await customers.recordAct(tx, customer, { actor, action: 'review.decided', details, reason })
      return requireReview(tx, customer)
    },

    /** Blocks what leaves the customer, and asks a person. The customer is served as before, as far as it can see. */
    openMatch: (
      tx: Tx,
      customer: { organizationId: string; customerId: string },
      findings: readonly Finding[],
    ): Promise<boolean> => store.openMatch(tx, customer, newId(), findings),

    /** The same for what no person has seen yet about this submission; says whether there was any. */
    openNewMatches: async (
      tx: Tx,
      customer: { organizationId: string; customerId: string; submission: number },
      findings: readonly Finding[],
    ): Promise<boolean> => {
      const seen = await store.findSeenFindings(tx, customer, customer.submission)
      const fresh = newFindings(findings, seen)
      if (fresh.length > 0) await store.openMatch(tx, customer, newId(), fresh)
      return fresh.length > 0
    },
  }
}

async function carryOut(
  { verification }: ReviewDeps,
  tx: Tx,
  customer: OpenCustomer,
  { reason, customerStatus }: Review,
  { actor, decision, codes }: { actor: string; decision: ReviewDecision; codes: readonly IssueCode[] },
): Promise<void> {
  if (decisionMoves[reason][decision] === 'none') return
  // Who was deactivated stays so when a hit is confirmed, and stays blocked, should it ever be served again.
  if (reason === 'WATCH_LIST_HIT' && customerStatus !== 'ACTIVE') return
  await verification.decide(tx, customer, actor, decision, codes)
}

async function requireReview(database: Queryable, { row }: Pick<OpenCustomer, 'row'>): Promise<Review> {
  const review = await store.findReview(database, row)
  if (!review) throw notFound()
  return review
}

/** The state is told before anything is said about the body; the update guards it once more. */
function requireFree(review: Review, caller: Caller): void {
  if (review.status !== 'OPEN') throw new Refusal('CONFLICT', 'This review has been decided')
  if (review.claimedBy !== null && review.claimedBy !== actorOf(caller)) {
    throw new Refusal('CONFLICT', `This review is claimed until ${review.claimedUntil?.toISOString()}`)
  }
}

function requirePossible({ reason, version }: Review, wanted: Decide): void {
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
