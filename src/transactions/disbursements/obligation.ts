import type { Asset } from '../../catalog/currencies.ts'
import type { Tx } from '../../db/database.ts'
import { refusedByPolicy } from '../../policies/refusal.ts'
import { insertPayout } from '../payouts/store.ts'
import { orderPayout } from '../refunds/policy-store.ts'
import type { RefundDestination } from '../refunds/refund-account.ts'
import { insertDisbursement, type NewDisbursement } from './store.ts'

/** A disbursement with the payout that it owes. */
export type OwedDisbursement = NewDisbursement & {
  asset: Asset
  amount: bigint
  to: RefundDestination
  /** The holding that keeps the money. */
  heldAt: string
  /** The wallet that pays by itself; null when a holding of ours does. */
  fromWalletId: string | null
  isReleased?: boolean
}

type OrderedDisbursement = {
  organizationId: string
  disbursementId: string
  customerId: string
  to: RefundDestination
  /** The key that ordered it. */
  apiKeyId: string
  /** Undefined while there is no price. */
  usdCents: bigint | undefined
}

/**
 * Weighs and counts a disbursement as any payment, except that it cannot wait for an approval: a rule that demands one
 * refuses it. Must run before the money is reserved: a creation locks the counters of policies before balances, too.
 */
export async function countDisbursement(
  tx: Tx,
  { disbursementId: payoutId, to, usdCents, ...ordered }: OrderedDisbursement,
): Promise<void> {
  const refusing = await orderPayout(tx, { ...ordered, ...to, payoutId, usdCents: usdCents ?? null })
  if (refusing) throw refusedByPolicy('destinationPaymentAccountId', refusing)
}

/** Records a disbursement, and owes its payout. It must be counted, and its money reserved, before. */
export async function oweDisbursement(tx: Tx, owed: OwedDisbursement): Promise<void> {
  const { organizationId, disbursementId, customerId, to, asset, amount, fromWalletId, heldAt } = owed
  await insertPayout(tx, {
    organizationId,
    payoutId: disbursementId,
    transactionId: null,
    depositId: null,
    customerId,
    purpose: 'DISBURSEMENT',
    method: to.method,
    asset,
    amount,
    paymentAccountId: to.paymentAccountId,
    fromWalletId,
    heldAt,
    ...(owed.isReleased === undefined ? {} : { isReleased: owed.isReleased }),
  })
  await insertDisbursement(tx, owed)
}
