import { type Asset, isFiat } from '../catalog/currencies.ts'
import type { Database, Tx } from '../db/database.ts'
import { startRound } from '../db/fair-claims.ts'
import { requireFence } from '../db/work.ts'
import { advanceDueTogether } from '../db/workers/sets.ts'
import { newId } from '../lib/ids.ts'
import type { Rate } from '../lib/money.ts'
import type { PaymentAccountService } from '../payment-accounts/service.ts'
import { awaitApproval } from './approvals/demand.ts'
import { executionBookings, isDirect } from './bookings.ts'
import { changeDetails, moveTransaction, requirePosted } from './change.ts'
import * as store from './change-store.ts'
import { postponeExpiry } from './deposits/held-store.ts'
import { findOpenSighting, isQuarantinedInTime } from './deposits/sightings/expiry-store.ts'
import { isDepositHeld } from './deposits/store.ts'
import { insertPayout } from './payouts/store.ts'
import { failWithRefund } from './refund.ts'
import { choosePricing, repriceAt } from './reprice.ts'
import { isAccountBlocked } from './screening/account.ts'
import { isRejected } from './screening/eligibility.ts'
import { readEligibility } from './screening/eligibility-store.ts'
import { type AdvanceSetDeps, advanceTogether } from './sets/advance.ts'
import type { Transaction } from './transaction.ts'

export type AdvanceDeps = AdvanceSetDeps & {
  paymentAccounts: Pick<PaymentAccountService, 'open'>
  database: Database
  /** The rate between two assets now; undefined while no source has a price. */
  rateNow(source: Asset, destination: Asset): Rate | undefined
  onFailure(error: unknown): void
  /** Reports a set that was rolled back, before its transactions are advanced one by one. */
  onSetFailure(error: unknown): void
}

const goes: store.StartVerdict = { verdict: 'GO' }
const hour = 3_600
const minute = 60

/** Advances due transactions: together where they need no decision, else one recorded step at a time. */
export function createAdvanceService(deps: AdvanceDeps) {
  const { database } = deps
  const round = startRound()
  const memory = { isDoubted: false }
  return {
    due: store.dueTransactions,
    advanceDue: (limit: number, leaseMs: number): Promise<number> =>
      advanceDueTogether({
        claim: () => store.claimTransactions(database, { limit, leaseMs }, round),
        advanceTogether: (claimed) => advanceTogether(deps, claimed),
        onSetFailure: deps.onSetFailure,
        leaseMs,
        memory,
        advance: (transaction) => advance(deps, transaction),
        postpone: (transaction) => store.postponeTransaction(database, transaction, minute),
        onFailure: deps.onFailure,
        onClaimed: () => deps.onPoint('transactions claimed'),
        onAdvanced: () => deps.onPoint('transaction advanced'),
      }),
  }
}

async function advance(deps: AdvanceDeps, transaction: store.ClaimedTransaction): Promise<void> {
  if (transaction.step === 'AWAIT') await expire(deps, transaction)
  else if (transaction.approvalExpiresAt !== null) await holdForApproval(deps, transaction)
  else if (transaction.step === 'SCREEN' || transaction.step === 'FROZEN') await screen(deps, transaction)
  else await store.setStep(deps.database, transaction, transaction.step, null)
}

/**
 * Expires a transaction, or fails it with a refund when it was underpaid. Waits for money that the bank or chain saw in
 * time and that is not final, HELD, quarantined or not counted yet.
 */
async function expire(deps: AdvanceDeps, transaction: store.ClaimedTransaction): Promise<void> {
  const { ledger, onPoint } = deps
  await deps.database.inTx(async (tx) => {
    const locked = await store.lockTransaction(tx, transaction)
    // Another worker or an operator changed it after the claim, and set its next step.
    if (locked?.status !== 'AWAITING_TRANSFER') return
    const sighted = await findOpenSighting(tx, locked)
    if (sighted === 'DUE') return void (await store.setStep(tx, transaction, 'AWAIT', 1))
    const isUndecided =
      sighted === 'SEEN' || (await isDepositHeld(tx, locked)) || (await isQuarantinedInTime(tx, locked))
    if (isUndecided) return postponeExpiry(tx, transaction)
    if (BigInt(locked.receivedAmount) === 0n) {
      requireFence([await moveTransaction(tx, transaction, 'expire', { step: 'DONE' })].filter(Boolean))
    } else {
      const failure = { failureReason: 'insufficient_funds_received', labels: ['UNDERPAID'] } as const
      await failWithRefund({ ledger }, tx, { ...locked, fence: transaction.fence }, failure)
    }
    onPoint('expiry about to be committed')
  })
}

/**
 * Leaves a transaction without a due time while its approval is open, unless a reviewer has rejected the customer. A
 * review decision made it due. The approval changes the fence, so a decision after the claim is not lost.
 */
async function holdForApproval(deps: AdvanceDeps, transaction: store.ClaimedTransaction): Promise<void> {
  await deps.database.inTx(async (tx) => {
    if (isRejected(await readEligibility(tx, transaction)))
      return failWithRefund(deps, tx, transaction, { failureReason: 'compliance_rejected' })
    await store.setStep(tx, transaction, transaction.step, null)
  })
}

/**
 * Screens the customer, the source wallet and the destination, and executes the transaction if none is blocked. A match
 * freezes it without an event, so that the customer is not tipped off. Once a reviewer rejects the customer, it fails.
 */
async function screen(deps: AdvanceDeps, transaction: store.ClaimedTransaction): Promise<void> {
  // Without a current list the transaction waits, unless a reviewer has decided against it.
  if ((await deps.screening.findGap()) !== undefined && !isRejected(await readEligibility(deps.database, transaction)))
    return void (await store.setStep(deps.database, transaction, transaction.step, minute))
  // Read before screening: a list that changes meanwhile makes the payout screen its destination once more.
  const screenedVersion = (await deps.screening.listVersion()) ?? 0
  const isCounterpartyBlocked = await screenCounterparties(deps, transaction)
  await deps.database.inTx(async (tx) => {
    const { organizationId, customerId } = transaction
    const isStopped =
      isCounterpartyBlocked ||
      (await deps.screening.isBlocked(tx, organizationId, customerId)) ||
      (await store.readCustomerStatus(tx, transaction)) !== 'ACTIVE'
    const weighed = isStopped ? goes : await store.weighStart(tx, transaction)
    if (weighed.verdict === 'APPROVAL' && (await awaitApproval(tx, transaction, weighed.approvals))) return
    // A kill switch or quiet hours: until they end, the caller may cancel what is CREATED.
    if (weighed.verdict === 'WAIT') return void (await store.setStep(tx, transaction, transaction.step, minute))
    // Starts nothing if the caller has cancelled the transaction.
    const started =
      transaction.status === 'CREATED'
        ? await moveTransaction(tx, transaction, 'start', { step: 'SCREEN' })
        : await store.setStep(tx, transaction, 'SCREEN', null)
    if (started?.status !== 'PROCESSING') return
    if (isStopped) {
      if (isRejected(await readEligibility(tx, transaction))) {
        const rejected = { ...started, fence: transaction.fence }
        return failWithRefund(deps, tx, rejected, { failureReason: 'compliance_rejected' })
      }
      if (transaction.step !== 'FROZEN') await store.recordStep(tx, transaction, 'FROZEN')
      await store.setStep(tx, transaction, 'FROZEN', hour)
      return
    }
    await store.recordStep(tx, transaction, 'SCREENED')
    if (weighed.verdict === 'REFUSE') {
      const refused = { ...started, fence: transaction.fence }
      return failWithRefund(deps, tx, refused, { failureReason: 'policy_refused' })
    }
    await execute(deps, tx, { ...transaction, ...started }, screenedVersion)
    deps.onPoint('transaction about to be committed')
  })
}

/** Screens both accounts, so that a reviewer sees both matches. A bank names the sender of its own transfers. */
async function screenCounterparties(deps: AdvanceDeps, transaction: Transaction): Promise<boolean> {
  const { organizationId, customerId } = transaction
  const source = { method: transaction.sourceMethod, paymentAccountId: transaction.sourcePaymentAccountId }
  const destination = {
    method: transaction.destinationMethod,
    paymentAccountId: transaction.destinationPaymentAccountId,
  }
  const isSourceOutside = !transaction.isFromWallet && !isFiat(transaction.sourceAsset)
  const outside = [...(isSourceOutside ? [source] : []), ...(transaction.isToWallet ? [] : [destination])]
  let isBlocked = false
  for (const account of outside) {
    if (await isAccountBlocked(deps, { organizationId, customerId, ...account })) isBlocked = true
  }
  return isBlocked
}

/** Converts the received money and creates the payout. */
async function execute(
  deps: AdvanceDeps,
  tx: Tx,
  transaction: store.ClaimedTransaction,
  screenedVersion: number,
): Promise<void> {
  let priced: Transaction = transaction
  const pricing = choosePricing(transaction, transaction.claimedAt)
  if (pricing !== 'QUOTED') {
    const rate = deps.rateNow(transaction.sourceAsset, transaction.destinationAsset)
    if (!rate) return void (await store.setStep(tx, transaction, 'SCREEN', minute))
    const terms = repriceAt(transaction, rate)
    if (!terms) return void (await failWithRefund(deps, tx, transaction, { failureReason: 'price_moved' }))
    if (pricing === 'NOW') {
      const { exchangeRate: quoted } = transaction
      await store.recordStep(tx, transaction, 'REPRICED', { quoted, exchangeRate: terms.exchangeRate })
      priced = await changeDetails(tx, transaction, { terms })
    }
  }
  requirePosted(await deps.ledger.post(tx, executionBookings(priced)))
  const { organizationId, transactionId, customerId } = priced
  await insertPayout(tx, {
    organizationId,
    payoutId: newId(),
    transactionId,
    depositId: null,
    customerId,
    purpose: 'PAYOUT',
    method: priced.destinationMethod,
    asset: priced.destinationAsset,
    amount: BigInt(priced.destinationAmount),
    paymentAccountId: priced.destinationPaymentAccountId,
    fromWalletId: isDirect(priced) ? priced.sourcePaymentAccountId : null,
    screenedVersion,
  })
  await store.recordStep(tx, transaction, 'EXECUTED')
  requireFence([await store.setStep(tx, transaction, 'PAYOUT', null)].filter(Boolean))
}
