import { isIssueCode } from '../../catalog/issues/verification-issues.ts'
import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import { readClock } from '../../db/business-clock.ts'
import type { Database } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import { isSignedBy, type SignedMessage } from '../../lib/standard-webhooks.ts'
import { automaticPromise } from '../promise.ts'
import type { VerificationService } from '../service.ts'
import { needsReview } from '../submission.ts'
import { findingsOf } from './findings.ts'
import { describeForProvider } from './outgoing.ts'
import type { ProviderAnswer, VerificationProvider } from './provider.ts'
import { isOverdue, pauseMs, requestMoves } from './request.ts'
import * as store from './store.ts'

export type ProviderOptions = {
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

export type ProviderService = ReturnType<typeof makeProviderService>

/** Asks an outside provider about the submissions that were handed over to it. */
export function makeProviderService(options: ProviderOptions) {
  const { database, secrets } = options
  return {
    /** Carries up to `limit` due requests one step forward, side by side: one slow answer keeps back no other. */
    carryOnDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimRequests(database, { limit, leaseMs })
      await Promise.all(claimed.map((request) => whileHeld(options, request, leaseMs)))
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

async function whileHeld(options: ProviderOptions, request: store.ProviderRequest, leaseMs: number): Promise<void> {
  const renew = () => void store.renewLease(options.database, request, leaseMs).catch(() => {})
  const renewing = setInterval(renew, leaseMs / 3)
  try {
    await carryOn(options, request)
  } catch (error) {
    await recover(options, request, error)
  } finally {
    clearInterval(renewing)
  }
}

async function carryOn(options: ProviderOptions, request: store.ProviderRequest): Promise<void> {
  const { provider, verification } = options
  const customer = await verification.openHandedOver(request.about)
  // Somebody decided, or something newer was submitted: nothing more is told to anybody outside.
  if (!customer) return drop(options, request)
  if (!provider) return giveUp(options, request, 'there is no provider any more')
  const answer = isNew(request) ? neverSent : await provider.ask(request.reference)
  if (answer.outcome === 'decided') return decide(options, request, answer)
  if (answer.outcome === 'unknown reference') return send(options, provider, request, customer)
  if (answer.reason) options.onTrouble(request.reference, answer.reason)
  return waitOn(options, request, answer.outcome === 'pending' ? 'accept' : undefined)
}

const neverSent = { outcome: 'unknown reference' } as const

/** Whoever worked on it before may have sent it, whatever was recorded. */
function isNew({ state, fence }: store.ProviderRequest): boolean {
  return state === 'SENDING' && fence === '1'
}

async function send(
  options: ProviderOptions,
  provider: VerificationProvider,
  request: store.ProviderRequest,
  customer: OpenCustomer,
): Promise<void> {
  const submission = describeForProvider(options.customers, customer)
  const sent = await provider.submit(request.reference, submission)
  if (sent.outcome === 'accepted') return waitOn(options, request, 'accept')
  if (sent.outcome === 'refused') return giveUp(options, request, sent.reason)
  options.onTrouble(request.reference, sent.reason)
  return waitOn(options, request, 'resend')
}

async function waitOn(
  options: ProviderOptions,
  request: store.ProviderRequest,
  move: 'accept' | 'resend' | undefined,
): Promise<void> {
  const { now } = await readClock(options.database)
  const state = move ? requestMoves[move].to : request.state
  if (isOverdue({ ...request, state }, now)) return giveUp(options, request, 'it took too long')
  return store.postpone(options.database, request, move, pauseMs(Number(request.fence)))
}

type Decided = Extract<ProviderAnswer, { outcome: 'decided' }>

async function decide(options: ProviderOptions, request: store.ProviderRequest, answer: Decided): Promise<void> {
  const isUnknown = answer.issues.some(({ code }) => !isIssueCode(code))
  if (isUnknown) options.onTrouble(request.reference, 'the answer has an issue code that we do not know')
  const findings = findingsOf(answer.status, answer.issues)
  await options.verification.concludeHandedOver(request.about, findings, (transaction) =>
    store.closeRequest(transaction, request, 'decide'),
  )
}

function drop({ verification }: ProviderOptions, request: store.ProviderRequest): Promise<void> {
  return verification.dropHandedOver(request.about, (transaction) => store.closeRequest(transaction, request, 'drop'))
}

async function giveUp(options: ProviderOptions, request: store.ProviderRequest, reason: string): Promise<void> {
  options.onTrouble(request.reference, `a person decides instead: ${reason}`)
  const finding = needsReview('THIRD_PARTY_API_FAILED')
  await options.verification.leaveToPerson(request.about, [finding], (transaction) =>
    store.closeRequest(transaction, request, 'giveUp'),
  )
}

/** One request that cannot be carried on keeps back no other: it is tried later, and in the end by a person. */
async function recover(options: ProviderOptions, request: store.ProviderRequest, error: unknown): Promise<void> {
  const ignoreLostLease = (failure: unknown) => {
    if (!(failure instanceof LeaseLost)) throw failure
  }
  if (error instanceof LeaseLost) {
    // Somebody decided about the submission at this very moment, or took the request over; then this touches nothing.
    return drop(options, request).catch(ignoreLostLease)
  }
  options.onFailure(error)
  return waitOn(options, request, undefined).catch(ignoreLostLease)
}
