import { isIssueCode } from '../../catalog/issues/verification-issues.ts'
import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import { readClock } from '../../db/business-clock.ts'
import type { Database } from '../../db/database.ts'
import { LeaseLost, whileLeased } from '../../db/work.ts'
import { isSignedBy, type SignedMessage } from '../../lib/standard-webhooks.ts'
import { automaticPromise } from '../promise.ts'
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
  /** None when it was taken out of the settings: what it still owed an answer for is left to people. */
  provider: VerificationProvider | undefined
  /** What its calls are signed with. */
  secrets: readonly Buffer[]
  /** Something went otherwise than it should with the provider; a reason names no person and no value. */
  onTrouble(reference: string, reason: string): void
  onFailure(error: unknown): void
}

export type ProviderService = ReturnType<typeof createProviderService>

/** Asks an outside provider about the submissions that were handed over to it. */
export function createProviderService(deps: ProviderDeps) {
  const { database, secrets } = deps
  return {
    /** Carries up to `limit` due requests one step forward, side by side: one slow answer keeps back no other. */
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

    /** The provider's call says no more than "ask me": the answer comes from where we ask, not from who calls. */
    wake: (reference: string): Promise<void> => store.wakeRequest(database, reference),

    countOpen: async (): Promise<store.OpenRequests | undefined> => {
      const { now } = await readClock(database)
      return store.countOpen(database, automaticPromise(now))
    },
  }
}

async function advance(deps: ProviderDeps, request: store.ProviderRequest): Promise<void> {
  const { provider, verification } = deps
  const customer = await verification.openHandedOver(request.about)
  // Somebody decided, or something newer was submitted: nothing more is told to anybody outside.
  if (!customer) return drop(deps, request)
  if (!provider) return giveUp(deps, request, 'there is no provider any more')
  const answer = isNew(request) ? neverSent : await provider.ask(request.reference)
  if (answer.outcome === 'decided') return decide(deps, request, answer)
  if (answer.outcome === 'unknown reference') return send(deps, provider, request, customer)
  if (answer.reason) deps.onTrouble(request.reference, answer.reason)
  return waitOn(deps, request, answer.outcome === 'pending' ? 'accept' : undefined)
}

const neverSent = { outcome: 'unknown reference' } as const

/** Whoever worked on it before may have sent it, whatever was recorded. */
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
  if (sent.outcome === 'accepted') return waitOn(deps, request, 'accept')
  if (sent.outcome === 'refused') return giveUp(deps, request, sent.reason)
  deps.onTrouble(request.reference, sent.reason)
  return waitOn(deps, request, 'resend')
}

async function waitOn(
  deps: ProviderDeps,
  request: store.ProviderRequest,
  move: 'accept' | 'resend' | undefined,
): Promise<void> {
  const { now } = await readClock(deps.database)
  const state = move ? requestMoves[move].to : request.state
  if (isOverdue({ ...request, state }, now)) return giveUp(deps, request, 'it took too long')
  return store.postpone(deps.database, request, move, pauseMs(Number(request.fence)))
}

type Decided = Extract<ProviderAnswer, { outcome: 'decided' }>

async function decide(deps: ProviderDeps, request: store.ProviderRequest, answer: Decided): Promise<void> {
  const isUnknown = answer.issues.some(({ code }) => !isIssueCode(code))
  if (isUnknown) deps.onTrouble(request.reference, 'the answer has an issue code that we do not know')
  const findings = findingsOf(answer.status, answer.issues)
  await deps.verification.concludeHandedOver(request.about, findings, (tx) => store.closeRequest(tx, request, 'decide'))
}

function drop({ verification }: ProviderDeps, request: store.ProviderRequest): Promise<void> {
  return verification.dropHandedOver(request.about, (tx) => store.closeRequest(tx, request, 'drop'))
}

async function giveUp(deps: ProviderDeps, request: store.ProviderRequest, reason: string): Promise<void> {
  deps.onTrouble(request.reference, `a person decides instead: ${reason}`)
  const finding = needsReview('THIRD_PARTY_API_FAILED')
  await deps.verification.leaveToReviewer(request.about, [finding], (tx) => store.closeRequest(tx, request, 'giveUp'))
}

/** One request that cannot be carried on keeps back no other: it is tried later, and in the end by a person. */
async function recover(deps: ProviderDeps, request: store.ProviderRequest, error: unknown): Promise<void> {
  const ignoreLostLease = (failure: unknown) => {
    if (!(failure instanceof LeaseLost)) throw failure
  }
  if (error instanceof LeaseLost) {
    // Somebody decided about the submission at this very moment, or took the request over; then this touches nothing.
    return drop(deps, request).catch(ignoreLostLease)
  }
  deps.onFailure(error)
  return waitOn(deps, request, undefined).catch(ignoreLostLease)
}
