import type { IssueCode } from '../catalog/issues/verification-issues.ts'
import type { VerificationIssue } from '../customers/customer.ts'
import type { CustomerView } from '../customers/present.ts'
import type { OpenCustomer } from '../customers/sealed-customer.ts'
import { readClock } from '../db/business-clock.ts'
import type { Queryable, Tx } from '../db/database.ts'
import { advanceDue, LeaseLost, whileLeased } from '../db/work.ts'
import { newId } from '../lib/ids.ts'
import { Refusal } from '../lib/refusal.ts'
import { type AssessDeps, assess, hashDoubts, settledDoubts } from './assess.ts'
import { messageOf } from './issue-messages.ts'
import { automaticLateBefore, manualLateBefore } from './promise.ts'
import { type HandedOverSubmission, insertRequest } from './provider/store.ts'
import { findBlocked } from './review-store.ts'
import * as store from './store.ts'
import { type Finding, needsReview, type SandboxVerdict, verdictOf } from './submission.ts'

export type VerificationDeps = AssessDeps & {
  /** True when a submission that the customer need not correct goes to an outside provider before the outcome. */
  asksProvider: boolean
  reviews: SubmissionReviews
  onDecided(outcome: string, seconds: number): void
  onFailure(error: unknown): void
}

/** Opens and closes reviews of submissions, in the tx that changes the submission. */
export type SubmissionReviews = {
  open(tx: Tx, submission: store.UpdatedSubmission): Promise<void>
  close(
    tx: Tx,
    customer: { organizationId: string; customerId: string },
    outcome: { decision: Exclude<Decision, 'REVIEW'>; codes: readonly IssueCode[]; actor: string },
  ): Promise<void>
}

/** A decision about a submission, made by the checks, a reviewer or the sandbox. */
export type Decision = 'APPROVE' | 'NEEDS_INFO' | 'REJECT' | 'REVIEW'

export type VerificationService = ReturnType<typeof createVerificationService>

const moveOfDecision = { APPROVE: 'approve', NEEDS_INFO: 'requestInformation', REJECT: 'reject' } as const

export function createVerificationService(deps: VerificationDeps) {
  const { database, customers } = deps
  return {
    due: store.dueSubmissions,
    hasAwaitingList: store.hasAwaitingList,

    /** Advances up to `limit` due submissions by one step. */
    advanceDue: (limit: number, leaseMs: number): Promise<number> =>
      advanceDue({
        claim: () => store.claimSubmissions(database, { limit, leaseMs }),
        advance: (submission) =>
          submission.state === 'QUEUED' ? start(deps, submission) : check(deps, submission, leaseMs),
        postpone: (submission) => postponeOrLeaveToReviewer(deps, submission),
        onFailure: deps.onFailure,
      }),

    /** Decides at once, without the checks. `actor` is the deciding party as the audit log names it. */
    decide: async (
      tx: Tx,
      opened: OpenCustomer,
      actor: string,
      decision: Decision,
      codes: readonly IssueCode[],
    ): Promise<CustomerView | undefined> => {
      if (decision === 'REVIEW') {
        const doubts = codes.length > 0 ? codes : (['VERIFICATION_ISSUE'] as const)
        const findings = doubts.map((code) => needsReview(code))
        const settled = await store.overrideSubmission(tx, opened.customer, 'MANUAL', findings)
        return settled && openReview(deps, tx, settled, opened)
      }
      const { now } = await readClock(tx)
      // Every writer locks the review, then the submission, then the customer, so that no two deadlock.
      await deps.reviews.close(tx, opened.customer, { decision, codes, actor })
      await store.overrideSubmission(tx, opened.customer, 'DECIDED')
      const issues = decision === 'APPROVE' ? [] : codes.map((code) => issueOf({ code }, now))
      const changed = await customers.move(tx, opened, moveOfDecision[decision], {
        issues,
        ofSubmission: opened.customer.submission,
      })
      if (!changed) throw cannotDecide(opened.customer.status)
      return changed
    },

    /** Makes the submissions due that wait for a watch list, once screening is as required. */
    wakeAwaitingList: async (): Promise<number> =>
      (await deps.screening.findGap()) === undefined ? store.wakeAwaitingList(database) : 0,

    /** Lists the submissions that wait for a watch list, for the operator. */
    listAwaitingList: () => store.listAwaitingList(database),

    ...createHandOverOperations(deps),

    /**
     * Tells whether a watch-list match that is open or confirmed keeps the customer's money from leaving. Check it
     * wherever money moves. The customer must not learn of the match: to the customer, the payment is only slow.
     */
    isBlocked: async (reader: Queryable, organizationId: string, customerId: string): Promise<boolean> =>
      (await findBlocked(reader, organizationId, [customerId])).size > 0,

    findBlocked,

    hashDoubts: (opened: OpenCustomer, doubts: readonly Finding[]) => hashDoubts(deps, opened, doubts),

    countWaiting: async (): Promise<store.Waiting | undefined> => {
      const { now } = await readClock(database)
      return store.countWaiting(database, automaticLateBefore(now), manualLateBefore(now))
    },
  }
}

export function cannotDecide(status: string): Refusal {
  return new Refusal('CONFLICT', `This decision is not possible while the customer is ${status}`)
}

/** Retries a failed submission later, and leaves it to a reviewer after too many attempts. */
async function postponeOrLeaveToReviewer(deps: VerificationDeps, submission: store.ClaimedSubmission): Promise<void> {
  // A reviewer cannot decide about a submission that was never started: its customer is not UNDER_REVIEW.
  const isStarted = submission.state !== 'QUEUED'
  if (!isStarted || BigInt(submission.fence) < maxAttempts) return store.postpone(deps.database, submission)
  const opened = await openCurrent(deps, submission).catch(() => undefined)
  const finding = needsReview('VERIFICATION_ISSUE')
  await deps.database.inTx((tx) => finish(deps, tx, submission, opened, 'MANUAL', [finding]))
}

const maxAttempts = 8n

async function start({ database, customers }: VerificationDeps, submission: store.ClaimedSubmission): Promise<void> {
  await customers.startReview(submission.organizationId, submission.customerId)
  // Still QUEUED when a newer submission replaced it.
  await store.dropSubmission(database, submission, 'QUEUED')
}

/** Closes the request to the provider in the tx that ends or leaves the submission. */
type CloseRequest = (tx: Tx) => Promise<void>

/** Operations on handed-over submissions. Each throws LeaseLost once the submission is decided elsewhere. */
function createHandOverOperations(deps: VerificationDeps) {
  const { database } = deps
  return {
    /** Opens the customer, unless the submission is decided or no longer its newest. */
    openHandedOver: (about: HandedOverSubmission): Promise<OpenCustomer | undefined> => openCurrent(deps, about),

    /** Repeats our own checks first: lists and dates may have changed since the provider was asked. */
    concludeHandedOver: async (
      about: HandedOverSubmission,
      found: readonly Finding[],
      closeRequest: CloseRequest,
    ): Promise<void> => {
      const opened = await openCurrent(deps, about)
      if (!opened) throw new LeaseLost('this submission was decided elsewhere')
      const { now } = await readClock(database)
      const { verdict } = await assess(deps, opened, now)
      const own = verdict.outcome === 'approve' ? [] : verdict.findings
      const isSettled = await settledDoubts(deps, opened)
      const findings = [...own, ...found.filter((finding) => !isSettled(finding))]
      await conclude(deps, about, { opened, now, verdict: verdictOf(findings) }, closeRequest)
    },

    leaveToReviewer: async (
      about: HandedOverSubmission,
      found: readonly Finding[],
      closeRequest: CloseRequest,
    ): Promise<void> => {
      const opened = await openCurrent(deps, about).catch(() => undefined)
      await database.inTx(async (tx) => {
        await openReview(deps, tx, await store.leaveToReviewer(tx, about, found), opened)
        await closeRequest(tx)
      })
      const { now } = await readClock(database)
      deps.onDecided('review', secondsSince(about, now))
    },

    /** Ends a submission that needs no answer any more. */
    dropHandedOver: (about: HandedOverSubmission, closeRequest: CloseRequest): Promise<void> =>
      database.inTx(async (tx) => {
        await store.dropSubmission(tx, about, 'REVIEWING')
        await closeRequest(tx)
      }),
  }
}

async function check(deps: VerificationDeps, submission: store.ClaimedSubmission, leaseMs: number): Promise<void> {
  const { database } = deps
  const opened = await openCurrent(deps, submission)
  // A newer submission or a decision came first.
  if (!opened) return void (await store.finishSubmission(database, submission, 'DECIDED', []))
  const { now } = await readClock(database)
  // Read before the checks: a list that is loaded meanwhile was not compared.
  const gap = await deps.screening.findGap()
  const renew = () => store.renewLease(database, submission, leaseMs)
  const { verdict, isMagic } = await whileLeased(renew, leaseMs, () => assess(deps, opened, now))
  if (gap !== undefined && verdict.outcome === 'approve') return store.awaitList(database, submission)
  const findings = verdict.outcome === 'approve' ? [] : verdict.findings
  // A submission that the customer must correct first is not sent to the provider.
  const isComplete = findings.every(({ leadsTo }) => leadsTo === 'review')
  if (!deps.asksProvider || isMagic || !isComplete) return conclude(deps, submission, { opened, now, verdict })
  await database.inTx(async (tx) => {
    await store.handOver(tx, submission, findings)
    await insertRequest(tx, submission, newId())
  })
}

async function openCurrent(
  { database, customers }: VerificationDeps,
  about: HandedOverSubmission,
): Promise<OpenCustomer | undefined> {
  if (!(await store.isUndecided(database, about))) return undefined
  const opened = await customers.open([about.organizationId], about.customerId)
  const isCurrent = opened?.customer.submission === about.submission && opened.customer.status === 'UNDER_REVIEW'
  return isCurrent ? opened : undefined
}

/** Ends the work on a submission and opens its review if a reviewer must decide. */
async function finish(
  deps: VerificationDeps,
  tx: Tx,
  submission: HandedOverSubmission,
  opened: OpenCustomer | undefined,
  state: 'MANUAL' | 'DECIDED',
  findings: readonly Finding[],
): Promise<void> {
  const finished = await store.finishSubmission(tx, submission, state, findings)
  if (state === 'MANUAL') await openReview(deps, tx, finished, opened)
}

/** Opens the review of a submission and shows the integrator that it waits. */
async function openReview(
  { reviews, customers }: VerificationDeps,
  tx: Tx,
  submission: store.UpdatedSubmission,
  opened: OpenCustomer | undefined,
): Promise<CustomerView | undefined> {
  await reviews.open(tx, submission)
  return customers.markReview(tx, submission, opened)
}

type Assessment = { opened: OpenCustomer; now: Date; verdict: SandboxVerdict }

async function conclude(
  deps: VerificationDeps,
  submission: HandedOverSubmission,
  { opened, now, verdict }: Assessment,
  closeRequest?: CloseRequest,
): Promise<void> {
  const findings = verdict.outcome === 'approve' ? [] : verdict.findings
  const issues = issuesOf(verdict).map((finding) => issueOf(finding, now))
  const isManual = verdict.outcome === 'review'
  await deps.database.inTx(async (tx) => {
    await finish(deps, tx, submission, opened, isManual ? 'MANUAL' : 'DECIDED', findings)
    await closeRequest?.(tx)
    if (isManual) return
    await deps.customers.move(tx, opened, moveOfOutcome[verdict.outcome], {
      issues,
      ofSubmission: submission.submission,
    })
  })
  deps.onDecided(verdict.outcome, secondsSince(submission, now))
}

function secondsSince({ submittedAt }: HandedOverSubmission, now: Date): number {
  return (now.getTime() - submittedAt.getTime()) / 1_000
}

const moveOfOutcome = { approve: 'approve', information: 'requestInformation', reject: 'reject' } as const

function issueOf({ code, field }: Pick<Finding, 'code' | 'field'>, now: Date): VerificationIssue {
  return { code, message: messageOf(code, field), timestamp: now.toISOString(), ...(field ? { field } : {}) }
}

/** Selects what the customer is told: while there is something to correct, exactly that. */
function issuesOf(verdict: SandboxVerdict): Finding[] {
  if (verdict.outcome === 'approve') return []
  return verdict.findings.filter(({ leadsTo }) => verdict.outcome !== 'information' || leadsTo === 'information')
}
