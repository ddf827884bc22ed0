import type { Network } from '../../catalog/currencies.ts'
import { type PaymentMethod, paymentMethods } from '../../catalog/payment-methods.ts'
import type { Tx } from '../../db/database.ts'
import { startRound } from '../../db/fair-claims.ts'
import type { Due } from '../../db/work.ts'
import { fundSandbox } from '../liquidity.ts'
import { rejectTransaction } from '../rejection.ts'
import { ask } from './ask.ts'
import { type Payout, type PayoutPurpose, payoutMoves } from './payout.ts'
import type { Rail } from './rail.ts'
import { createReportService } from './reports/service.ts'
import { createSealChecks } from './seal-checks.ts'
import { awaitSeals, countUnsealed } from './seal-store.ts'
import { buildOrders, chooseReady, leave, leaveAgain, withOrders } from './send.ts'
import { createSettlementService } from './settlement.ts'
import { expediteOpen, expeditePayouts, startPayouts } from './start-store.ts'
import {
  advance,
  createAttemptReader,
  createBatchCommitter,
  createClockReader,
  type PayoutDeps,
  recheckInSeconds,
  type StepDeps,
} from './steps.ts'
import * as store from './store.ts'
import { type DroppedBlocks, takeFromWorkers, type UnconfirmedPayout, unconfirmPayouts } from './unconfirmed/store.ts'

export type PayoutService = ReturnType<typeof createPayoutService>

/** The payouts of one rail. Lanes are served side by side: a rail that does not answer delays its own payouts alone. */
export type Lane = {
  name: string
  due: Due
  /** How many calls of `payDue` run at the same time. */
  together: number
  payDue(limit: number, leaseMs: number): Promise<number>
}

/** Sends due payouts to banks and chains, and asks the rails for their outcomes. */
export function createPayoutService(deps: PayoutDeps) {
  const { database, rails } = deps
  const stepDeps: StepDeps = {
    ...deps,
    settlement: createSettlementService(deps),
    readAttempts: createAttemptReader(database),
    commitBatch: createBatchCommitter(database),
    readNow: createClockReader(database),
  }
  const served = new Set(rails.all.flatMap(({ methods }) => methods))
  const unserved = (Object.keys(paymentMethods) as PaymentMethod[]).filter((method) => !served.has(method))
  const lanes: Lane[] = [
    ...rails.all.map((rail) => makeLane(stepDeps, rail, (claimed) => serve(stepDeps, rail, claimed))),
    ...(unserved.length > 0 ? [makeLane(stepDeps, noRail(unserved), (claimed) => wait(stepDeps, claimed))] : []),
  ]
  return {
    lanes,
    reports: createReportService(stepDeps),

    /** Makes the open payouts of a transaction due now; answers their references at the rail. */
    expedite: (
      tx: Tx,
      transaction: { organizationId: string; transactionId: string },
      purposes: readonly PayoutPurpose[],
    ): Promise<Pick<Payout, 'payoutId' | 'shortReference'>[]> => expeditePayouts(tx, transaction, purposes),

    /** Makes open payouts due now: their rail has news. */
    expediteAll: (tx: Tx, payouts: readonly { organizationId: string; payoutId: string }[]): Promise<void> =>
      expediteOpen(tx, payouts),

    /** Takes back confirmations in blocks above this one, which a chain has dropped; answers the payouts. */
    unconfirm: async (tx: Tx, network: Network, dropped: DroppedBlocks): Promise<UnconfirmedPayout[]> => {
      await takeFromWorkers(tx, network)
      return unconfirmPayouts(tx, network, dropped)
    },

    count: () => store.countPayouts(database),
    countUnsealed: () => countUnsealed(database),
    /** The checks of `svc verify` that need the keys of seals. */
    checks: createSealChecks(deps),
  }
}

type LaneRail = Pick<Rail, 'name' | 'methods'> & {
  capabilities: Pick<Rail['capabilities'], 'batchSize' | 'batchesTogether'>
}

const noRail = (methods: readonly PaymentMethod[]): LaneRail => ({
  name: 'no rail',
  methods,
  capabilities: { batchSize: 1 },
})

function makeLane(
  deps: StepDeps,
  { name, methods, capabilities: { batchSize, batchesTogether = 1 } }: LaneRail,
  act: (claimed: readonly store.ClaimedPayout[]) => Promise<void>,
): Lane {
  const round = startRound()
  return {
    name,
    due: store.duePayouts(methods),
    together: batchesTogether,
    payDue: async (limit, leaseMs) => {
      const claimed = await store.claimPayouts(
        deps.database,
        { limit: Math.max(limit, batchSize), leaseMs, methods },
        round,
      )
      if (claimed.length > 0) deps.onPoint('payouts claimed')
      await act(claimed)
      return claimed.length
    },
  }
}

async function serve(deps: StepDeps, rail: Rail, claimed: readonly store.ClaimedPayout[]): Promise<void> {
  const waiting = claimed.filter(({ status }) => status === 'WAITING')
  const unprepared = claimed.filter(({ status, isPrepared }) => status === 'SENDING' && !isPrepared)
  const others = claimed.filter((payout) => payout.status !== 'WAITING' && !unprepared.includes(payout))
  const orders = await buildOrders(deps, rail, await findSealed(deps, waiting), ({ attempts }) => attempts + 1)
  const { started, rejected } = await start(
    deps,
    waiting.filter(({ payoutId }) => orders.has(payoutId)),
  )
  if (started.length > 0) deps.onPoint('payouts started')
  await Promise.all([
    leave(deps, rail, withOrders(started, orders)),
    leaveAgain(deps, rail, unprepared),
    ...others.map((payout) => advance(deps, payout, () => ask(deps, rail, payout))),
    ...rejected.map((payout) => advance(deps, payout, () => reject(deps, payout))),
  ])
}

/** No rail serves the method: what has not left waits, and what has left cannot be asked about. */
async function wait(deps: StepDeps, claimed: readonly store.ClaimedPayout[]): Promise<void> {
  if (claimed.length > 0) deps.onWaiting('NO_RAIL', claimed.length)
  await store.postponePayouts(deps.database, claimed, recheckInSeconds)
}

/** An operator may expedite a payout before the signer has sealed it. The seal makes it due again. */
async function findSealed(
  deps: PayoutDeps,
  waiting: readonly store.ClaimedPayout[],
): Promise<readonly store.ClaimedPayout[]> {
  const unsealed = waiting.filter(({ seal }) => seal === null)
  if (unsealed.length > 0) deps.onWaiting('NOT_SEALED', unsealed.length)
  await awaitSeals(deps.database, unsealed)
  return waiting.filter(({ seal }) => seal !== null)
}

type StartResult = { started: store.ClaimedPayout[]; rejected: store.ClaimedPayout[] }

/** Starts the payouts that are not halted, not blocked and funded. The others wait. */
async function start(deps: PayoutDeps, waiting: readonly store.ClaimedPayout[]): Promise<StartResult> {
  const { database, onWaiting } = deps
  if (waiting.length === 0) return { started: [], rejected: [] }
  const { ready, rejected } = await chooseReady(deps, waiting)
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
