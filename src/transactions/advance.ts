import type { Asset } from '../catalog/currencies.ts'
import type { Database, Tx } from '../db/database.ts'
import { LeaseLost, requireFence } from '../db/work.ts'
import type { LedgerService } from '../ledger/service.ts'
import { newId } from '../lib/ids.ts'
import type { Rate } from '../lib/money.ts'
import { executionBookings, isDirect } from './bookings.ts'
import { changeDetails, moveTransaction, requirePosted } from './change.ts'
import * as store from './change-store.ts'
import { isMoneyHeld } from './deposits/store.ts'
import { repriceParts } from './parts.ts'
import { insertPayout } from './payouts/store.ts'
import { failWithRefund } from './refund.ts'
import { needsNewPrice, repriceAt } from './reprice.ts'
import { type AccountScreening, isAccountBlocked } from './screening/account.ts'
import { isRejected } from './screening/eligibility.ts'
import { readEligibility } from './screening/eligibility-store.ts'
import type { Transaction } from './transaction.ts'

export type ProgressDeps = AccountScreening & {
  database: Database
  ledger: LedgerService
  /** What one asset is worth in the other now; undefined while there is no price. */
  rateNow(source: Asset, destination: Asset): Rate | undefined
  onFailure(error: unknown): void
  onPoint(point: string): void
}

const hour = 3_600
const minute = 60

/** Carries transactions forward, one recorded step at a time. */
export function createAdvanceService(deps: ProgressDeps) {
  const { database } = deps
  return {
    advanceDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimTransactions(database, { limit, leaseMs })
      if (claimed.length > 0) deps.onPoint('transactions claimed')
      for (const transaction of claimed) {
        await advance(deps, transaction)
        deps.onPoint('transaction advanced')
      }
      return claimed.length
    },
  }
}

/** One that cannot be carried on keeps back no other: it is tried again a minute later. */
async function advance(deps: ProgressDeps, transaction: store.ClaimedTransaction): Promise<void> {
  try {
    if (transaction.step === 'AWAIT') await endOfTime(deps, transaction)
    else if (transaction.step === 'SCREEN' || transaction.step === 'FROZEN') await screen(deps, transaction)
    else await store.setStep(deps.database, transaction, transaction.step, null)
  } catch (error) {
    if (error instanceof LeaseLost) return
    deps.onFailure(error)
    await store.postponeTransaction(deps.database, transaction, minute)
  }
}

/** The customer's time is over. Money that was seen and is not counted yet, or is held, was in time. */
async function endOfTime(deps: ProgressDeps, transaction: store.ClaimedTransaction): Promise<void> {
  const { ledger, onPoint } = deps
  await deps.database.inTx(async (tx) => {
    const locked = await store.lockTransaction(tx, transaction)
    // Somebody changed it since it was claimed, and said what comes next.
    if (locked?.status !== 'AWAITING_TRANSFER') return
    if (await store.isMoneyComing(tx, locked)) return void (await store.setStep(tx, transaction, 'AWAIT', 1))
    if (await isMoneyHeld(tx, locked)) return void (await store.setStep(tx, transaction, 'AWAIT', minute))
    if (BigInt(locked.receivedAmount) === 0n) {
      requireFence([await moveTransaction(tx, transaction, 'expire', { step: 'DONE' })].filter(Boolean))
    } else {
      const failure = { failureReason: 'insufficient_funds_received', labels: ['UNDERPAID'] } as const
      await failWithRefund({ ledger }, tx, { ...locked, fence: transaction.fence }, failure)
    }
    onPoint('end of time about to be committed')
  })
}

/**
 * Looks at the parties, and goes on with the money if nothing is found. What is found stops it, and tells nobody. Once a
 * person has decided against the customer it ends.
 */
async function screen(deps: ProgressDeps, transaction: store.ClaimedTransaction): Promise<void> {
  const isCounterpartyBlocked = await screenCounterparty(deps, transaction)
  await deps.database.inTx(async (tx) => {
    const { organizationId, customerId } = transaction
    const isStopped =
      isCounterpartyBlocked ||
      (await deps.screening.isBlocked(tx, organizationId, customerId)) ||
      (await store.readCustomerStatus(tx, transaction)) !== 'ACTIVE'
    // A cancellation may have come first; then there is nothing to take.
    const taken =
      transaction.status === 'CREATED'
        ? await moveTransaction(tx, transaction, 'take', { step: 'SCREEN' })
        : await store.setStep(tx, transaction, 'SCREEN', null)
    if (taken?.status !== 'PROCESSING') return
    if (isStopped) {
      if (isRejected(await readEligibility(tx, transaction))) {
        const rejected = { ...taken, fence: transaction.fence }
        return failWithRefund(deps, tx, rejected, { failureReason: 'compliance_rejected' })
      }
      if (transaction.step !== 'FROZEN') await store.recordStep(tx, transaction, 'FROZEN')
      await store.setStep(tx, transaction, 'FROZEN', hour)
      return
    }
    await store.recordStep(tx, transaction, 'SCREENED')
    await execute(deps, tx, { ...taken, fence: transaction.fence })
    deps.onPoint('transaction about to be committed')
  })
}

async function screenCounterparty(deps: ProgressDeps, transaction: Transaction): Promise<boolean> {
  if (transaction.isToWallet) return false
  const {
    organizationId,
    customerId,
    destinationMethod: method,
    destinationPaymentAccountId: paymentAccountId,
  } = transaction
  return isAccountBlocked(deps, { organizationId, customerId, method, paymentAccountId })
}

/** The money that is here becomes the money that leaves, and is owed from now on. */
async function execute(deps: ProgressDeps, tx: Tx, transaction: store.ClaimedTransaction): Promise<void> {
  let priced: Transaction = transaction
  if (needsNewPrice(transaction)) {
    const rate = deps.rateNow(transaction.sourceAsset, transaction.destinationAsset)
    if (!rate) return void (await store.setStep(tx, transaction, 'SCREEN', minute))
    const terms = repriceAt(transaction, rate)
    if (!terms) return void (await failWithRefund(deps, tx, transaction, { failureReason: 'price_moved' }))
    const { exchangeRate: quoted } = transaction
    await store.recordStep(tx, transaction, 'REPRICED', { quoted, exchangeRate: terms.exchangeRate })
    priced = await changeDetails(tx, transaction, { terms: { ...terms, parts: repriceParts(transaction, terms) } })
  }
  requirePosted(await deps.ledger.post(tx, executionBookings(priced)))
  const { organizationId, transactionId, customerId } = priced
  await insertPayout(tx, {
    ...{ organizationId, payoutId: newId(), transactionId, depositId: null, customerId, purpose: 'PAYOUT' },
    ...{ method: priced.destinationMethod, asset: priced.destinationAsset, amount: BigInt(priced.destinationAmount) },
    paymentAccountId: priced.destinationPaymentAccountId,
    fromWalletId: isDirect(priced) ? priced.sourcePaymentAccountId : null,
  })
  await store.recordStep(tx, transaction, 'EXECUTED')
  requireFence([await store.setStep(tx, transaction, 'PAYOUT', null)].filter(Boolean))
}
