import type { Tx } from '../../db/database.ts'
import { refundToCustomer, resolveSuspense } from '../../ledger/postings.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { newId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import { referenceFor } from '../bookings.ts'
import { requirePosted } from '../change.ts'
import { recordStep } from '../change-store.ts'
import { referenceFor as depositReferenceFor, resolutionBookings } from '../deposits/bookings.ts'
import { type DepositPresentation, insertReturn, moveDeposit } from '../deposits/change.ts'
import { insertPayout, type NewPayout } from '../payouts/store.ts'
import { orderElsewhere, type Valuing } from '../refunds/policy.ts'
import { isToPayer } from '../refunds/policy-store.ts'
import { findRefundDestination, type RefundDestination } from '../refunds/refund-account.ts'
import { stepMoney } from '../timeline/timeline.ts'
import type { Transaction } from '../transaction.ts'
import type { UndecidedRefund } from './store.ts'

/** Retries a refund: to its original account, or to another registered account of the customer. */
export async function retryRefund(
  deps: Valuing,
  tx: Tx,
  transaction: Transaction,
  refund: UndecidedRefund,
  { to, isReleased, apiKeyId }: { to: RefundDestination | undefined; isReleased: boolean; apiKeyId: string },
): Promise<void> {
  const { purpose, asset } = refund
  // The named account takes the source asset only, so a refund of another token ignores it.
  const named = asset === transaction.sourceAsset ? to : undefined
  const wanted = named?.paymentAccountId ?? refund.paymentAccountId
  const destination = await findRefundDestination(tx, transaction, asset, wanted)
  if (!destination) {
    throw new Refusal(
      'CONFLICT',
      'The source account cannot take a refund: name another one in `paymentAccountId`, or credit the customer',
    )
  }
  const replacement = replacementOf(refund)
  const isBack = await isToPayer(tx, refund, destination.paymentAccountId)
  if (!isBack) await orderElsewhere(deps, tx, { ...replacement, customerId: refund.customerId, apiKeyId }, destination)
  await insertReplacement(tx, { ...replacement, ...destination, isReleased })
  await recordStep(tx, transaction, `${purpose}_OWED`, stepMoney(refund.owedAmount, asset))
}

/** Keeps a refund for the customer instead, in the currency of the deposit. */
export async function creditRefund(
  deps: DepositPresentation & { ledger: LedgerService },
  tx: Tx,
  transaction: Transaction,
  refund: UndecidedRefund,
): Promise<void> {
  const { organizationId, depositId, customerId, purpose, asset } = refund
  const amount = BigInt(refund.owedAmount)
  await recordStep(tx, transaction, `${purpose}_CREDITED`, stepMoney(refund.owedAmount, asset))
  if (depositId !== null && refund.depositStatus === 'RETURNING') {
    const changed = await moveDeposit(deps, tx, { organizationId, depositId }, 'creditInstead')
    if (!changed) throw new Error(`deposit ${depositId} changed while its return was withdrawn`)
    requirePosted(await deps.ledger.post(tx, resolutionBookings(changed, { customer: customerId })))
    return
  }
  const posting =
    depositId === null
      ? { reference: referenceFor(transaction, 'refund'), ...refundToCustomer({ asset, amount, customerId }) }
      : {
          reference: depositReferenceFor({ depositId }, 'return'),
          ...resolveSuspense({ asset, amount, to: { customer: customerId } }),
        }
  requirePosted(await deps.ledger.post(tx, [{ organizationId, ...posting }]))
  await insertReplacement(tx, { ...replacementOf(refund), status: 'CONFIRMED' })
}

function insertReplacement(tx: Tx, payout: NewPayout): Promise<void> {
  const { depositId } = payout
  return depositId === null ? insertPayout(tx, payout) : insertReturn(tx, { ...payout, depositId })
}

/** Copies a refund into a new obligation with an id of its own. */
function replacementOf(refund: UndecidedRefund): NewPayout {
  return {
    organizationId: refund.organizationId,
    payoutId: newId(),
    transactionId: refund.transactionId,
    depositId: refund.depositId,
    customerId: refund.customerId,
    purpose: refund.purpose,
    method: refund.method,
    asset: refund.asset,
    amount: BigInt(refund.owedAmount),
    paymentAccountId: refund.paymentAccountId,
    fromWalletId: refund.fromWalletId,
  }
}
