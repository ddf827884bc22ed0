import { readClock } from '../../db/business-clock.ts'
import { LeaseLost } from '../../db/work.ts'
import { sealBytes } from '../../encryption/seal.ts'
import { freedByRefusal } from '../liquidity.ts'
import { chooseEligible } from '../screening/payout-eligibility.ts'
import { refusePayout } from '../settle.ts'
import { addLiquidity } from '../treasury/liquidity-store.ts'
import { buildOrder } from './order.ts'
import { payoutMoves, pollInSeconds } from './payout.ts'
import { isBatchCommitted } from './preparation-store.ts'
import type { Declined, PayoutOrder, Preparation, PreparedBatch, Rail, SubmitOutcome } from './rail.ts'
import { findHeldByPolicy, putBackPayout, retryPayout } from './start-store.ts'
import { advance, callRail, type PayoutDeps, recheckInSeconds, type StepDeps, type WaitReason } from './steps.ts'
import * as store from './store.ts'

/** A payout that has started, with the order that may leave for it. */
export type ReadyPayout = { payout: store.ClaimedPayout; order: PayoutOrder }

/**
 * Lets started payouts leave: the rail prepares their bytes, we commit them, the rail submits them. A crash before the
 * commit leaves an attempt without bytes, which is prepared again. After the commit only the rail knows.
 */
export async function leave(deps: StepDeps, rail: Rail, ready: readonly ReadyPayout[]): Promise<void> {
  const { batchSize } = rail.capabilities
  const chunks = Array.from({ length: Math.ceil(ready.length / batchSize) }, (_, place) =>
    ready.slice(place * batchSize, (place + 1) * batchSize),
  )
  await Promise.all(chunks.map((chunk) => leaveChunk(deps, rail, chunk)))
}

/** Throws when the rail prepared something else than it was asked for. Nothing has left then. */
function requireSound({ name }: Rail, orders: readonly PayoutOrder[], { batches, declined }: Preparation): void {
  const answered = [...batches.flatMap(({ items }) => items), ...declined].map(({ reference }) => reference)
  const known = new Set(orders.map(({ reference }) => reference))
  if (
    answered.length !== known.size ||
    new Set(answered).size !== answered.length ||
    answered.some((id) => !known.has(id))
  )
    throw new Error(`${name} must put each order into one batch, or decline it`)
  const until = Math.min(...orders.map(({ notAfter }) => notAfter.getTime()))
  if (batches.some(({ notAfter }) => notAfter.getTime() > until))
    throw new Error(`${name} prepared a batch that outlives its orders`)
}

async function leaveChunk(deps: StepDeps, rail: Rail, ready: readonly ReadyPayout[]): Promise<void> {
  const payouts = new Map(ready.map(({ payout }) => [payout.payoutId, payout]))
  const named = (items: readonly { reference: string }[]) =>
    items.flatMap(({ reference }) => payouts.get(reference) ?? [])
  const orders = ready.map(({ order }) => order)
  const prepared = await callRail(deps, async (call) => {
    const preparation = await rail.prepare(orders, call)
    requireSound(rail, orders, preparation)
    return preparation
  })
  // The attempts have no bytes yet: the next claim prepares them again.
  if (!prepared) return store.postponePayouts(deps.database, [...payouts.values()], pollInSeconds(1))
  deps.onPoint('payouts prepared')
  await Promise.all([
    ...prepared.declined.flatMap((declined) =>
      named([declined]).map((payout) => advance(deps, payout, () => decline(deps, payout, declined))),
    ),
    ...prepared.batches.map((batch) => leaveTogether(deps, rail, batch, named(batch.items))),
  ])
}

async function leaveTogether(
  deps: StepDeps,
  rail: Rail,
  batch: PreparedBatch,
  payouts: readonly store.ClaimedPayout[],
): Promise<void> {
  try {
    const sealedContent = sealBytes(deps.batchKey, batch.content, batch.batchId)
    await deps.commitBatch({ batch, rail: rail.name, payouts, sealedContent })
  } catch (error) {
    if (!(error instanceof LeaseLost)) deps.onFailure(error)
    // Perhaps only the reply to the commit was lost.
    if (error instanceof LeaseLost || !(await isBatchCommitted(deps.database, batch, payouts))) {
      await store.postponePayouts(deps.database, payouts, pollInSeconds(1))
      return deps.onPoint('payout advanced')
    }
  }
  deps.onPoint('payouts committed')
  // An order that was decided too long ago does not leave; the rail is asked, and proves it dead.
  const now = await deps.readNow(batch)
  const outcomes = now <= batch.notAfter ? await callRail(deps, (call) => rail.submit(batch, call)) : undefined
  const outcomeOf = ({ payoutId }: store.ClaimedPayout): SubmitOutcome =>
    outcomes?.[batch.items.findIndex(({ reference }) => reference === payoutId)] ?? {
      outcome: 'UNKNOWN',
      why: 'no answer in time',
    }
  deps.onPoint('payout sent')
  await Promise.all(
    payouts.map((payout) => advance(deps, payout, () => recordOutcome(deps, payout, outcomeOf(payout)))),
  )
}

async function recordOutcome(deps: StepDeps, payout: store.ClaimedPayout, outcome: SubmitOutcome): Promise<void> {
  if (outcome.outcome === 'REFUSED') return refusePayout(deps, payout, outcome.reason)
  if (outcome.outcome === 'ACCEPTED') return deps.settlement.accept({ payout, askAgainAt: outcome.askAgainAt })
  await store.recordAttempt(deps.database, payout, 'UNKNOWN', { why: outcome.why })
  await store.postponePayouts(deps.database, [payout], 0)
}

/** Nothing has left. */
async function decline(deps: StepDeps, payout: store.ClaimedPayout, declined: Declined): Promise<void> {
  if (declined.outcome === 'REFUSED') return refusePayout(deps, payout, declined.reason)
  deps.onWaiting('NOT_NOW', 1)
  await deps.database.inTx(async (tx) => {
    await putBackPayout(tx, payoutMoves.putBack, payout, declined)
    await addLiquidity(tx, freedByRefusal(payout))
  })
}

/**
 * Attempts a payout again under the conditions of its first attempt: one whose bytes were never committed, or one whose
 * attempts are proven dead, which becomes a new attempt. If the rail collects payouts, a new attempt is only recorded: it
 * leaves at the next moment, with the others that have no bytes then.
 */
export async function attemptAgain(
  deps: StepDeps,
  rail: Rail,
  payout: store.ClaimedPayout,
  { isNewAttempt }: { isNewAttempt: boolean },
): Promise<void> {
  const { database } = deps
  const reason = await whyNotNow(deps, payout)
  if (reason) {
    deps.onWaiting(reason, 1)
    return store.postponePayouts(database, [payout], recheckInSeconds)
  }
  const attempt = isNewAttempt ? payout.attempts + 1 : payout.attempts
  const built = await buildOrder(deps, payout, { attempt, notAfter: await readNotAfter(deps, rail) })
  if ('problem' in built) return stop(deps, payout, built.problem)
  const { collectSeconds } = rail.capabilities
  const started = isNewAttempt ? await retryPayout(database, payoutMoves.retry, payout, collectSeconds) : payout
  if (started && (collectSeconds === undefined || !isNewAttempt))
    await leave(deps, rail, [{ payout: started, order: built.order }])
}

/**
 * Lets payouts leave together whose attempt has no bytes yet: the attempts before it are dead, or a worker died before it
 * committed the bytes. A failure gives them all back, and the next claim finds out how far each of them came.
 */
export async function leaveAgain(
  deps: StepDeps,
  rail: Rail,
  unprepared: readonly store.ClaimedPayout[],
): Promise<void> {
  if (unprepared.length === 0) return
  try {
    await leave(deps, rail, await readyAgain(deps, rail, unprepared))
  } catch (error) {
    if (!(error instanceof LeaseLost)) deps.onFailure(error)
    await store.postponePayouts(deps.database, unprepared, recheckInSeconds)
  }
}

async function readyAgain(
  deps: StepDeps,
  rail: Rail,
  unprepared: readonly store.ClaimedPayout[],
): Promise<ReadyPayout[]> {
  const { isHalted } = await deps.ledger.readHalts(deps.database)
  const heldIds = await findHeldByPolicy(deps.database, unprepared)
  const movable = unprepared.filter(
    ({ asset, isContradicted, payoutId }) => !isHalted(asset) && !isContradicted && !heldIds.has(payoutId),
  )
  const { ready: eligible } = await chooseEligible(deps, movable)
  const kept = unprepared.filter((payout) => !eligible.some(({ payoutId }) => payoutId === payout.payoutId))
  await store.postponePayouts(deps.database, kept, recheckInSeconds)
  const notAfter = await readNotAfter(deps, rail)
  const ready: ReadyPayout[] = []
  for (const payout of eligible) {
    const built = await buildOrder(deps, payout, { attempt: payout.attempts, notAfter })
    if ('problem' in built) await stop(deps, payout, built.problem)
    else ready.push({ payout, order: built.order })
  }
  return ready
}

async function whyNotNow(deps: StepDeps, payout: store.ClaimedPayout): Promise<WaitReason | undefined> {
  if (payout.isContradicted) return 'CONTRADICTED'
  if ((await deps.ledger.readHalts(deps.database)).isHalted(payout.asset)) return 'HALTED'
  if ((await findHeldByPolicy(deps.database, [payout])).size > 0) return 'POLICY'
  const { stopped, unscreened } = await chooseEligible(deps, [payout])
  if (unscreened.length > 0) return 'UNSCREENED'
  return stopped.length > 0 ? 'BLOCKED' : undefined
}

/** The moment after which an order that is decided now must not be executed. */
export async function readNotAfter({ database }: PayoutDeps, { capabilities }: Rail): Promise<Date> {
  const { now } = await readClock(database)
  return new Date(now.getTime() + capabilities.validSeconds * 1_000)
}

/** Keeps a payout whose seals are wrong from leaving: halts payouts of its asset, and re-checks it later. */
export async function stop(deps: PayoutDeps, payout: store.ClaimedPayout, problem: string): Promise<void> {
  await deps.onWrongSeal(payout, problem)
  await store.postponePayouts(deps.database, [payout], recheckInSeconds)
}
