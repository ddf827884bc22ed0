import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { Database, Queryable } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { badField, notFound, Refusal } from '../../lib/refusal.ts'
import { changeDetails } from '../change.ts'
import { lockTransaction } from '../change-store.ts'
import type { Showing } from '../deposits/change.ts'
import { payoutMoves } from '../payouts/payout.ts'
import { chooseRefundAccount, type RefundTo } from '../payouts/refund-account.ts'
import { chooseRepaymentAccount, payAgain } from '../payouts/repayment.ts'
import { withdrawPayouts } from '../payouts/store.ts'
import { rejectTransaction } from '../rejection.ts'
import type { AccountScreening } from '../screening/account.ts'
import { readStanding } from '../screening/eligibility-store.ts'
import { findTransaction } from '../store.ts'
import type { TransactionRow, transactionResolutions } from '../transaction.ts'
import { presentTransaction } from '../wire.ts'
import { creditRefund, oweRefundAgain } from './refunds.ts'
import { type Refund, readRefunds } from './store.ts'

export type TransactionResolution = {
  action: (typeof transactionResolutions)[number]
  /** Of REFUND and PAY_AGAIN: another registered account of the customer. */
  paymentAccountId?: string
  /** For whoever reviews the customer: it may name people. */
  reason: string
}

export type TransactionToResolve = {
  row: TransactionRow
  customer: OpenCustomer
  wanted: TransactionResolution
  to: RefundTo | undefined
}

export type TransactionResolutionOptions = Showing &
  AccountScreening & {
    database: Database
    ledger: LedgerService
    customers: Pick<CustomerService, 'open' | 'recordAct'>
  }

export type TransactionResolutionService = ReturnType<typeof makeTransactionResolutions>

/** A person decides about a transaction that stopped, or about a refund that found no way. Once, and it is an act. */
export function makeTransactionResolutions(options: TransactionResolutionOptions) {
  const { database, customers } = options
  return {
    openToResolve: async (
      caller: Caller,
      transactionId: string,
      readResolution: () => TransactionResolution,
    ): Promise<TransactionToResolve> => {
      const row = await findTransaction(database, caller.organizationIds, transactionId)
      if (!row) throw notFound()
      if (row.status !== 'PROCESSING' && row.refund === null && row.repayment === null) throw nothingWaits()
      const wanted = readResolution()
      const { action, paymentAccountId } = wanted
      if (action !== 'REFUND' && action !== 'PAY_AGAIN' && paymentAccountId !== undefined)
        throw badField('paymentAccountId', 'is for REFUND and PAY_AGAIN only')
      if (action === 'REJECT') requireReviewer(caller)
      const customer = await customers.open([row.organizationId], row.customerId)
      if (!customer) throw notFound()
      const to =
        action === 'PAY_AGAIN'
          ? await chooseRepaymentAccount(options, row, paymentAccountId)
          : await chooseRefundAccount(options, row, row.sourceAsset, paymentAccountId)
      return { row, customer, wanted, to }
    },

    resolve: async (transaction: Queryable, caller: Caller, found: TransactionToResolve) => {
      const { row, customer, wanted } = found
      const isDone = await acts[wanted.action](options, transaction, caller, found)
      if (!isDone) throw nothingWaits()
      const { organizationId, transactionId } = row
      const { action, reason } = wanted
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'transaction.resolved', subjectId: transactionId }
      await customers.recordAct(transaction, customer, { ...act, details: { action }, reason })
      const resolved = await findTransaction(transaction, [organizationId], transactionId)
      if (!resolved) throw notFound()
      return presentTransaction(resolved)
    },
  }
}

type Act = (
  options: TransactionResolutionOptions,
  transaction: Queryable,
  caller: Caller,
  found: TransactionToResolve,
) => Promise<boolean>

/** Each says whether there was anything to decide. */
const acts: Readonly<Record<TransactionResolution['action'], Act>> = {
  REJECT: (options, transaction, _, { row }) => rejectTransaction(options, transaction, row),
  REFUND: decideRefunds,
  CREDIT: decideRefunds,
  PAY_AGAIN: async (options, transaction, caller, { row, to }) => {
    const isReleased = await mayRelease(transaction, caller, row)
    return to !== undefined && payAgain(options, transaction, row, { to, isReleased })
  },
}

/** Only whoever may say what becomes of people on lists lets money of theirs leave. */
async function mayRelease(transaction: Queryable, { scopes }: Caller, row: TransactionRow): Promise<boolean> {
  const standing = await readStanding(transaction, row)
  const isReviewer = scopes.has('reviews:write')
  if (isReviewer && standing.hasOpenHit) throw decideReviewFirst()
  return isReviewer && standing.isHitConfirmed
}

/** Those that a bank or chain refused, that had nowhere to go, or that stay because a hit was confirmed. */
async function decideRefunds(
  options: TransactionResolutionOptions,
  transaction: Queryable,
  caller: Caller,
  { row, wanted, to }: TransactionToResolve,
): Promise<boolean> {
  const isReleased = await mayRelease(transaction, caller, row)
  if (isReleased) await withdrawPayouts(transaction, row, payoutMoves.withdraw, ['REFUND', 'RETURN'], 'decided_anew')
  // Read after the lock: whoever came first has left nothing to decide.
  await lockTransaction(transaction, row)
  const waiting = (await readRefunds(transaction, row)).filter(isUndecided)
  if (waiting.length === 0) return false
  for (const refund of waiting) {
    if (wanted.action === 'CREDIT') await creditRefund(options, transaction, row, refund)
    else await oweRefundAgain(transaction, row, refund, { to, isReleased })
  }
  await changeDetails(transaction, row)
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
