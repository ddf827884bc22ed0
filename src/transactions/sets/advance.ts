import { isFiat } from '../../catalog/currencies.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import { newId } from '../../lib/ids.ts'
import type { OpenAccount } from '../../payment-accounts/sealed-account.ts'
import type { PaymentAccountService } from '../../payment-accounts/service.ts'
import { executionBookings, isDirect } from '../bookings.ts'
import { emitTransactions, requirePosted } from '../change.ts'
import type { ClaimedTransaction } from '../change-store.ts'
import { insertPayouts } from '../payouts/store.ts'
import { choosePricing } from '../reprice.ts'
import type { AccountScreeningDeps } from '../screening/account.ts'
import { findUnblocked } from '../screening/unblocked.ts'
import type { Transaction } from '../transaction.ts'
import * as store from './advance-store.ts'

export type AdvanceSetDeps = AccountScreeningDeps & {
  database: Pick<Database, 'inTx'>
  paymentAccounts: Pick<PaymentAccountService, 'openMany' | 'readBankDetails'>
  ledger: LedgerService
  onPoint(point: string): void
}

/**
 * Screens and executes those of the claimed transactions that need no decision: nothing about them is blocked, held,
 * refused or priced anew. Answers the others, which the caller advances one by one. All or nothing: when it throws,
 * nothing has changed. Locks in one order: transactions by their ids, the ledger's rows, payouts.
 */
export async function advanceTogether(
  deps: AdvanceSetDeps,
  claimed: readonly ClaimedTransaction[],
): Promise<readonly ClaimedTransaction[]> {
  const plain = claimed.filter(isPlain)
  if (plain.length < 2 || (await deps.screening.findGap()) !== undefined) return claimed
  // Read before screening: a list that changes meanwhile makes the payout screen its destination once more.
  const screenedVersion = (await deps.screening.listVersion()) ?? 0
  const screened = await screenAccounts(deps, plain)
  const done = await deps.database.inTx(async (tx) => {
    const unblocked = await findUnblocked(deps.screening, tx, screened)
    const free = await store.findStartable(tx, unblocked)
    const ids = await execute(
      deps,
      tx,
      unblocked.filter(({ transactionId }) => free.has(transactionId)),
      screenedVersion,
    )
    for (const _ of ids) deps.onPoint('transaction about to be committed')
    return ids
  })
  return claimed.filter(({ transactionId }) => !done.has(transactionId))
}

/** True for a transaction that waits for no approval and no reviewer, and keeps the price of its quote. */
function isPlain(transaction: ClaimedTransaction): boolean {
  const { step, status, approvalExpiresAt, isFromReturnedFunds, claimedAt } = transaction
  const isWaiting = step !== 'SCREEN' || approvalExpiresAt !== null
  const isOpen = status === 'CREATED' || status === 'PROCESSING'
  return !isWaiting && isOpen && !isFromReturnedFunds && choosePricing(transaction, claimedAt) === 'QUOTED'
}

/** Finds the transactions none of whose accounts is blocked. A match opens a review, so that it runs outside. */
async function screenAccounts(
  deps: AdvanceSetDeps,
  transactions: readonly ClaimedTransaction[],
): Promise<ClaimedTransaction[]> {
  const organizationIds = [...new Set(transactions.map(({ organizationId }) => organizationId))]
  const accountIds = [...new Set(transactions.flatMap((each) => outsideOf(each).map(({ id }) => id)))]
  const opened = await deps.paymentAccounts.openMany(organizationIds, accountIds)
  const accounts = new Map(
    opened.map((each) => [`${each.account.organizationId} ${each.account.paymentAccountId}`, each]),
  )
  const blocked = new Map<string, boolean>()
  const screened: ClaimedTransaction[] = []
  for (const transaction of transactions) {
    if (!(await isAnyBlocked(deps, transaction, accounts, blocked))) screened.push(transaction)
  }
  return screened
}

/** Screens each counterparty of a set once; `blocked` keeps the answers. */
async function isAnyBlocked(
  { paymentAccounts, screening }: AdvanceSetDeps,
  transaction: ClaimedTransaction,
  accounts: ReadonlyMap<string, OpenAccount>,
  blocked: Map<string, boolean>,
): Promise<boolean> {
  const { organizationId, customerId } = transaction
  for (const { id: paymentAccountId, method } of outsideOf(transaction)) {
    const opened = accounts.get(`${organizationId} ${paymentAccountId}`)
    // The step for one transaction decides about an account that is gone.
    if (!opened) return true
    const key = [organizationId, customerId, paymentAccountId, method].join(' ')
    let isBlocked = blocked.get(key)
    if (isBlocked === undefined) {
      const name = paymentAccounts.readBankDetails(opened)?.ownerName
      const { address } = opened.account
      const counterparty = { organizationId, customerId, method, paymentAccountId }
      const known = { ...counterparty, ...(name === undefined ? {} : { name }), ...(address ? { address } : {}) }
      isBlocked = await screening.isCounterpartyBlocked(known)
      blocked.set(key, isBlocked)
    }
    if (isBlocked) return true
  }
  return false
}

/** The accounts outside Svc. A bank names the sender of its own transfers. */
function outsideOf(transaction: Transaction) {
  const { isFromWallet, sourceAsset, isToWallet } = transaction
  const source = { id: transaction.sourcePaymentAccountId, method: transaction.sourceMethod }
  const destination = { id: transaction.destinationPaymentAccountId, method: transaction.destinationMethod }
  return [...(!isFromWallet && !isFiat(sourceAsset) ? [source] : []), ...(isToWallet ? [] : [destination])]
}

/** Converts the received money and creates the payouts; answers the ids of those that this worker still held. */
async function execute(
  { ledger }: AdvanceSetDeps,
  tx: Tx,
  transactions: readonly ClaimedTransaction[],
  screenedVersion: number,
): Promise<Set<string>> {
  const executed = await store.executeTransactions(tx, transactions)
  if (executed.length === 0) return new Set()
  requirePosted(await ledger.post(tx, executed.flatMap(executionBookings)))
  await insertPayouts(
    tx,
    executed.map((transaction) => ({
      organizationId: transaction.organizationId,
      payoutId: newId(),
      transactionId: transaction.transactionId,
      depositId: null,
      customerId: transaction.customerId,
      purpose: 'PAYOUT',
      method: transaction.destinationMethod,
      asset: transaction.destinationAsset,
      amount: BigInt(transaction.destinationAmount),
      paymentAccountId: transaction.destinationPaymentAccountId,
      fromWalletId: isDirect(transaction) ? transaction.sourcePaymentAccountId : null,
      screenedVersion,
    })),
  )
  await emitTransactions(
    tx,
    executed.flatMap(({ shown, ...transaction }) => (shown === null ? [] : { ...transaction, shown })),
  )
  return new Set(executed.map(({ transactionId }) => transactionId))
}
