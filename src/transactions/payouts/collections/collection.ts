import type { Tx } from '../../../db/database.ts'
import { type NewPosting, referenceOf } from '../../../ledger/posting.ts'
import * as postings from '../../../ledger/postings.ts'
import type { LedgerService } from '../../../ledger/service.ts'
import { isCollected, referenceFor } from '../../bookings.ts'
import { requirePosted } from '../../change.ts'
import type { Transaction } from '../../transaction.ts'
import { addLiquidity } from '../../treasury/liquidity-store.ts'
import { type Payout, payoutMoves } from '../payout.ts'
import type { Payment } from '../rail.ts'
import { paymentDetails } from '../settlement-store.ts'
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

/** Records tokens that arrived at our treasury. From now on payouts may use them. */
export async function confirmCollection(
  { ledger, onPoint }: CollectionDeps,
  tx: Tx,
  payout: ClaimedPayout,
  payment: Payment,
): Promise<void> {
  const { externalReference } = payment
  await resolvePayout(tx, payout, payoutMoves.confirm, { externalReference })
  await recordAttempt(tx, payout, 'CONFIRMED', paymentDetails(payment))
  requirePosted(await ledger.post(tx, [bookingOf(payout), ...costBookings(payout, payment)]))
  const { organizationId, asset } = payout
  const { svcFee: available, developerFee: developerFees } = shareOf(payout)
  const arrived = { organizationId, at: { holding: 'TREASURY' }, asset, available, developerFees }
  await addLiquidity(tx, [arrived, ...takenByCosts(payout, payment)])
  onPoint('confirmed payout about to be committed')
}

/** Records that a network refused. The tokens stay where they are; `svc treasury collect` owes them again. */
export async function refuseCollection(
  { onPoint }: CollectionDeps,
  tx: Tx,
  payout: ClaimedPayout,
  reason: string,
): Promise<void> {
  await resolvePayout(tx, payout, payoutMoves.refuse, { reason })
  await recordAttempt(tx, payout, 'REFUSED', { reason })
  onPoint('refused payout about to be committed')
}

function bookingOf(payout: Payout): NewPosting {
  const { organizationId, payoutId, transactionId, fromWalletId, asset } = payout
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
