import type { Tx } from '../../../db/database.ts'
import { type NewPosting, referenceOf } from '../../../ledger/posting.ts'
import * as postings from '../../../ledger/postings.ts'
import type { LedgerService } from '../../../ledger/service.ts'
import { isCollected, referenceFor } from '../../bookings.ts'
import { requirePosted } from '../../change.ts'
import { freedByRefusal } from '../../liquidity.ts'
import type { Transaction } from '../../transaction.ts'
import { addLiquidity, type LiquidityChange } from '../../treasury/liquidity-store.ts'
import { type Payout, payoutMoves } from '../payout.ts'
import { type Confirmation, confirmPayouts } from '../settlement-store.ts'
import { type ClaimedPayout, recordAttempt, resolvePayout } from '../store.ts'
import { type Collection, insertCollections } from './collection-store.ts'
import { costBookings, takenByCosts } from './costs.ts'

type CollectionDeps = { ledger: LedgerService; onPoint(point: string): void }

/** Owes our treasury the tokens of paid transactions, which lie at addresses of their customers. */
export async function collectSources(tx: Tx, paid: readonly Transaction[]): Promise<void> {
  await insertCollections(tx, paid.filter(isCollected).map(sourceOf))
}

/** The source of a transaction, at the wallet that paid or at the deposit address of the transaction. */
function sourceOf(transaction: Transaction): Collection {
  const { organizationId, transactionId, customerId, isFromWallet } = transaction
  return {
    organizationId,
    transactionId,
    customerId,
    purpose: 'COLLECT',
    method: transaction.sourceMethod,
    asset: transaction.sourceAsset,
    amount: transaction.sourceAmount,
    developerFees: transaction.developerFee,
    fromWalletId: isFromWallet ? transaction.sourcePaymentAccountId : transactionId,
  }
}

/**
 * Records tokens that arrived at our treasury, where payouts may use them from now on, or at our reserve. Answers for
 * each whether this worker still held it. Locks in one order: payouts, the ledger's rows, liquidity.
 */
export async function confirmOwnMovements(
  { ledger, onPoint }: CollectionDeps,
  tx: Tx,
  confirmations: readonly Pick<Confirmation, 'payout' | 'payment'>[],
): Promise<boolean[]> {
  // No address of ours returns anything, so that nothing is asked about it again.
  const once = confirmations.map(({ payout, payment }) => ({ payout, payment }))
  const areHeld = await confirmPayouts(tx, payoutMoves.confirm, once)
  const held = confirmations.filter((_, at) => areHeld[at])
  const bookings = held.flatMap(({ payout, payment }) => [bookingOf(payout), ...costBookings(payout, payment)])
  requirePosted(await ledger.post(tx, bookings))
  await addLiquidity(
    tx,
    held.flatMap(({ payout, payment }) => [...freedByArrival(payout), ...takenByCosts(payout, payment)]),
  )
  for (const _ of held) onPoint('confirmed payout about to be committed')
  return areHeld
}

/** Records that a network refused, or that an operator withdrew what never started. The tokens stay where they are; `svc treasury collect` owes collections again. */
export async function refuseOwnMovement(
  { onPoint }: CollectionDeps,
  tx: Tx,
  payout: ClaimedPayout,
  reason: string,
  isWithdrawn: boolean,
): Promise<void> {
  await resolvePayout(tx, payout, isWithdrawn ? payoutMoves.withdraw : payoutMoves.refuse, { reason })
  await recordAttempt(tx, payout, 'REFUSED', { reason })
  if (!isWithdrawn) await addLiquidity(tx, freedByRefusal(payout))
  onPoint('refused payout about to be committed')
}

/** Tokens that went to our reserve were taken from liquidity when they started. */
function freedByArrival(payout: Payout): LiquidityChange[] {
  const { organizationId, asset, purpose } = payout
  if (purpose === 'REBALANCE') return []
  const { svcFee: available, developerFee: developerFees } = shareOf(payout)
  return [{ organizationId, at: { holding: 'TREASURY' }, asset, available, developerFees }]
}

function bookingOf(payout: Payout): NewPosting {
  const { organizationId, payoutId, transactionId, fromWalletId, asset } = payout
  if (payout.purpose === 'REBALANCE') {
    const reference = referenceOf({ type: 'payout', id: payoutId }, 'reserve')
    return { organizationId, reference, ...postings.withdraw({ at: 'TREASURY', asset, amount: BigInt(payout.amount) }) }
  }
  if (transactionId !== null) {
    const reference = referenceFor({ transactionId }, 'collect')
    return { organizationId, reference, ...postings.collect({ asset, amount: BigInt(payout.amount) }) }
  }
  if (fromWalletId === null) throw new Error(`sweep ${payoutId} names no wallet`)
  const reference = referenceOf({ type: 'payout', id: payoutId }, 'sweep')
  const swept = postings.sweepFees({ paymentAccountId: fromWalletId, asset, ...shareOf(payout) })
  return { organizationId, reference, ...swept }
}

/** Divides collected tokens into ours and the integrator's. */
function shareOf({ amount, developerFees }: Payout) {
  const developerFee = BigInt(developerFees ?? 0)
  return { svcFee: BigInt(amount) - developerFee, developerFee }
}
