import { isAsset } from '../../catalog/currencies.ts'
import { openBytes } from '../../encryption/seal.ts'
import { recordReturn, refusePayout } from '../settle.ts'
import { markContradicted } from './manual-settlement-store.ts'
import { factsOf } from './order.ts'
import { isOwnMovement, pollInSeconds } from './payout.ts'
import { readContent } from './preparation-store.ts'
import type { Attempt, Payment, PayoutReturn, Rail, RailAnswer } from './rail.ts'
import { attemptAgain } from './send.ts'
import { callRail, recheckInSeconds, type StepDeps } from './steps.ts'
import * as store from './store.ts'
import { reconfirm } from './unconfirmed/reconfirm.ts'
import { endUnconfirmed, isReturnable } from './unconfirmed/store.ts'

/** Asks the rail about a payout that may have left, and records its answer. */
export async function ask(deps: StepDeps, rail: Rail, payout: store.ClaimedPayout): Promise<void> {
  const attempts = (await deps.readAttempts(payout)).map(
    (attempt): Attempt => ({
      ...attempt,
      content: async () => openBytes(deps.batchKey, await readContent(deps.database, attempt.batchId), attempt.batchId),
    }),
  )
  const other = attempts.find((attempt) => attempt.rail !== rail.name)
  if (other || (payout.status === 'SENT' && !payout.isPrepared)) {
    // Another rail cannot prove anything about these bytes.
    deps.onFailure(
      new Error(`payout ${payout.payoutId} left by ${other?.rail ?? 'no rail'}: an operator must settle it`),
    )
    return store.postponePayouts(deps.database, [payout], recheckInSeconds)
  }
  const answer = await callRail(deps, (call) => rail.ask(factsOf(payout), attempts, call))
  deps.onPoint('payout polled')
  await recordAnswer(deps, rail, payout, answer)
}

/** Records a rail's answer. A payout that says nothing new is asked about again later. */
async function recordAnswer(
  deps: StepDeps,
  rail: Rail,
  payout: store.ClaimedPayout,
  answer: RailAnswer | undefined,
): Promise<void> {
  if (isOpen(payout)) return recordOutcome(deps, rail, payout, answer)
  if (payout.isUnconfirmed) return judgeUnconfirmed(deps, payout, answer)
  // Without an answer nothing was watched, so the last poll of the return window is retried, too.
  if (!answer) return store.postponePayouts(deps.database, [payout], recheckInSeconds)
  const isNew = await compareWithRecord(deps, payout, answer)
  if (!isNew) await store.watchForReturn(deps.database, payout)
}

/** Records the outcome of a payout that may have left, if the rail tells it. */
export async function recordOutcome(
  deps: StepDeps,
  rail: Rail,
  payout: store.ClaimedPayout,
  answer: RailAnswer | undefined,
): Promise<void> {
  switch (answer?.state) {
    case 'CONFIRMED':
      if (!isRight(payout, answer)) return contradict(deps, payout, answer)
      // Returns are recorded at the next question, which comes at once.
      return deps.settlement.confirm({ payout, payment: answer, hasReturns: answer.returns.length > 0 })
    case 'REFUSED':
      return refusePayout(deps, payout, answer.reason)
    case 'DEAD':
      await store.recordAttempt(deps.database, payout, 'DEAD', { proof: answer.proof })
      return attemptAgain(deps, rail, payout)
    case 'PENDING':
      if (payout.status === 'SENDING') return deps.settlement.accept({ payout, askAgainAt: answer.askAgainAt })
  }
  const askAgainAt = answer && 'askAgainAt' in answer ? answer.askAgainAt : undefined
  await store.postponePayouts(deps.database, [payout], askAgainAt ?? pollInSeconds(payout.polls + 1))
}

export const isOpen = ({ status }: store.ClaimedPayout) => status === 'SENDING' || status === 'SENT'
const isRight = ({ amount }: store.ClaimedPayout, payment: Payment) =>
  payment.amount === BigInt(amount) && payment.costs.every((cost) => cost.amount >= 0n)

/**
 * Compares a rail's word with a recorded outcome: a bank may return the payout, or contradict the record. True when it
 * recorded a return, which ends this worker's lease.
 */
export async function compareWithRecord(
  deps: StepDeps,
  payout: store.ClaimedPayout,
  answer: RailAnswer,
): Promise<boolean> {
  const isPaid = payout.status === 'CONFIRMED' || payout.status === 'RETURNED'
  if (answer.state === 'CONFIRMED' && isPaid) return recordReturns(deps, payout, answer.returns)
  const isUnpaid = (answer.state === 'REFUSED' && isPaid) || (answer.state === 'DEAD' && payout.status === 'CONFIRMED')
  // Paid after all, although an operator settled it as refused; or refused or never paid after the confirmation.
  if (answer.state === 'CONFIRMED' || isUnpaid) await contradict(deps, payout, answer)
  return false
}

/**
 * Records the first return that is new, in order; false when none is. A recorded return ends this worker's lease, so the
 * next claim records the next one.
 */
export async function recordReturns(
  deps: StepDeps,
  payout: store.ClaimedPayout,
  returns: readonly PayoutReturn[],
): Promise<boolean> {
  for (const returned of returns) {
    // No address of ours returns anything.
    const isPossible = returned.amount > 0n && !isOwnMovement(payout)
    const outcome = isPossible ? await recordReturn(deps, payout, returned) : 'IMPOSSIBLE'
    if (outcome === 'RECORDED') return true
    if (outcome === 'IMPOSSIBLE') await contradict(deps, payout, { state: 'RETURNED', amount: returned.amount })
  }
  return false
}

/**
 * Judges a payout that was confirmed in a final block which its chain has dropped. Its bytes may be executed in another
 * block; only when the rail has proven that they never will be, its money counts as returned.
 */
async function judgeUnconfirmed(
  deps: StepDeps,
  payout: store.ClaimedPayout,
  answer: RailAnswer | undefined,
): Promise<void> {
  if (answer?.state === 'CONFIRMED' && isRight(payout, answer)) return reconfirm(deps, payout, answer)
  if (answer?.state !== 'DEAD' && answer?.state !== 'REFUSED')
    return store.postponePayouts(deps.database, [payout], pollInSeconds(payout.polls + 1))
  await contradict(deps, payout, answer)
  const returned = { returnId: 'block_orphaned', reason: 'block_orphaned', amount: BigInt(payout.amount) }
  const isReturned = (await isReturnable(deps.database, payout)) && (await recordReturns(deps, payout, [returned]))
  // Tokens between addresses of ours belong to the same owner as before: an operator decides.
  if (!isReturned) await endUnconfirmed(deps.database, payout)
}

export async function contradict(
  deps: StepDeps,
  payout: store.ClaimedPayout,
  { state, amount, currency = payout.asset }: { state: string; amount?: bigint; currency?: string },
  outcome = 'CONTRADICTED',
): Promise<void> {
  // An amount in a currency that Svc does not know stays with the report of the bank.
  const isShown = amount !== undefined && isAsset(currency)
  const said = isShown ? { state, units: String(amount), asset: currency } : { state }
  await markContradicted(deps.database, payout)
  await store.recordAttempt(deps.database, payout, outcome, said)
  deps.onFailure(new Error(`payout ${payout.payoutId} was recorded as ${payout.status}, but the rail reports ${state}`))
  if (isOpen(payout)) await store.postponePayouts(deps.database, [payout], recheckInSeconds)
}
