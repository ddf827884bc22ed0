import { readClock } from '../../db/business-clock.ts'
import { LeaseLost } from '../../db/work.ts'
import { sealBytes } from '../../encryption/seal.ts'
import { freedByRefusal } from '../liquidity.ts'
import { chooseEligible } from '../screening/payout-eligibility.ts'
import { refusePayout } from '../settle.ts'
import { addLiquidity } from '../treasury/liquidity-store.ts'
import { buildOrder, readAhead } from './order.ts'
import { payoutMoves, pollInSeconds } from './payout.ts'
import { isBatchCommitted } from './preparation-store.ts'
import type { Declined, PayoutOrder, Preparation, PreparedBatch, Rail, SubmitOutcome } from './rail.ts'
import { requireHeld } from './settlement.ts'
import { findHeldByPolicy, putBackPayout, recordScreening, retryPayout } from './start-store.ts'
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
  if (new Set(batches.map(({ batchId }) => batchId)).size !== batches.length)
    throw new Error(`${name} must give each batch an id of its own`)
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
    requireHeld(await deps.commitBatch({ batch, rail: rail.name, payouts, sealedContent }))
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
 * Attempts a payout again whose attempts are proven dead, under the conditions of its first attempt. If the rail collects
 * payouts, the new attempt is only recorded: it leaves at the next moment, with the others that have no bytes then.
 */
export async function attemptAgain(deps: StepDeps, rail: Rail, payout: store.ClaimedPayout): Promise<void> {
  const { ready } = await chooseReady(deps, [payout])
  if (ready.length === 0) return
  const decided = { attempt: payout.attempts + 1, notAfter: await readNotAfter(deps, rail) }
  const built = await buildOrder(deps, payout, decided)
  if ('problem' in built) return stop(deps, payout, built.problem)
  const { collectSeconds } = rail.capabilities
  const started = await retryPayout(deps.database, payoutMoves.retry, payout, collectSeconds)
  if (started && collectSeconds === undefined) await leave(deps, rail, [{ payout: started, order: built.order }])
}

/**
 * Lets payouts leave whose attempt has no bytes yet: the attempts before it are dead, or a worker died before it committed
 * the bytes. They are checked together, and leave together if the rail collects payouts. A failure then gives them all
 * back, and the next claim finds out how far each of them came.
 */
export async function leaveAgain(
  deps: StepDeps,
  rail: Rail,
  unprepared: readonly store.ClaimedPayout[],
): Promise<void> {
  if (unprepared.length === 0) return
  try {
    // Before the halts are read: a wrong seal is a reason for one.
    const orders = await buildOrders(deps, rail, unprepared, ({ attempts }) => attempts)
    const sound = unprepared.filter(({ payoutId }) => orders.has(payoutId))
    const leaving = withOrders((await chooseReady(deps, sound)).ready, orders)
    if (rail.capabilities.collectSeconds !== undefined) return await leave(deps, rail, leaving)
    await Promise.all(leaving.map((each) => advance(deps, each.payout, () => leave(deps, rail, [each]))))
  } catch (error) {
    if (!(error instanceof LeaseLost)) deps.onFailure(error)
    await store.postponePayouts(deps.database, unprepared, recheckInSeconds)
  }
}

/**
 * Chooses the payouts that may leave now. The others wait, and why is reported. `rejected`: those of them whose customer a
 * reviewer has rejected.
 */
export async function chooseReady(
  deps: PayoutDeps,
  payouts: readonly store.ClaimedPayout[],
): Promise<{ ready: store.ClaimedPayout[]; rejected: store.ClaimedPayout[] }> {
  const { database, ledger, onWaiting } = deps
  const { isHalted } = await ledger.readHalts(database)
  const heldIds = await findHeldByPolicy(database, payouts)
  const reasons = new Map<store.ClaimedPayout, WaitReason>()
  for (const payout of payouts) {
    if (isHalted(payout.asset)) reasons.set(payout, 'HALTED')
    else if (payout.isContradicted) reasons.set(payout, 'CONTRADICTED')
    else if (heldIds.has(payout.payoutId)) reasons.set(payout, 'POLICY')
  }
  const movable = payouts.filter((payout) => !reasons.has(payout))
  const { ready, stopped, unscreened, rejected, screened, listVersion } = await chooseEligible(deps, movable)
  await recordScreening(database, screened, listVersion)
  for (const payout of stopped) reasons.set(payout, 'BLOCKED')
  for (const payout of unscreened) reasons.set(payout, 'UNSCREENED')
  for (const [reason, { length }] of Map.groupBy(reasons.values(), (each) => each)) onWaiting(reason, length)
  await store.postponePayouts(database, [...reasons.keys()], recheckInSeconds)
  return { ready, rejected }
}

/**
 * Builds the orders of payouts that are about to leave, by id, from sealed values. The worker sends these very orders, so
 * a later change of a row has no effect. A payout that fails waits, and blocks no other.
 */
export async function buildOrders(
  deps: PayoutDeps,
  rail: Rail,
  payouts: readonly store.ClaimedPayout[],
  attemptOf: (payout: store.ClaimedPayout) => number,
): Promise<Map<string, PayoutOrder>> {
  const orders = new Map<string, PayoutOrder>()
  if (payouts.length === 0) return orders
  const notAfter = await readNotAfter(deps, rail)
  const ahead = await readAhead(deps, payouts).catch((error: unknown) => {
    // Perhaps one account cannot be opened: each payout then reads its own.
    deps.onFailure(error)
    return deps
  })
  const build = async (payout: store.ClaimedPayout) => {
    try {
      const built = await buildOrder(ahead, payout, { attempt: attemptOf(payout), notAfter })
      if ('problem' in built) await stop(deps, payout, built.problem)
      else orders.set(payout.payoutId, built.order)
    } catch (error) {
      deps.onFailure(error)
      await store.postponePayouts(deps.database, [payout], recheckInSeconds)
    }
  }
  await Promise.all(payouts.map(build))
  return orders
}

/** Pairs payouts with their orders. One without an order does not leave. */
export function withOrders(
  payouts: readonly store.ClaimedPayout[],
  orders: ReadonlyMap<string, PayoutOrder>,
): ReadyPayout[] {
  return payouts.flatMap((payout) => {
    const order = orders.get(payout.payoutId)
    return order ? [{ payout, order }] : []
  })
}

/** The moment after which an order that is decided now must not be executed. */
async function readNotAfter({ database }: PayoutDeps, { capabilities }: Rail): Promise<Date> {
  const { now } = await readClock(database)
  return new Date(now.getTime() + capabilities.validSeconds * 1_000)
}

/** Keeps a payout whose seals are wrong from leaving: halts payouts of its asset, and re-checks it later. */
async function stop(deps: PayoutDeps, payout: store.ClaimedPayout, problem: string): Promise<void> {
  await deps.onWrongSeal(payout, problem)
  await store.postponePayouts(deps.database, [payout], recheckInSeconds)
}
