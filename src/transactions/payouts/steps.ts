import { createBatcher } from '../../db/batcher.ts'
import { readClock } from '../../db/business-clock.ts'
import type { Queryable } from '../../db/database.ts'
import { advanceClaimed } from '../../db/work.ts'
import type { LiquidityDeps } from '../liquidity.ts'
import type { Screener } from '../screening/screening.ts'
import type { SettlementDeps } from '../settle.ts'
import type { OrderDeps } from './order.ts'
import type { Payout } from './payout.ts'
import { commitBatches, type LeavingBatch, readAttempts } from './preparation-store.ts'
import type { RailCall, Rails } from './rail.ts'
import type { SettlementService } from './settlement.ts'
import * as store from './store.ts'

export type PayoutDeps = LiquidityDeps &
  OrderDeps &
  SettlementDeps & {
    rails: Rails
    /** Seals the bytes that leave. */
    batchKey: Buffer
    screening: Screener<Queryable>
    /** The timeout of a call to a rail. After it the outcome is unknown. */
    timeoutMs: number
    /** Reports payouts that keep waiting, and why. */
    onWaiting(reason: WaitReason, payouts: number): void
    /** Raises the alarm and halts payouts of the asset. */
    onWrongSeal(payout: Payout, problem: string): Promise<void>
    /** A rail reports a reference that no payout has. */
    onUnmatchedReport(report: { rail: string; reference: string }): void
    onFailure(error: unknown): void
  }

export type WaitReason =
  | ('NO_RAIL' | 'NOT_SEALED' | 'HALTED' | 'BLOCKED' | 'NO_LIQUIDITY' | 'NOT_NOW' | 'CONTRADICTED')
  /** A kill switch, or quiet hours. */
  | 'POLICY'
  /** No current watch list. */
  | 'UNSCREENED'

/** The dependencies of the steps, with the batches that all payouts of this worker share. */
export type StepDeps = PayoutDeps & {
  settlement: SettlementService
  /** Reads the attempts of a payout that may have left. Questions of one moment share a statement. */
  readAttempts: ReturnType<typeof createAttemptReader>
  /** Commits the bytes of a batch, if this worker still holds its payouts. Batches of one moment share a statement. */
  commitBatch: ReturnType<typeof createBatchCommitter>
  /** Reads business time. Questions of one moment share a statement. */
  readNow: ReturnType<typeof createClockReader>
}

/** A batch that PostgreSQL refuses rolls all back; the others are then committed without it. */
export function createBatchCommitter(database: Queryable) {
  return createBatcher({
    batchSize: 100,
    concurrency: 1,
    collects: true,
    run: (batches: readonly LeavingBatch[]) => commitBatches(database, batches),
  })
}

export function createClockReader(database: Queryable) {
  return createBatcher({
    batchSize: 1_000,
    concurrency: 1,
    collects: true,
    run: async (askers: readonly unknown[]) => {
      const { now } = await readClock(database)
      return askers.map(() => now)
    },
  })
}

export function createAttemptReader(database: Queryable) {
  return createBatcher({
    batchSize: 100,
    concurrency: 2,
    collects: true,
    run: async (payouts: readonly store.ClaimedPayout[]) => {
      const attempts = Map.groupBy(await readAttempts(database, payouts), ({ reference }) => reference)
      return payouts.map(({ payoutId }) => attempts.get(payoutId) ?? [])
    },
  })
}

export const recheckInSeconds = 60

/** Runs one step about a payout. The outcome of a step that failed is unknown, so the worker asks the rail later. */
export function advance(deps: StepDeps, payout: store.ClaimedPayout, step: () => Promise<void>): Promise<void> {
  const work = {
    advance: step,
    postpone: (claimed: store.ClaimedPayout) => store.postponePayouts(deps.database, [claimed], recheckInSeconds),
    onFailure: deps.onFailure,
    onAdvanced: () => deps.onPoint('payout advanced'),
  }
  return advanceClaimed(work, payout)
}

/**
 * Calls a rail. An error, a lost reply and a timeout are alike: undefined, the outcome is unknown. The signal tells the
 * rail that no one waits any more: it must not begin to submit.
 */
export async function callRail<Answer>(
  { timeoutMs, onFailure }: Pick<PayoutDeps, 'timeoutMs' | 'onFailure'>,
  call: (call: RailCall) => Promise<Answer>,
): Promise<Answer | undefined> {
  const ended = new AbortController()
  const { promise: timedOut, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), timeoutMs)
  const answer = call({ signal: ended.signal }).catch((error: unknown) => {
    if (!ended.signal.aborted) onFailure(error)
    return undefined
  })
  return Promise.race([answer, timedOut]).finally(() => {
    clearTimeout(timer)
    ended.abort()
  })
}
