import { type IssueCode, isRaisedByChecks } from '../catalog/issues/verification-issues.ts'
import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Audit } from '../db/audit/audit.ts'
import type { Database, Queryable, Tx } from '../db/database.ts'
import { type Caller, isPlatform } from '../lib/caller.ts'
import { newId } from '../lib/ids.ts'
import type { Page, PageRequest, Pages } from '../lib/pages.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import type { VerificationService } from '../verification/service.ts'
import { type Finding, isDoubt } from '../verification/submission.ts'
import type { ReviewAuthority } from './authority.ts'
import { createDocumentOperations, listDocuments, type Watermarker } from './documents.ts'
import { selectNewFindings } from './new-findings.ts'
import { decisionMoves, type Review, type ReviewDecision, type ReviewStatus } from './review.ts'
import * as store from './store.ts'

export type ReviewDeps = {
  database: Database
  pages: Pages
  audit: Audit
  customers: CustomerService
  verification: VerificationService
  watermark: Watermarker
  authority: ReviewAuthority
  /** Resumes or fails the transactions that the review blocked, in the tx of the decision. */
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
  return { ...createReadOperations(deps), ...createDocumentOperations(deps), ...createDecisionOperations(deps) }
}

function createReadOperations({ database, pages, audit, customers, authority }: ReviewDeps) {
  return {
    list: async (caller: Caller, query: ReviewQuery): Promise<Page<Review>> => {
      const { status = 'OPEN', pageToken, pageSize } = query
      const customerId = query.customerId?.toLowerCase()
      const wanted = query.organizationId?.toLowerCase()
      const all = await authority.organizationIdsOf(caller)
      const organizationIds = all.filter((id) => wanted === undefined || id === wanted)
      return pages.read(
        { list: 'reviews', filters: { for: caller.organizationId, organizationId: wanted, status, customerId } },
        { ...(pageToken === undefined ? {} : { pageToken }), ...(pageSize === undefined ? {} : { pageSize }) },
        (slice) => store.listReviews(database, { organizationIds, status, customerId }, slice),
        (review) => review.reviewId,
      )
    },

    /** Reads the review with notes and a list of documents. Notes may name people, so reading them is audited. */
    read: async (caller: Caller, customerId: string) => {
      const opened = await authority.open(caller, customerId)
      const review = await requireReview(database, opened)
      const notes = await customers.readNotes(opened)
      if (notes.length > 0) {
        const { organizationId, customerId: subjectId } = opened.customer
        const act = { actor: actorOf(caller), action: 'customer.notes_read', subjectId }
        await database.inTx((tx) => audit.append(tx, { organizationId, ...act }))
      }
      return { review, notes, documents: listDocuments(customers.readIdentity(opened)) }
    },

    openFor: authority.open,
  }
}

function createDecisionOperations(deps: ReviewDeps) {
  const { customers, verification, authority } = deps
  return {
    /** Keeps other reviewers from deciding for a while. The holder can extend the claim. */
    claim: async (tx: Tx, caller: Caller, { customer }: OpenCustomer, readMinutes: () => number): Promise<Review> => {
      const review = await requireReview(tx, { customer })
      await authority.requireDecider(tx, caller, review)
      // A claim keeps others from the decision, so it needs the same persons.
      authority.requireSecondPerson(caller, review, 'APPROVE')
      await endForeignClaim(tx, review, caller)
      requireAvailable(review, caller)
      if (!(await store.claimReview(tx, customer, actorOf(caller), readMinutes()))) throw changedMeanwhile()
      return requireReview(tx, { customer })
    },

    /** Ends the caller's claim; an expired claim can be released as well. */
    release: async (tx: Tx, caller: Caller, { customer }: OpenCustomer): Promise<Review> => {
      requireAvailable(await requireReview(tx, { customer }), caller)
      await store.releaseReview(tx, customer, actorOf(caller))
      return requireReview(tx, { customer })
    },

    decide: async (tx: Tx, caller: Caller, opened: OpenCustomer, readDecision: () => Decide): Promise<Review> => {
      const review = await requireReview(tx, opened)
      await authority.requireDecider(tx, caller, review)
      await endForeignClaim(tx, review, caller)
      requireAvailable(review, caller)
      const wanted = readDecision()
      authority.requireSecondPerson(caller, review, wanted.decision)
      const { decision, issues: codes = [], reason } = wanted
      requireDecidable(review, wanted)
      const actor = actorOf(caller)
      const judged = { ...opened.customer, version: review.version }
      const isAsked = decision === 'NEEDS_INFO'
      const accepted = isAsked ? verification.hashDoubts(opened, settledDoubts(review, codes)) : []
      const questions = isAsked ? findQuestions(review, codes) : []
      const outcome = { decision, codes, accepted, questions, actor }
      if (!(await store.decideReview(tx, judged, outcome))) throw changedMeanwhile()
      await applyDecision(deps, tx, opened, review, { actor, decision, codes })
      await deps.followDecision(tx, opened.customer, { actor, decision })
      const { reviewId, reason: why, submission } = review
      const details = { reviewId, why, submission, decision, issues: [...codes] }
      await customers.recordAct(tx, opened, { actor, action: 'review.decided', details, reason })
      return requireReview(tx, opened)
    },

    /** Opens a review of a watch-list match, which blocks the customer's payouts. The customer notices nothing. */
    openMatchReview: (
      tx: Tx,
      customer: { organizationId: string; customerId: string },
      findings: readonly Finding[],
    ): Promise<boolean> => store.openMatchReview(tx, customer, newId(), findings),

    /** Opens a review of the matches that no reviewer has seen for this submission; false when there are none. */
    openNewMatches: async (
      tx: Tx,
      customer: { organizationId: string; customerId: string; submission: number },
      findings: readonly Finding[],
    ): Promise<boolean> => {
      const seen = await store.findSeenFindings(tx, customer, customer.submission)
      const unseen = selectNewFindings(findings, seen)
      if (unseen.length > 0) await store.openMatchReview(tx, customer, newId(), unseen)
      return unseen.length > 0
    },
  }
}

async function applyDecision(
  { verification }: ReviewDeps,
  tx: Tx,
  opened: OpenCustomer,
  { reason, customerStatus }: Review,
  { actor, decision, codes }: { actor: string; decision: ReviewDecision; codes: readonly IssueCode[] },
): Promise<void> {
  if (decisionMoves[reason][decision] === 'none') return
  // A confirmed match leaves a deactivated customer deactivated, and blocked if reactivated.
  if (reason === 'WATCH_LIST_HIT' && customerStatus !== 'ACTIVE') return
  await verification.decide(tx, opened, actor, decision, codes)
}

/** Selects the doubts that the reviewer saw and did not ask about: they are settled. Alarms never are. */
function settledDoubts({ findings }: Review, codes: readonly IssueCode[]): Finding[] {
  return findings.filter((finding) => isDoubt(finding) && !codes.includes(finding.code))
}

/** Selects the codes that the checks did not raise about this submission: they cannot judge the answer either. */
function findQuestions({ findings }: Review, codes: readonly IssueCode[]): IssueCode[] {
  const raised = findings.filter(({ code, wasAsked }) => !wasAsked && isRaisedByChecks(code))
  return codes.filter((asked) => !raised.some(({ code }) => code === asked))
}

async function requireReview(database: Queryable, { customer }: Pick<OpenCustomer, 'customer'>): Promise<Review> {
  const review = await store.findReview(database, customer)
  if (!review) throw notFound()
  return review
}

/** Ends the claim of another key for the platform: no organization delays its decision. */
async function endForeignClaim(tx: Tx, review: Review, caller: Caller): Promise<void> {
  if (isPlatform(caller) && review.claimedBy !== null) await store.releaseReview(tx, review, review.claimedBy)
}

/** Refuses a decided or claimed review before the body is read. The update guards against races. */
function requireAvailable(review: Review, caller: Caller): void {
  if (review.status !== 'OPEN') throw new Refusal('CONFLICT', 'This review is already decided')
  if (review.claimedBy !== null && review.claimedBy !== actorOf(caller) && !isPlatform(caller)) {
    throw new Refusal(
      'CONFLICT',
      `Another reviewer has claimed this review until ${review.claimedUntil?.toISOString()}`,
    )
  }
}

function requireDecidable({ reason, version }: Review, wanted: Decide): void {
  if (decisionMoves[reason][wanted.decision] === undefined) {
    throw new Refusal('CONFLICT', `${wanted.decision} is not possible for a review with the reason ${reason}`)
  }
  if (wanted.decision === 'NEEDS_INFO' && (wanted.issues ?? []).length === 0) {
    throw badField('issues', 'must list what the customer has to correct')
  }
  if (wanted.version !== undefined && wanted.version !== version) {
    throw new Refusal('CONFLICT', `The review is at version ${version}: read its new findings and decide again`)
  }
}

function changedMeanwhile(): Refusal {
  return new Refusal('CONFLICT', 'The review was claimed, decided or extended meanwhile: read it again')
}

function actorOf({ apiKeyId }: Caller): string {
  return `api_key:${apiKeyId}`
}
