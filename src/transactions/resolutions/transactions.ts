import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { Caller } from '../../lib/caller.ts'
import { badField, notFound, Refusal } from '../../lib/refusal.ts'
import { changeDetails } from '../change.ts'
import { lockTransaction } from '../change-store.ts'
import { type DepositPresentation, uncountReturns } from '../deposits/change.ts'
import { isDepositRecalled } from '../deposits/recalls/store.ts'
import { payoutMoves } from '../payouts/payout.ts'
import { withdrawPayouts } from '../payouts/store.ts'
import type { Valuing } from '../refunds/policy.ts'
import { uncountPayouts } from '../refunds/policy-store.ts'
import { chooseRefundAccount, type RefundDestination } from '../refunds/refund-account.ts'
import { chooseRepaymentAccount, repay } from '../refunds/repayment.ts'
import { rejectTransaction } from '../rejection.ts'
import type { AccountScreeningDeps } from '../screening/account.ts'
import { readEligibility } from '../screening/eligibility-store.ts'
import { findTransaction } from '../store.ts'
import type { Transaction, transactionResolutions } from '../transaction.ts'
import { addLiquidity } from '../treasury/liquidity-store.ts'
import { presentTransaction } from '../wire.ts'
import { type MatchAuthority, requireScope } from './authority.ts'
import { creditRefund, retryRefund } from './refunds.ts'
import { readUndecidedRefunds, type UndecidedRefund } from './store.ts'

export type TransactionResolution = {
  action: (typeof transactionResolutions)[number]
  /** For REFUND and PAY_AGAIN: another registered account of the customer. */
  paymentAccountId?: string
  /** For reviewers of the customer; it may hold personal data. */
  reason: string
}

export type TransactionToResolve = {
  transaction: Transaction
  customer: OpenCustomer
  wanted: TransactionResolution
  to: RefundDestination | undefined
}

export type TransactionResolutionDeps = DepositPresentation &
  AccountScreeningDeps &
  Valuing & {
    database: Database
    ledger: LedgerService
    customers: Pick<CustomerService, 'open' | 'recordAct'>
    authority: MatchAuthority
  }

export type TransactionResolutionService = ReturnType<typeof createTransactionResolutionService>

/** Resolves a stopped transaction, refused refund or returned funds by an operator's decision, once, and audits it. */
export function createTransactionResolutionService(deps: TransactionResolutionDeps) {
  const { database, customers, authority } = deps
  return {
    openToResolve: async (
      caller: Caller,
      transactionId: string,
      readResolution: () => TransactionResolution,
    ): Promise<TransactionToResolve> => {
      const transaction = await findTransaction(database, await authority.organizationIdsOf(caller), transactionId)
      if (!transaction) throw notFound()
      const isOpen = transaction.status === 'CREATED' || transaction.status === 'PROCESSING'
      if (!isOpen && transaction.refund === null && transaction.repayment === null) throw nothingToResolve()
      const wanted = readResolution()
      const { action, paymentAccountId } = wanted
      if (action !== 'REFUND' && action !== 'PAY_AGAIN' && paymentAccountId !== undefined)
        throw badField('paymentAccountId', 'is for REFUND and PAY_AGAIN only')
      if (action === 'REJECT') requireScope(caller, 'reviews:write')
      const { isMatchConfirmed } = await readEligibility(database, transaction)
      const isRelease =
        action !== 'REJECT' && isMatchConfirmed && (await authority.mayClear(caller, transaction.organizationId))
      if (!isRelease) requireScope(caller, 'transactions:write')
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
      const isDone = await resolvers[wanted.action](deps, tx, caller, found)
      if (!isDone) throw nothingToResolve()
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

type Resolver = (
  deps: TransactionResolutionDeps,
  tx: Tx,
  caller: Caller,
  found: TransactionToResolve,
) => Promise<boolean>

/** Each answers false when there is nothing to resolve. */
const resolvers: Readonly<Record<TransactionResolution['action'], Resolver>> = {
  REJECT: (deps, tx, _, { transaction }) => rejectTransaction(deps, tx, transaction),
  REFUND: resolveRefunds,
  CREDIT: resolveRefunds,
  PAY_AGAIN: async (deps, tx, caller, { transaction, to }) => {
    const isReleased = await canRelease(deps, tx, caller, transaction)
    return to !== undefined && repay(deps, tx, transaction, { to, isReleased, apiKeyId: caller.apiKeyId })
  },
}

/** True when the customer's match is confirmed and the caller may release such money. */
async function canRelease(
  { authority }: TransactionResolutionDeps,
  tx: Tx,
  caller: Caller,
  transaction: Transaction,
): Promise<boolean> {
  const eligibility = await readEligibility(tx, transaction)
  if (caller.scopes.has('reviews:write') && eligibility.hasOpenMatch) throw reviewStillOpen()
  return eligibility.isMatchConfirmed && authority.mayClear(caller, transaction.organizationId, tx)
}

/** Resolves refunds that a rail refused, that no account could take, or that a confirmed match blocks. */
async function resolveRefunds(
  deps: TransactionResolutionDeps,
  tx: Tx,
  caller: Caller,
  { transaction, wanted, to }: TransactionToResolve,
): Promise<boolean> {
  const isReleased = await canRelease(deps, tx, caller, transaction)
  const withdrawn = isReleased
    ? await withdrawPayouts(tx, transaction, payoutMoves.withdraw, ['REFUND', 'RETURN'], 'decided_anew')
    : []
  // Read after locking: a concurrent decision leaves nothing to resolve.
  await lockTransaction(tx, transaction)
  await uncountPayouts(tx, withdrawn)
  const freed = await uncountReturns(deps, tx, withdrawn)
  const undecided = await readUndecidedRefunds(tx, transaction)
  const waiting = undecided.filter(({ decidedBy }) => decidedBy === 'TRANSACTION')
  if (waiting.length === 0 && undecided.length > 0) throw resolveTheDeposit(undecided)
  if (waiting.length === 0) return false
  for (const refund of waiting) {
    const { organizationId, depositId } = refund
    if (depositId !== null && (await isDepositRecalled(tx, { organizationId, depositId })))
      throw new Refusal(
        'CONFLICT',
        `A bank recalls a deposit of this transaction: answer the recall first (${depositId})`,
      )
    if (wanted.action === 'CREDIT') await creditRefund(deps, tx, transaction, refund)
    else await retryRefund(deps, tx, transaction, refund, { to, isReleased, apiKeyId: caller.apiKeyId })
  }
  await changeDetails(tx, transaction)
  await addLiquidity(tx, freed)
  return true
}

export function reviewStillOpen(): Refusal {
  return new Refusal('CONFLICT', 'A review of this customer is open: decide it first')
}

function resolveTheDeposit(undecided: readonly UndecidedRefund[]): Refusal {
  const depositIds = undecided.flatMap(({ depositId }) => depositId ?? []).join(', ')
  return new Refusal('CONFLICT', `The bank refused a return: resolve the deposit itself (${depositIds})`)
}

function nothingToResolve(): Refusal {
  return new Refusal('CONFLICT', 'Nothing in this transaction waits for an operator')
}
