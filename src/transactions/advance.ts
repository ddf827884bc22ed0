import type { Asset } from '../catalog/currencies.ts'
import type { Database, Queryable } from '../db/database.ts'
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
import { isTurnedAway } from './screening/eligibility.ts'
import { readStanding } from './screening/eligibility-store.ts'
import type { TransactionRow } from './transaction.ts'

export type ProgressOptions = AccountScreening & {
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
export function makeProgress(options: ProgressOptions) {
  const { database } = options
  return {
    carryOnDue: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimTransactions(database, { limit, leaseMs })
      if (claimed.length > 0) options.onPoint('transactions claimed')
      for (const row of claimed) {
        await carryOn(options, row)
        options.onPoint('transaction carried on')
      }
      return claimed.length
    },
  }
}

/** One that cannot be carried on keeps back no other: it is tried again a minute later. */
async function carryOn(options: ProgressOptions, row: store.ClaimedTransaction): Promise<void> {
  try {
    if (row.step === 'AWAIT') await endOfTime(options, row)
    else if (row.step === 'SCREEN' || row.step === 'FROZEN') await screen(options, row)
    else await store.setStep(options.database, row, row.step, null)
  } catch (error) {
    if (error instanceof LeaseLost) return
    options.onFailure(error)
    await store.postponeTransaction(options.database, row, minute)
  }
}

/** The customer's time is over. Money that was seen and is not counted yet, or is held, was in time. */
async function endOfTime(options: ProgressOptions, row: store.ClaimedTransaction): Promise<void> {
  const { ledger, onPoint } = options
  await options.database.transaction(async (transaction) => {
    const locked = await store.lockTransaction(transaction, row)
    // Somebody changed it since it was claimed, and said what comes next.
    if (locked?.status !== 'AWAITING_TRANSFER') return
    if (await store.isMoneyComing(transaction, locked)) return void (await store.setStep(transaction, row, 'AWAIT', 1))
    if (await isMoneyHeld(transaction, locked)) return void (await store.setStep(transaction, row, 'AWAIT', minute))
    if (BigInt(locked.receivedAmount) === 0n) {
      requireFence([await moveTransaction(transaction, row, 'expire', { step: 'DONE' })].filter(Boolean))
    } else {
      const failure = { failureReason: 'insufficient_funds_received', labels: ['UNDERPAID'] } as const
      await failWithRefund({ ledger }, transaction, { ...locked, fence: row.fence }, failure)
    }
    onPoint('end of time about to be committed')
  })
}

/**
 * Looks at the parties, and goes on with the money if nothing is found. What is found stops it, and tells nobody. Once a
 * person has decided against the customer it ends.
 */
async function screen(options: ProgressOptions, row: store.ClaimedTransaction): Promise<void> {
  const isCounterpartyBlocked = await screenCounterparty(options, row)
  await options.database.transaction(async (transaction) => {
    const { organizationId, customerId } = row
    const isStopped =
      isCounterpartyBlocked ||
      (await options.screening.isBlocked(transaction, organizationId, customerId)) ||
      (await store.readCustomerStatus(transaction, row)) !== 'ACTIVE'
    // A cancellation may have come first; then there is nothing to take.
    const taken =
      row.status === 'CREATED'
        ? await moveTransaction(transaction, row, 'take', { step: 'SCREEN' })
        : await store.setStep(transaction, row, 'SCREEN', null)
    if (taken?.status !== 'PROCESSING') return
    if (isStopped) {
      if (isTurnedAway(await readStanding(transaction, row))) {
        const turnedAway = { ...taken, fence: row.fence }
        return failWithRefund(options, transaction, turnedAway, { failureReason: 'compliance_rejected' })
      }
      if (row.step !== 'FROZEN') await store.recordStep(transaction, row, 'FROZEN')
      await store.setStep(transaction, row, 'FROZEN', hour)
      return
    }
    await store.recordStep(transaction, row, 'SCREENED')
    await execute(options, transaction, { ...taken, fence: row.fence })
    options.onPoint('transaction about to be committed')
  })
}

async function screenCounterparty(options: ProgressOptions, row: TransactionRow): Promise<boolean> {
  if (row.isToWallet) return false
  const { organizationId, customerId, destinationMethod: method, destinationPaymentAccountId: paymentAccountId } = row
  return isAccountBlocked(options, { organizationId, customerId, method, paymentAccountId })
}

/** The money that is here becomes the money that leaves, and is owed from now on. */
async function execute(options: ProgressOptions, transaction: Queryable, row: store.ClaimedTransaction): Promise<void> {
  let priced: TransactionRow = row
  if (needsNewPrice(row)) {
    const rate = options.rateNow(row.sourceAsset, row.destinationAsset)
    if (!rate) return void (await store.setStep(transaction, row, 'SCREEN', minute))
    const terms = repriceAt(row, rate)
    if (!terms) return void (await failWithRefund(options, transaction, row, { failureReason: 'price_moved' }))
    const { exchangeRate: quoted } = row
    await store.recordStep(transaction, row, 'REPRICED', { quoted, exchangeRate: terms.exchangeRate })
    priced = await changeDetails(transaction, row, { terms: { ...terms, parts: repriceParts(row, terms) } })
  }
  requirePosted(await options.ledger.post(transaction, executionBookings(priced)))
  const { organizationId, transactionId, customerId } = priced
  await insertPayout(transaction, {
    ...{ organizationId, payoutId: newId(), transactionId, depositId: null, customerId, purpose: 'PAYOUT' },
    ...{ method: priced.destinationMethod, asset: priced.destinationAsset, amount: BigInt(priced.destinationAmount) },
    paymentAccountId: priced.destinationPaymentAccountId,
    fromWalletId: isDirect(priced) ? priced.sourcePaymentAccountId : null,
  })
  await store.recordStep(transaction, row, 'EXECUTED')
  requireFence([await store.setStep(transaction, row, 'PAYOUT', null)].filter(Boolean))
}
