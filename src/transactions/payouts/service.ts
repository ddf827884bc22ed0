import type { Queryable, Tx } from '../../db/database.ts'
import { startRound } from '../../db/fair-claims.ts'
import { advanceClaimed } from '../../db/work.ts'
import { fundSandbox, type LiquidityDeps } from '../liquidity.ts'
import { rejectTransaction } from '../rejection.ts'
import { chooseEligible } from '../screening/payout-eligibility.ts'
import type { Screener } from '../screening/screening.ts'
import { refusePayout, returnPayout, type SettlementDeps } from '../settle.ts'
import { markContradicted } from './manual-settlement-store.ts'
import { buildOrder, type OrderDeps } from './order.ts'
import { type Payout, type PayoutPurpose, payoutMoves, pollInSeconds } from './payout.ts'
import type { PayoutOrder, PayoutRail, PayoutState, SendOutcome } from './rail.ts'
import { createSealChecks } from './seal-checks.ts'
import { awaitSeals, countUnsealed } from './seal-store.ts'
import { createSettlementService, type SettlementService } from './settlement.ts'
import { recordScreening, retryPayout, startPayouts } from './start-store.ts'
import * as store from './store.ts'

export type PayoutDeps = LiquidityDeps &
  OrderDeps &
  SettlementDeps & {
    /** Absent where no rail is connected. */
    rail: PayoutRail | undefined
    screening: Screener<Queryable>
    /** The timeout of a request to the rail. After it the outcome is unknown. */
    timeoutMs: number
    /** Reports payouts that keep waiting, and why. */
    onWaiting(reason: 'NO_RAIL' | 'NOT_SEALED' | 'HALTED' | 'BLOCKED' | 'NO_LIQUIDITY', payouts: number): void
    /** Raises the alarm and halts payouts of the asset. */
    onWrongSeal(payout: Payout, problem: string): Promise<void>
    onFailure(error: unknown): void
  }

export type PayoutService = ReturnType<typeof createPayoutService>

/** The dependencies of the steps, with the batches that all payouts of this worker share. */
type StepDeps = PayoutDeps & { settlement: SettlementService }

const recheckInSeconds = 60

/** Sends due payouts to banks and chains, and polls the rails for their outcomes. */
export function createPayoutService(deps: PayoutDeps) {
  const { database } = deps
  const stepDeps: StepDeps = { ...deps, settlement: createSettlementService(deps) }
  const round = startRound()
  return {
    payDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimPayouts(database, { limit, leaseMs }, round)
      if (claimed.length > 0) deps.onPoint('payouts claimed')
      const waiting = claimed.filter(({ status }) => status === 'WAITING')
      const others = claimed.filter(({ status }) => status !== 'WAITING')
      const orders = await buildOrders(deps, waiting)
      const { started, rejected } = await start(
        deps,
        waiting.filter(({ payoutId }) => orders.has(payoutId)),
      )
      if (started.length > 0) deps.onPoint('payouts started')
      await Promise.all([
        ...started.map((payout) =>
          advance(stepDeps, payout, () => send(stepDeps, payout, orders.get(payout.payoutId))),
        ),
        ...others.map((payout) => advance(stepDeps, payout, poll)),
        ...rejected.map((payout) => advance(stepDeps, payout, reject)),
      ])
      return claimed.length
    },

    /** Makes the open payouts of a transaction due now; answers their references at the rail. */
    expedite: async (
      tx: Tx,
      transaction: { organizationId: string; transactionId: string },
      purposes: readonly PayoutPurpose[],
    ): Promise<string[]> => (await store.expeditePayouts(tx, transaction, purposes)).map(({ payoutId }) => payoutId),

    count: () => store.countPayouts(database),
    countUnsealed: () => countUnsealed(database),
    /** The checks of `svc verify` that need the keys of seals. */
    checks: createSealChecks(deps),
  }
}

/**
 * Builds the orders of payouts that are about to start, by id, from sealed values. The worker sends these very orders,
 * so a later change of a row has no effect.
 */
async function buildOrders(
  deps: PayoutDeps,
  waiting: readonly store.ClaimedPayout[],
): Promise<Map<string, PayoutOrder>> {
  // An operator may expedite a payout before the signer has sealed it. The seal makes it due again.
  const unsealed = waiting.filter(({ seal }) => seal === null)
  if (unsealed.length > 0) deps.onWaiting('NOT_SEALED', unsealed.length)
  await awaitSeals(deps.database, unsealed)
  const orders = new Map<string, PayoutOrder>()
  const build = async (payout: store.ClaimedPayout) => {
    try {
      const built = await buildOrder(deps, payout)
      if ('problem' in built) await stop(deps, payout, built.problem)
      else orders.set(payout.payoutId, built.order)
    } catch (error) {
      deps.onFailure(error)
      await store.postponePayouts(deps.database, [payout], recheckInSeconds)
    }
  }
  await Promise.all(waiting.filter(({ seal }) => seal !== null).map(build))
  return orders
}

type StartResult = { started: store.ClaimedPayout[]; rejected: store.ClaimedPayout[] }

/** Starts the payouts that are not halted, not blocked and funded. The others wait. */
async function start(deps: PayoutDeps, waiting: readonly store.ClaimedPayout[]): Promise<StartResult> {
  const { database, ledger, onWaiting } = deps
  if (waiting.length === 0) return { started: [], rejected: [] }
  const { isHalted } = await ledger.readHalts(database)
  const halted = deps.rail ? waiting.filter(({ asset }) => isHalted(asset)) : waiting
  if (halted.length > 0) onWaiting(deps.rail ? 'HALTED' : 'NO_RAIL', halted.length)
  const movable = waiting.filter((payout) => !halted.includes(payout))
  const { ready, stopped, rejected, screened, listVersion } = await chooseEligible(deps, movable)
  await recordScreening(database, screened, listVersion)
  if (stopped.length > 0) onWaiting('BLOCKED', stopped.length)
  await store.postponePayouts(database, [...halted, ...stopped], recheckInSeconds)
  if (ready.length === 0) return { started: [], rejected }
  await fundSandbox(deps, ready)
  // The rows of liquidity are locked from the choice of payouts until the commit: nothing else belongs in here.
  const started = await database.inTx(async (tx) => {
    const chosen = await startPayouts(tx, payoutMoves.start, ready, recheckInSeconds)
    deps.onPoint('payouts about to be started')
    return chosen
  })
  if (started.length < ready.length) onWaiting('NO_LIQUIDITY', ready.length - started.length)
  return { started, rejected }
}

async function reject(deps: PayoutDeps, { organizationId, transactionId }: store.ClaimedPayout): Promise<void> {
  if (transactionId === null) return
  await deps.database.inTx(async (tx) => {
    await rejectTransaction(deps, tx, { organizationId, transactionId })
  })
}

type Step = (deps: StepDeps, payout: store.ClaimedPayout) => Promise<void>

/** Runs one step. The outcome of a step that failed is unknown, so the worker polls the rail later. */
function advance(deps: StepDeps, payout: store.ClaimedPayout, step: Step): Promise<void> {
  const work = {
    advance: (claimed: store.ClaimedPayout) => step(deps, claimed),
    postpone: (claimed: store.ClaimedPayout) => store.postponePayouts(deps.database, [claimed], recheckInSeconds),
    onFailure: deps.onFailure,
    onAdvanced: () => deps.onPoint('payout advanced'),
  }
  return advanceClaimed(work, payout)
}

async function send(deps: StepDeps, payout: store.ClaimedPayout, order: PayoutOrder | undefined): Promise<void> {
  const { database } = deps
  const rail = requireRail(deps)
  if (!order) throw new Error(`payout ${payout.payoutId} was started without an order`)
  const outcome = await withTimeout<SendOutcome>(
    deps,
    () => rail.send(order),
    (why) => ({ outcome: 'UNKNOWN', why }),
  )
  deps.onPoint('payout sent')
  if (outcome.outcome === 'REFUSED' && (await isPayoutRefused(deps, payout))) {
    return refusePayout(deps, payout, outcome.reason)
  }
  if (outcome.outcome === 'ACCEPTED') {
    return deps.settlement.accept(payout)
  }
  const why =
    outcome.outcome === 'UNKNOWN'
      ? outcome.why
      : `refused (${outcome.reason}), but an earlier attempt may have succeeded`
  await store.recordAttempt(database, payout, 'UNKNOWN', { why })
  await store.postponePayouts(database, [payout], pollInSeconds(payout.attempts - 1))
}

/** Keeps a payout whose seals are wrong from leaving: halts payouts of its asset, and re-checks it later. */
async function stop(deps: PayoutDeps, payout: store.ClaimedPayout, problem: string): Promise<void> {
  await deps.onWrongSeal(payout, problem)
  await store.postponePayouts(deps.database, [payout], recheckInSeconds)
}

/** After a retry, a refusal may mean only "duplicate". Polling tells whether the rail refused the payout itself. */
async function isPayoutRefused(deps: PayoutDeps, payout: store.ClaimedPayout): Promise<boolean> {
  if (payout.attempts === 1) return true
  const answer = await pollRail(deps, payout)
  return answer?.state === 'REFUSED' || answer?.state === 'NOT_KNOWN'
}

function pollRail(deps: PayoutDeps, payout: store.ClaimedPayout): Promise<PayoutState | undefined> {
  const rail = requireRail(deps)
  const { payoutId: reference, method } = payout
  return withTimeout<PayoutState | undefined>(
    deps,
    () => rail.poll({ reference, method }),
    () => undefined,
  )
}

/** Polls the rail by our reference. Only a rail that does not know the reference causes a retry. */
async function poll(deps: StepDeps, payout: store.ClaimedPayout): Promise<void> {
  const { database } = deps
  const { status } = payout
  const answer = await pollRail(deps, payout)
  deps.onPoint('payout polled')
  if (answer && status === 'CONFIRMED') return watchForReturn(deps, payout, answer)
  if (answer && status === 'REFUSED') return watchRefused(deps, payout, answer)
  switch (answer?.state) {
    case 'CONFIRMED':
      return deps.settlement.confirm(payout, answer.externalReference)
    case 'RETURNED':
      // A return follows a confirmation: record the confirmation first, and the return at the next poll, now.
      await deps.settlement.confirm(payout, answer.externalReference)
      return store.pollNow(database, payout)
    case 'REFUSED':
      return refusePayout(deps, payout, answer.reason)
    case 'NOT_KNOWN':
      if (status === 'SENDING') return retry(deps, payout)
      break
    case 'PENDING':
      if (status === 'SENDING') return deps.settlement.accept(payout)
  }
  await store.postponePayouts(database, [payout], pollInSeconds(payout.polls + 1))
}

/** Records a return of a confirmed payout. After any other answer the worker polls again tomorrow. */
async function watchForReturn(deps: StepDeps, payout: store.ClaimedPayout, answer: PayoutState): Promise<void> {
  if (answer.state === 'RETURNED') return returnPayout(deps, payout, answer)
  if (answer.state === 'REFUSED') await raiseContradiction(deps, payout, answer)
  await store.watchForReturn(deps.database, payout)
}

/** Watches a payout that an operator settled as refused: a rail that pays it after all has paid twice. */
async function watchRefused(deps: StepDeps, payout: store.ClaimedPayout, answer: PayoutState): Promise<void> {
  const isPaid = answer.state === 'CONFIRMED' || answer.state === 'RETURNED'
  if (isPaid) await raiseContradiction(deps, payout, answer)
  await store.watchForReturn(deps.database, payout)
}

async function raiseContradiction(deps: StepDeps, payout: store.ClaimedPayout, { state }: PayoutState): Promise<void> {
  await markContradicted(deps.database, payout)
  await store.recordAttempt(deps.database, payout, 'CONTRADICTED', { state })
  deps.onFailure(new Error(`payout ${payout.payoutId} was recorded as ${payout.status}, but the rail reports ${state}`))
}

/** Retries the payout under the same conditions as the first attempt. */
async function retry(deps: StepDeps, payout: store.ClaimedPayout): Promise<void> {
  const { database, ledger, onWaiting } = deps
  await store.recordAttempt(database, payout, 'NOT_KNOWN')
  const why = (await ledger.readHalts(database)).isHalted(payout.asset)
    ? 'HALTED'
    : (await chooseEligible(deps, [payout])).stopped.length > 0
      ? 'BLOCKED'
      : undefined
  if (why) {
    onWaiting(why, 1)
    return store.postponePayouts(database, [payout], recheckInSeconds)
  }
  const built = await buildOrder(deps, payout)
  if ('problem' in built) return stop(deps, payout, built.problem)
  const retried = await retryPayout(database, payoutMoves.retry, payout)
  if (retried) await send(deps, retried, built.order)
}

function requireRail({ rail }: PayoutDeps): PayoutRail {
  if (!rail) throw new Error('no rail is connected to poll for a sent payout')
  return rail
}

/** Treats an error, a lost reply and a timeout alike: the outcome is unknown. */
async function withTimeout<Answer>(
  { timeoutMs, onFailure }: PayoutDeps,
  call: () => Promise<Answer>,
  unknown: (why: string) => Answer,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const timedOut = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve(unknown('no answer in time')), timeoutMs)
  })
  const answer = call().catch((error: unknown) => {
    onFailure(error)
    return unknown('the connection failed')
  })
  return Promise.race([answer, timedOut]).finally(() => clearTimeout(timer))
}
