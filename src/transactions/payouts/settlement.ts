import { createBatcher } from '../../db/batcher.ts'
import type { Tx } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import { payoutBooking } from '../bookings.ts'
import { emitTransactions, requirePosted } from '../change.ts'
import { freedByConfirmation } from '../liquidity.ts'
import { confirmPayout, lockCausesOfAll, type SettlementDeps } from '../settle.ts'
import { type Transaction, transactionMoves } from '../transaction.ts'
import { addLiquidity } from '../treasury/liquidity-store.ts'
import { collectSources, confirmOwnMovements } from './collections/collection.ts'
import { costBookings, takenByCosts } from './collections/costs.ts'
import { isOwnMovement, payoutMoves } from './payout.ts'
import * as store from './settlement-store.ts'
import type { ClaimedPayout } from './store.ts'

export type SettlementService = ReturnType<typeof createSettlementService>

/** One batch at a time: answers that arrive meanwhile share the next one. */
const batches = { batchSize: 100, concurrency: 1, collects: true }

/**
 * Records what rails answered. Answers that arrive together share one database transaction, and no answer waits for a
 * slower rail. When the database transaction fails, each answer gets its own, so that one payout blocks no other.
 */
export function createSettlementService(deps: SettlementDeps) {
  const completeTogether = createBatcher({
    run: (confirmations: readonly store.Confirmation[]) =>
      deps.database.inTx((tx) => completeInTx(deps, tx, confirmations)),
    ...batches,
  })
  const collectTogether = createBatcher({
    run: (confirmations: readonly store.Confirmation[]) =>
      deps.database.inTx((tx) => confirmOwnMovements(deps, tx, confirmations)),
    ...batches,
  })
  const acceptTogether = createBatcher({
    run: (acceptances: readonly store.Acceptance[]) => accept(deps, acceptances),
    ...batches,
  })
  return {
    /** Records a confirmation: posting, event and completion commit together. */
    confirm: async (confirmation: store.Confirmation): Promise<void> => {
      const { payout } = confirmation
      if (payout.purpose === 'PAYOUT') return requireHeld(await completeTogether(confirmation))
      if (isOwnMovement(payout)) return requireHeld(await collectTogether(confirmation))
      return confirmPayout(deps, confirmation)
    },

    /** Records that the rail accepted a payout; the worker asks for its outcome. */
    accept: async (accepted: store.Acceptance): Promise<void> => requireHeld(await acceptTogether(accepted)),
  }
}

export function requireHeld(isHeld: boolean): void {
  if (!isHeld) throw new LeaseLost('the lease ended and another worker took this payout over')
}

/**
 * Confirms payouts and completes their transactions; answers for each whether this worker still held it. Locks in one
 * order: payouts, transactions, the ledger's rows, liquidity.
 */
export async function completeInTx(
  { ledger, onPoint }: SettlementDeps,
  tx: Tx,
  confirmations: readonly store.Confirmation[],
): Promise<boolean[]> {
  const areHeld = await store.confirmPayouts(tx, payoutMoves.confirm, confirmations)
  const held = confirmations.filter((_, at) => areHeld[at])
  const settled = await joinTransactions(tx, held)
  const showOnCauses = await lockCausesOfAll(
    tx,
    settled.map(({ transaction }) => transaction),
  )
  const bookings = settled.map(({ payout, transaction }) => payoutBooking(transaction, payout.paysFrom))
  const costs = held.flatMap(({ payout, payment }) => costBookings(payout, payment))
  requirePosted(await ledger.post(tx, [...bookings, ...costs]))
  const completed = await store.completeTransactions(tx, transactionMoves.complete, held)
  requireCompleted(settled, completed)
  await emitTransactions(tx, completed)
  await showOnCauses()
  await collectSources(tx, completed)
  await addLiquidity(tx, [
    ...settled.flatMap(({ payout, transaction }) => freedByConfirmation(payout, transaction)),
    ...held.flatMap(({ payout, payment }) => takenByCosts(payout, payment)),
  ])
  for (const _ of held) onPoint('confirmed payout about to be committed')
  return areHeld
}

type Settled = { payout: ClaimedPayout; transaction: Transaction }

async function joinTransactions(tx: Tx, held: readonly store.Confirmation[]): Promise<Settled[]> {
  const payouts = held.map(({ payout }) => payout)
  const transactions = await store.lockTransactions(tx, payouts)
  const byId = new Map(transactions.map((transaction) => [transaction.transactionId, transaction]))
  return payouts.map((payout) => {
    const transaction = byId.get(payout.transactionId ?? '')
    if (!transaction) throw new Error(`payout ${payout.payoutId} has no transaction`)
    return { payout, transaction }
  })
}

/** Throws when a transaction could not complete: a batch then fails, and the payout of that transaction fails alone. */
function requireCompleted(settled: readonly Settled[], completed: readonly Transaction[]): void {
  const ids = new Set(completed.map(({ transactionId }) => transactionId))
  const failed = settled.find(({ transaction }) => !ids.has(transaction.transactionId))?.transaction
  if (failed) throw new Error(`transaction ${failed.transactionId} is ${failed.status}, but its payout was confirmed`)
}

async function accept(deps: SettlementDeps, acceptances: readonly store.Acceptance[]): Promise<boolean[]> {
  return deps.database.inTx(async (tx) => {
    const areHeld = await store.acceptPayouts(tx, payoutMoves.accept, acceptances)
    for (const isHeld of areHeld) if (isHeld) deps.onPoint('accepted payout about to be committed')
    return areHeld
  })
}
