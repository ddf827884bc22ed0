import type { Asset } from '../../catalog/currencies.ts'
import type { Tx } from '../../db/database.ts'
import { insertPayout } from '../payouts/store.ts'
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

/** Records a disbursement, and owes its payout. The money must be reserved before. */
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
