import { describeIssue, type IssueCode } from '../catalog/verification-issues.ts'
import type { VerificationIssue } from '../customers/customer.ts'
import type { Identity } from '../customers/identity.ts'
import type { CustomerView } from '../customers/present.ts'
import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import { readClock } from '../db/business-clock.ts'
import type { Database, Queryable } from '../db/database.ts'
import { LeaseLost } from '../db/work.ts'
import { Refusal } from '../lib/refusal.ts'
import type { ScreeningService } from '../screening/service.ts'
import { verifySubmission } from './engine.ts'
import { identityHashes } from './identity-hash.ts'
import { readMagicName } from './magic-names.ts'
import { partiesOf } from './parties.ts'
import { automaticPromise, manualPromise } from './promise.ts'
import * as reviews from './review-store.ts'
import * as store from './store.ts'
import { type Finding, needsReview, type Submission, type Verdict, type WatchListHit } from './submission.ts'

export type VerificationOptions = {
  database: Database
  customers: CustomerService
  screening: ScreeningService
  /** Identities are compared by a keyed hash: a plain one of a national id could be guessed. */
  identityKey: Buffer
  /** Whether names such as "Approve" decide by themselves. */
  hasMagicNames: boolean
  onDecided(outcome: string, seconds: number): void
  onFailure(error: unknown): void
}

/** What can be decided about a submission, by the checks, by a person or by the sandbox. */
export type Decision = 'APPROVE' | 'NEEDS_INFO' | 'REJECT' | 'REVIEW'

export type VerificationService = ReturnType<typeof makeVerificationService>

const moves = { APPROVE: 'approve', NEEDS_INFO: 'requestInformation', REJECT: 'reject' } as const

export function makeVerificationService(options: VerificationOptions) {
  const { database, customers } = options
  return {
    /** Carries up to `limit` due submissions one step forward. */
    reviewDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimSubmissions(database, { limit, leaseMs })
      for (const submission of claimed) await carryOn(options, submission)
      return claimed.length
    },

    /** Decides at once, whatever the checks would say. `actor` is who does, as the audit log names them. */
    decide: async (
      transaction: Queryable,
      customer: OpenCustomer,
      actor: string,
      decision: Decision,
      codes: readonly IssueCode[],
    ): Promise<CustomerView | undefined> => {
      if (decision === 'REVIEW') {
        const doubts = codes.length > 0 ? codes : (['VERIFICATION_ISSUE'] as const)
        const findings = doubts.map((code) => needsReview(code))
        await store.settleSubmission(transaction, customer.row, 'MANUAL', findings)
        return undefined
      }
      const { now } = await readClock(transaction)
      // The review before the submission before the customer, as everybody does: nobody waits in a ring.
      await reviews.closeReview(transaction, customer.row, { decision, codes, actor })
      await store.settleSubmission(transaction, customer.row, 'DECIDED')
      const issues = decision === 'APPROVE' ? [] : codes.map((code) => issueOf(code, now))
      const changed = await customers.move(transaction, customer, moves[decision], {
        issues,
        ofSubmission: customer.row.submission,
      })
      if (!changed) throw cannotDecide(customer.row.status)
      return changed
    },

    /**
     * Whether money may not leave: somebody on a watch list resembles the customer, and a person has not cleared it, or
     * has confirmed it. The customer is told nothing, so ask this wherever money moves, and answer as if it were slow.
     */
    isBlocked: async (transaction: Queryable, organizationId: string, customerId: string): Promise<boolean> =>
      (await reviews.findBlocked(transaction, organizationId, [customerId])).size > 0,

    /** The same for many: those of them who are blocked. */
    findBlocked: reviews.findBlocked,

    countWaiting: async (): Promise<store.Waiting | undefined> => {
      const { now } = await readClock(database)
      return store.countWaiting(database, automaticPromise(now), manualPromise(now))
    },
  }
}

export function cannotDecide(status: string): Refusal {
  return new Refusal('CONFLICT', `A customer who is ${status} cannot be decided about like this`)
}

/** One submission that cannot be carried on keeps back no other: it is tried later, and in the end by a person. */
async function carryOn(options: VerificationOptions, submission: store.ClaimedSubmission): Promise<void> {
  try {
    if (submission.state === 'QUEUED') await start(options, submission)
    else await review(options, submission)
  } catch (error) {
    if (error instanceof LeaseLost) return
    options.onFailure(error)
    // About one that was never started nobody can decide: its customer is not in review.
    const isStarted = submission.state !== 'QUEUED'
    if (!isStarted || BigInt(submission.fence) < mostAttempts) return store.postpone(options.database, submission)
    const finding: Finding = { code: 'VERIFICATION_ISSUE', leadsTo: 'review' }
    await store.finishSubmission(options.database, submission, 'MANUAL', [finding])
  }
}

const mostAttempts = 8n

async function start({ database, customers }: VerificationOptions, submission: store.ClaimedSubmission): Promise<void> {
  await customers.startReview(submission.organizationId, submission.customerId)
  // Still queued: a newer submission came before this one was started, and nothing is left to do for it.
  await store.dropQueued(database, submission)
}

async function review(options: VerificationOptions, submission: store.ClaimedSubmission): Promise<void> {
  const { database, customers } = options
  const customer = await customers.open([submission.organizationId], submission.customerId)
  const isCurrent = customer?.row.submission === submission.submission && customer.row.status === 'UNDER_REVIEW'
  if (!customer || !isCurrent) {
    // A newer submission, or a decision, came first: this one changes nothing.
    return store.finishSubmission(database, submission, 'DECIDED', [])
  }
  const { now } = await readClock(database)
  const identity = customers.readIdentity(customer)
  const hashes = identityHashes(options.identityKey, identity)
  // Before they are looked for: of two customers who come with one identity at the same moment, each sees the other.
  await store.insertMarks(database, submission.organizationId, submission.customerId, hashes)
  const verdict = await judge(options, customer, identity, hashes, now)
  const findings = verdict.outcome === 'approve' ? [] : verdict.findings
  const issues = uniqueCodes(findings).map((code) => issueOf(code, now))
  const isManual = verdict.outcome === 'review'
  await database.transaction(async (transaction) => {
    await store.finishSubmission(transaction, submission, isManual ? 'MANUAL' : 'DECIDED', findings)
    if (isManual) return
    await customers.move(transaction, customer, moveOf[verdict.outcome], {
      issues,
      ofSubmission: submission.submission,
    })
  })
  options.onDecided(verdict.outcome, (now.getTime() - submission.submittedAt.getTime()) / 1_000)
}

const moveOf = { approve: 'approve', information: 'requestInformation', reject: 'reject' } as const

async function judge(
  { database, screening, hasMagicNames }: VerificationOptions,
  customer: OpenCustomer,
  identity: Identity,
  hashes: readonly Buffer[],
  now: Date,
): Promise<Verdict | { outcome: 'reject'; findings: Finding[] }> {
  const { organizationId, customerId, customerType, submission: version } = customer.row
  const profile = customer.profile ?? { email: '', name: '' }
  const magic = hasMagicNames
    ? readMagicName(
        customerType === 'BUSINESS'
          ? (identity.kybData?.businessInfo?.legalBusinessName ?? profile.businessName)
          : (identity.kycData?.legalLastName ?? profile.lastName),
      )
    : undefined
  if (magic) return magic
  const seenBefore = await store.findSeen(database, organizationId, customerId, hashes)
  const submission = { organizationId, customerId, customerType, version, identity, profile, now, seenBefore }
  return verifySubmission({ ...submission, watchListHits: await screenSubmission(screening, submission) })
}

const unreadable = 'the name is in a script that cannot be compared with the list'

/** A name that nobody could compare is not a name that is not on the list. */
async function screenSubmission(screening: ScreeningService, submission: Submission): Promise<WatchListHit[]> {
  const parties = partiesOf(submission)
  const hits: WatchListHit[] = await screening.screen(parties)
  const listVersion = await screening.currentVersion()
  if (listVersion === undefined) return hits
  const notCompared = screening.findUnreadable(parties).map(({ field }) => ({
    ...(field === undefined ? {} : { field }),
    ...{ strength: 'possible' as const, listVersion, reasons: [unreadable] },
  }))
  return [...hits, ...notCompared]
}

function issueOf(code: IssueCode, now: Date): VerificationIssue {
  return { code, message: describeIssue(code).message, timestamp: now.toISOString() }
}

function uniqueCodes(findings: readonly Finding[]): IssueCode[] {
  return [...new Set(findings.map((finding) => finding.code))]
}
