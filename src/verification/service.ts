import { describeIssue, type IssueCode } from '../catalog/issues/verification-issues.ts'
import type { VerificationIssue } from '../customers/customer.ts'
import type { CustomerView } from '../customers/present.ts'
import type { OpenCustomer } from '../customers/sealed-customer.ts'
import { readClock } from '../db/business-clock.ts'
import type { Queryable, Tx } from '../db/database.ts'
import { advanceDue, LeaseLost } from '../db/work.ts'
import { newId } from '../lib/ids.ts'
import { Refusal } from '../lib/refusal.ts'
import { type AssessOptions, assess, type Judgement } from './assess.ts'
import { automaticPromise, manualPromise } from './promise.ts'
import { type HandedOver, insertRequest } from './provider/store.ts'
import { findBlocked } from './review-store.ts'
import * as store from './store.ts'
import { type Finding, needsReview, verdictOf } from './submission.ts'

export type VerificationDeps = AssessOptions & {
  /** Whether an outside provider has the last word about what our own checks find nothing to mend in. */
  asksProvider: boolean
  reviews: SubmissionReviews
  onDecided(outcome: string, seconds: number): void
  onFailure(error: unknown): void
}

/** The reviews of submissions. A submission is left to a reviewer and its review opened in one database transaction. */
export type SubmissionReviews = {
  open(tx: Tx, submission: store.SettledSubmission): Promise<void>
  close(
    tx: Tx,
    customer: { organizationId: string; customerId: string },
    how: { decision: Exclude<Decision, 'REVIEW'>; codes: readonly IssueCode[]; actor: string },
  ): Promise<void>
}

/** What can be decided about a submission, by the checks, by a person or by the sandbox. */
export type Decision = 'APPROVE' | 'NEEDS_INFO' | 'REJECT' | 'REVIEW'

export type VerificationService = ReturnType<typeof createVerificationService>

const moves = { APPROVE: 'approve', NEEDS_INFO: 'requestInformation', REJECT: 'reject' } as const

export function createVerificationService(deps: VerificationDeps) {
  const { database, customers } = deps
  return {
    /** Carries up to `limit` due submissions one step forward. */
    reviewDue: (limit: number, leaseMs: number): Promise<number> =>
      advanceDue({
        claim: () => store.claimSubmissions(database, { limit, leaseMs }),
        advance: (submission) => (submission.state === 'QUEUED' ? start(deps, submission) : review(deps, submission)),
        postpone: (submission) => postponeOrLeaveToReviewer(deps, submission),
        onFailure: deps.onFailure,
      }),

    /** Decides at once, whatever the checks would say. `actor` is who does, as the audit log names them. */
    decide: async (
      tx: Tx,
      customer: OpenCustomer,
      actor: string,
      decision: Decision,
      codes: readonly IssueCode[],
    ): Promise<CustomerView | undefined> => {
      if (decision === 'REVIEW') {
        const doubts = codes.length > 0 ? codes : (['VERIFICATION_ISSUE'] as const)
        const findings = doubts.map((code) => needsReview(code))
        const settled = await store.settleSubmission(tx, customer.row, 'MANUAL', findings)
        if (settled) await deps.reviews.open(tx, settled)
        return undefined
      }
      const { now } = await readClock(tx)
      // The review before the submission before the customer, as everybody does: nobody waits in a ring.
      await deps.reviews.close(tx, customer.row, { decision, codes, actor })
      await store.settleSubmission(tx, customer.row, 'DECIDED')
      const issues = decision === 'APPROVE' ? [] : codes.map((code) => issueOf(code, now))
      const changed = await customers.move(tx, customer, moves[decision], {
        issues,
        ofSubmission: customer.row.submission,
      })
      if (!changed) throw cannotDecide(customer.row.status)
      return changed
    },

    ...createHandOverOperations(deps),

    /**
     * Whether money may not leave: somebody on a watch list resembles the customer, and a person has not cleared it, or
     * has confirmed it. The customer is told nothing, so ask this wherever money moves, and answer as if it were slow.
     */
    isBlocked: async (reader: Queryable, organizationId: string, customerId: string): Promise<boolean> =>
      (await findBlocked(reader, organizationId, [customerId])).size > 0,

    /** The same for many: those of them who are blocked. */
    findBlocked,

    countWaiting: async (): Promise<store.Waiting | undefined> => {
      const { now } = await readClock(database)
      return store.countWaiting(database, automaticPromise(now), manualPromise(now))
    },
  }
}

export function cannotDecide(status: string): Refusal {
  return new Refusal('CONFLICT', `A customer who is ${status} cannot be decided about like this`)
}

/** Retries a failed submission later, and leaves it to a reviewer after too many attempts. */
async function postponeOrLeaveToReviewer(deps: VerificationDeps, submission: store.ClaimedSubmission): Promise<void> {
  // A reviewer cannot decide about a submission that was never started: its customer is not UNDER_REVIEW.
  const isStarted = submission.state !== 'QUEUED'
  if (!isStarted || BigInt(submission.fence) < mostAttempts) return store.postpone(deps.database, submission)
  const finding: Finding = { code: 'VERIFICATION_ISSUE', leadsTo: 'review' }
  await deps.database.inTx((tx) => finish(deps, tx, submission, 'MANUAL', [finding]))
}

const mostAttempts = 8n

async function start({ database, customers }: VerificationDeps, submission: store.ClaimedSubmission): Promise<void> {
  await customers.startReview(submission.organizationId, submission.customerId)
  // Still queued: a newer submission came before this one was started, and nothing is left to do for it.
  await store.dropSubmission(database, submission, 'QUEUED')
}

type AlsoDo = (tx: Tx) => Promise<void>

/** For whoever asks an outside provider about a submission. Each throws LeaseLost when somebody has decided about it. */
function createHandOverOperations(deps: VerificationDeps) {
  const { database } = deps
  return {
    /** The customer, as long as the submission is its newest and nobody has decided about it. */
    openHandedOver: (about: HandedOver): Promise<OpenCustomer | undefined> => openCurrent(deps, about),

    /** Our own checks are made once more: lists and dates may have changed since the provider was asked. */
    concludeHandedOver: async (about: HandedOver, found: readonly Finding[], alsoDo: AlsoDo): Promise<void> => {
      const customer = await openCurrent(deps, about)
      if (!customer) throw new LeaseLost('somebody decided about this submission first')
      const { now } = await readClock(database)
      const { verdict } = await assess(deps, customer, now)
      const own = verdict.outcome === 'approve' ? [] : verdict.findings
      await conclude(deps, about, { customer, now, verdict: verdictOf([...own, ...found]) }, alsoDo)
    },

    leaveToReviewer: async (about: HandedOver, found: readonly Finding[], alsoDo: AlsoDo): Promise<void> => {
      await database.inTx(async (tx) => {
        await deps.reviews.open(tx, await store.leaveToReviewer(tx, about, found))
        await alsoDo(tx)
      })
      const { now } = await readClock(database)
      deps.onDecided('review', secondsSince(about, now))
    },

    /** Nobody needs an answer about it any more. */
    dropHandedOver: (about: HandedOver, alsoDo: AlsoDo): Promise<void> =>
      database.inTx(async (tx) => {
        await store.dropSubmission(tx, about, 'REVIEWING')
        await alsoDo(tx)
      }),
  }
}

async function review(deps: VerificationDeps, submission: store.ClaimedSubmission): Promise<void> {
  const { database } = deps
  const customer = await openCurrent(deps, submission)
  // A newer submission, or a decision, came first: this one changes nothing.
  if (!customer) return void (await store.finishSubmission(database, submission, 'DECIDED', []))
  const { now } = await readClock(database)
  const { verdict, isMagic } = await assess(deps, customer, now)
  const findings = verdict.outcome === 'approve' ? [] : verdict.findings
  // What the customer has to mend anyway is nobody else's business yet.
  const isComplete = findings.every(({ leadsTo }) => leadsTo === 'review')
  if (!deps.asksProvider || isMagic || !isComplete) return conclude(deps, submission, { customer, now, verdict })
  await database.inTx(async (tx) => {
    await store.handOver(tx, submission, findings)
    await insertRequest(tx, submission, newId())
  })
}

async function openCurrent(
  { database, customers }: VerificationDeps,
  about: HandedOver,
): Promise<OpenCustomer | undefined> {
  if (!(await store.isUndecided(database, about))) return undefined
  const customer = await customers.open([about.organizationId], about.customerId)
  const isCurrent = customer?.row.submission === about.submission && customer.row.status === 'UNDER_REVIEW'
  return isCurrent ? customer : undefined
}

/** Ends the work on a submission, and opens its review if it is left to a reviewer. */
async function finish(
  { reviews }: VerificationDeps,
  tx: Tx,
  submission: HandedOver,
  state: 'MANUAL' | 'DECIDED',
  findings: readonly Finding[],
): Promise<void> {
  const finished = await store.finishSubmission(tx, submission, state, findings)
  if (state === 'MANUAL') await reviews.open(tx, finished)
}

type Assessed = { customer: OpenCustomer; now: Date; verdict: Judgement }

async function conclude(
  deps: VerificationDeps,
  submission: HandedOver,
  { customer, now, verdict }: Assessed,
  alsoDo?: AlsoDo,
): Promise<void> {
  const findings = verdict.outcome === 'approve' ? [] : verdict.findings
  const issues = uniqueCodes(findings).map((code) => issueOf(code, now))
  const isManual = verdict.outcome === 'review'
  await deps.database.inTx(async (tx) => {
    await finish(deps, tx, submission, isManual ? 'MANUAL' : 'DECIDED', findings)
    await alsoDo?.(tx)
    if (isManual) return
    await deps.customers.move(tx, customer, moveOf[verdict.outcome], {
      issues,
      ofSubmission: submission.submission,
    })
  })
  deps.onDecided(verdict.outcome, secondsSince(submission, now))
}

function secondsSince({ submittedAt }: HandedOver, now: Date): number {
  return (now.getTime() - submittedAt.getTime()) / 1_000
}

const moveOf = { approve: 'approve', information: 'requestInformation', reject: 'reject' } as const

function issueOf(code: IssueCode, now: Date): VerificationIssue {
  return { code, message: describeIssue(code).message, timestamp: now.toISOString() }
}

function uniqueCodes(findings: readonly Finding[]): IssueCode[] {
  return [...new Set(findings.map((finding) => finding.code))]
}
