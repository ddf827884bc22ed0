import { isIssueCode } from '../../catalog/issues/verification-issues.ts'
import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import { readClock } from '../../db/business-clock.ts'
import type { Database } from '../../db/database.ts'
import { LeaseLost, whileLeased } from '../../db/work.ts'
import { isSignedBy, type SignedMessage } from '../../lib/standard-webhooks.ts'
import { automaticLateBefore } from '../promise.ts'
import type { VerificationService } from '../service.ts'
import { needsReview } from '../submission.ts'
import { findingsOf } from './findings.ts'
import { describeForProvider } from './outgoing.ts'
import type { ProviderAnswer, VerificationProvider } from './provider.ts'
import { isOverdue, pauseMs, requestMoves } from './request.ts'
import * as store from './store.ts'

export type ProviderDeps = {
  database: Database
  customers: CustomerService
  verification: VerificationService
  /** Undefined when the settings name none: reviewers then decide the requests that are still open. */
  provider: VerificationProvider | undefined
  /** The keys that sign the provider's callbacks. */
  secrets: readonly Buffer[]
  /** Reports a fault of the provider. The reason holds no personal data. */
  onProblem(reference: string, reason: string): void
  onFailure(error: unknown): void
}

export type ProviderService = ReturnType<typeof createProviderService>

/** Sends handed-over submissions to an outside provider and polls its answers. */
export function createProviderService(deps: ProviderDeps) {
  const { database, secrets } = deps
  return {
    due: store.dueRequests,

    /** Advances up to `limit` due requests by one step, in parallel: a slow answer delays no other. */
    advanceDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimRequests(database, { limit, leaseMs })
      await Promise.all(
        claimed.map((request) =>
          whileLeased(
            () => store.renewLease(database, request, leaseMs),
            leaseMs,
            () => advance(deps, request).catch((error: unknown) => recover(deps, request, error)),
          ),
        ),
      )
      return claimed.length
    },

    isFromProvider: (message: SignedMessage): boolean => isSignedBy(secrets, message, new Date()),

    /** Makes a request due now. The callback carries no answer: the worker polls the provider for it. */
    wake: (reference: string): Promise<void> => store.wakeRequest(database, reference),

    countOpen: async (): Promise<store.OpenRequests | undefined> => {
      const { now } = await readClock(database)
      return store.countOpen(database, automaticLateBefore(now))
    },
  }
}

async function advance(deps: ProviderDeps, request: store.ProviderRequest): Promise<void> {
  const { provider, verification } = deps
  const customer = await verification.openHandedOver(request.about)
  // Decided elsewhere, or replaced by a newer submission: the provider gets no more data.
  if (!customer) return drop(deps, request)
  if (!provider) return giveUp(deps, request, 'no provider is configured')
  const answer = isNew(request) ? neverSent : await provider.poll(request.reference)
  if (answer.outcome === 'decided') return decide(deps, request, answer)
  if (answer.outcome === 'unknown reference') return send(deps, provider, request, customer)
  if (answer.reason) deps.onProblem(request.reference, answer.reason)
  return postponeOrGiveUp(deps, request, answer.outcome === 'pending' ? 'accept' : undefined)
}

const neverSent = { outcome: 'unknown reference' } as const

/** True on the first claim only: an earlier worker may have sent the request without recording it. */
function isNew({ state, fence }: store.ProviderRequest): boolean {
  return state === 'SENDING' && fence === '1'
}

async function send(
  deps: ProviderDeps,
  provider: VerificationProvider,
  request: store.ProviderRequest,
  customer: OpenCustomer,
): Promise<void> {
  const submission = describeForProvider(deps.customers, customer)
  const sent = await provider.submit(request.reference, submission)
  if (sent.outcome === 'accepted') return postponeOrGiveUp(deps, request, 'accept')
  if (sent.outcome === 'refused') return giveUp(deps, request, sent.reason)
  deps.onProblem(request.reference, sent.reason)
  return postponeOrGiveUp(deps, request, 'resend')
}

async function postponeOrGiveUp(
  deps: ProviderDeps,
  request: store.ProviderRequest,
  move: 'accept' | 'resend' | undefined,
): Promise<void> {
  const { now } = await readClock(deps.database)
  const state = move ? requestMoves[move].to : request.state
  if (isOverdue({ ...request, state }, now)) return giveUp(deps, request, 'the provider did not answer in time')
  return store.postpone(deps.database, request, move, pauseMs(Number(request.fence)))
}

type Decided = Extract<ProviderAnswer, { outcome: 'decided' }>

async function decide(deps: ProviderDeps, request: store.ProviderRequest, answer: Decided): Promise<void> {
  const isUnknown = answer.issues.some(({ code }) => !isIssueCode(code))
  if (isUnknown) deps.onProblem(request.reference, 'the answer has an unknown issue code')
  const findings = findingsOf(answer.status, answer.issues)
  await deps.verification.concludeHandedOver(request.about, findings, (tx) => store.closeRequest(tx, request, 'decide'))
}

function drop({ verification }: ProviderDeps, request: store.ProviderRequest): Promise<void> {
  return verification.dropHandedOver(request.about, (tx) => store.closeRequest(tx, request, 'drop'))
}

async function giveUp(deps: ProviderDeps, request: store.ProviderRequest, reason: string): Promise<void> {
  deps.onProblem(request.reference, `left to a reviewer: ${reason}`)
  const finding = needsReview('THIRD_PARTY_API_FAILED')
  await deps.verification.leaveToReviewer(request.about, [finding], (tx) => store.closeRequest(tx, request, 'giveUp'))
}

/** Postpones a request that failed. When it is overdue, a reviewer decides instead. */
async function recover(deps: ProviderDeps, request: store.ProviderRequest, error: unknown): Promise<void> {
  const ignoreLostLease = (failure: unknown) => {
    if (!(failure instanceof LeaseLost)) throw failure
  }
  if (error instanceof LeaseLost) {
    // The submission was decided elsewhere: end the request, unless another worker holds it.
    return drop(deps, request).catch(ignoreLostLease)
  }
  deps.onFailure(error)
  return postponeOrGiveUp(deps, request, undefined).catch(ignoreLostLease)
}
