import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { badField, notFound, Refusal } from '../../lib/refusal.ts'
import { changeDetails } from '../change.ts'
import { lockTransaction } from '../change-store.ts'
import type { DepositPresentation } from '../deposits/change.ts'
import { payoutMoves } from '../payouts/payout.ts'
import { chooseRefundAccount, type RefundTo } from '../payouts/refund-account.ts'
import { chooseRepaymentAccount, repay } from '../payouts/repayment.ts'
import { withdrawPayouts } from '../payouts/store.ts'
import { rejectTransaction } from '../rejection.ts'
import type { AccountScreening } from '../screening/account.ts'
import { readEligibility } from '../screening/eligibility-store.ts'
import { findTransaction } from '../store.ts'
import type { Transaction, transactionResolutions } from '../transaction.ts'
import { presentTransaction } from '../wire.ts'
import { creditRefund, retryRefund } from './refunds.ts'
import { type Refund, readRefunds } from './store.ts'

export type TransactionResolution = {
  action: (typeof transactionResolutions)[number]
  /** Of REFUND and PAY_AGAIN: another registered account of the customer. */
  paymentAccountId?: string
  /** For whoever reviews the customer: it may name people. */
  reason: string
}

export type TransactionToResolve = {
  transaction: Transaction
  customer: OpenCustomer
  wanted: TransactionResolution
  to: RefundTo | undefined
}

export type TransactionResolutionDeps = DepositPresentation &
  AccountScreening & {
    database: Database
    ledger: LedgerService
    customers: Pick<CustomerService, 'open' | 'recordAct'>
  }

export type TransactionResolutionService = ReturnType<typeof createTransactionResolutionService>

/** A person decides about a transaction that stopped, or about a refund that found no way. Once, and it is an act. */
export function createTransactionResolutionService(deps: TransactionResolutionDeps) {
  const { database, customers } = deps
  return {
    openToResolve: async (
      caller: Caller,
      transactionId: string,
      readResolution: () => TransactionResolution,
    ): Promise<TransactionToResolve> => {
      const transaction = await findTransaction(database, caller.organizationIds, transactionId)
      if (!transaction) throw notFound()
      if (transaction.status !== 'PROCESSING' && transaction.refund === null && transaction.repayment === null)
        throw nothingWaits()
      const wanted = readResolution()
      const { action, paymentAccountId } = wanted
      if (action !== 'REFUND' && action !== 'PAY_AGAIN' && paymentAccountId !== undefined)
        throw badField('paymentAccountId', 'is for REFUND and PAY_AGAIN only')
      if (action === 'REJECT') requireReviewer(caller)
      const customer = await customers.open([transaction.organizationId], transaction.customerId)
      if (!customer) throw notFound()
      const to =
        action === 'PAY_AGAIN'
          ? await chooseRepaymentAccount(deps, transaction, paymentAccountId)
          : await chooseRefundAccount(deps, transaction, transaction.sourceAsset, paymentAccountId)
      return { transaction, customer, wanted, to }
    },

    resolve: async (tx: Tx, caller: Caller, found: TransactionToResolve) => {
      const { transaction, customer, wanted } = found
      const isDone = await acts[wanted.action](deps, tx, caller, found)
      if (!isDone) throw nothingWaits()
      const { organizationId, transactionId } = transaction
      const { action, reason } = wanted
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'transaction.resolved', subjectId: transactionId }
      await customers.recordAct(tx, customer, { ...act, details: { action }, reason })
      const resolved = await findTransaction(tx, [organizationId], transactionId)
      if (!resolved) throw notFound()
      return presentTransaction(resolved)
    },
  }
}

type Act = (deps: TransactionResolutionDeps, tx: Tx, caller: Caller, found: TransactionToResolve) => Promise<boolean>

/** Each says whether there was anything to decide. */
const acts: Readonly<Record<TransactionResolution['action'], Act>> = {
  REJECT: (options, tx, _, { transaction }) => rejectTransaction(options, tx, transaction),
  REFUND: decideRefunds,
  CREDIT: decideRefunds,
  PAY_AGAIN: async (options, tx, caller, { transaction, to }) => {
    const isReleased = await mayRelease(tx, caller, transaction)
    return to !== undefined && repay(options, tx, transaction, { to, isReleased })
  },
}

/** Only whoever may say what becomes of people on lists lets money of theirs leave. */
async function mayRelease(tx: Tx, { scopes }: Caller, transaction: Transaction): Promise<boolean> {
  const eligibility = await readEligibility(tx, transaction)
  const isReviewer = scopes.has('reviews:write')
  if (isReviewer && eligibility.hasOpenMatch) throw decideReviewFirst()
  return isReviewer && eligibility.isMatchConfirmed
}

/** Those that a bank or chain refused, that had nowhere to go, or that stay because a hit was confirmed. */
async function decideRefunds(
  deps: TransactionResolutionDeps,
  tx: Tx,
  caller: Caller,
  { transaction, wanted, to }: TransactionToResolve,
): Promise<boolean> {
  const isReleased = await mayRelease(tx, caller, transaction)
  if (isReleased) await withdrawPayouts(tx, transaction, payoutMoves.withdraw, ['REFUND', 'RETURN'], 'decided_anew')
  // Read after the lock: whoever came first has left nothing to decide.
  await lockTransaction(tx, transaction)
  const waiting = (await readRefunds(tx, transaction)).filter(isUndecided)
  if (waiting.length === 0) return false
  for (const refund of waiting) {
    if (wanted.action === 'CREDIT') await creditRefund(deps, tx, transaction, refund)
    else await retryRefund(tx, transaction, refund, { to, isReleased })
  }
  await changeDetails(tx, transaction)
  return true
}

/** Of a deposit that is UNMATCHED again the deposit itself is decided about. */
function isUndecided({ status, depositStatus }: Refund): boolean {
  return status === 'REFUSED' && (depositStatus === null || ['APPLIED', 'RETURNING'].includes(depositStatus))
}

export function requireReviewer({ scopes }: Caller): void {
  if (!scopes.has('reviews:write')) throw new Refusal('FORBIDDEN', 'This credential lacks the scope reviews:write')
}

export function decideReviewFirst(): Refusal {
  return new Refusal('CONFLICT', 'A review of this customer is open: decide it first')
}

function nothingWaits(): Refusal {
  return new Refusal('CONFLICT', 'Nothing about this transaction waits for a person')
}
