import { isFiat } from '../../catalog/currencies.ts'
import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { Tx } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import type { Caller } from '../../lib/caller.ts'
import { badField, notFound, Refusal } from '../../lib/refusal.ts'
import { changeDetails, requirePosted } from '../change.ts'
import { lockTransaction } from '../change-store.ts'
import { resolutionBookings } from '../deposits/bookings.ts'
import { moveDeposit, oweReturn } from '../deposits/change.ts'
import { chooseDisposition, type Deposit, needsDecision, type resolutions } from '../deposits/deposit.ts'
import { type DepositDeps, type DepositView, settleDeposit } from '../deposits/service.ts'
import { findDeposit, isActiveAccount, readAccountType } from '../deposits/store.ts'
import { presentDeposit } from '../deposits/wire.ts'
import { chooseRefundAccount, type RefundTo } from '../payouts/refund-account.ts'
import type { AccountScreening } from '../screening/account.ts'
import type { CustomerEligibility } from '../screening/eligibility.ts'
import { readEligibility } from '../screening/eligibility-store.ts'
import { decideReviewFirst, requireReviewer } from './transactions.ts'

export type Resolution = {
  action: (typeof resolutions)[number]
  /** Of APPLY: the transaction that it was for. */
  transactionId?: string
  /** Of RETURN: another registered account of the customer. */
  paymentAccountId?: string
  /** For whoever reviews the customer: it may name people. */
  reason: string
}

/** A deposit, and the customer whose key seals what a person says about it. */
export type DepositToResolve = {
  deposit: Deposit
  customer: OpenCustomer
  wanted: Resolution
  to: RefundTo | undefined
}

export type ResolutionDeps = DepositDeps & AccountScreening & { customers: Pick<CustomerService, 'open' | 'recordAct'> }

export type ResolutionService = ReturnType<typeof createDepositResolutionService>

/** A person decides about money that nobody could match, or that stays because of whose it is. Once, and it is an act. */
export function createDepositResolutionService(deps: ResolutionDeps) {
  const { database, customers } = deps
  return {
    openToResolve: async (
      caller: Caller,
      depositId: string,
      readResolution: () => Resolution,
    ): Promise<DepositToResolve> => {
      const deposit = await findDeposit(database, caller.organizationIds, depositId)
      const customer = deposit?.customerId && (await customers.open([deposit.organizationId], deposit.customerId))
      // What is nobody's belongs to no organization that could ask: see deposits/unattributed.ts.
      if (!deposit || !customer) throw notFound()
      requireUndecided(deposit, await readEligibility(database, customer.row), caller)
      const wanted = readResolution()
      requireFitting('transactionId', wanted, 'APPLY')
      requireFitting('paymentAccountId', wanted, 'RETURN')
      const to = await chooseRefundAccount(deps, customer.row, deposit.asset, wanted.paymentAccountId)
      return { deposit, customer, wanted, to }
    },

    resolve: async (
      tx: Tx,
      caller: Caller,
      { deposit, customer, wanted, to }: DepositToResolve,
    ): Promise<DepositView> => {
      const { action, transactionId, reason } = wanted
      const eligibility = await readEligibility(tx, customer.row)
      if (action === 'RETURN') {
        const isReleased = eligibility.isMatchConfirmed && caller.scopes.has('reviews:write')
        await returnDeposit(deps, tx, deposit, { to, isReleased })
      }
      if (action === 'CREDIT') await credit(deps, tx, deposit)
      if (action === 'APPLY') await apply(deps, tx, deposit, transactionId ?? '', eligibility)
      const { organizationId, depositId } = deposit
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'deposit.resolved', subjectId: depositId }
      await customers.recordAct(tx, customer, { ...act, details: { action }, reason })
      const resolved = await findDeposit(tx, [organizationId], depositId)
      if (!resolved) throw notFound()
      return presentDeposit(resolved, deps.currencyOf)
    },
  }
}

/** The state is told before anything is said about the body; the update guards it once more. */
function requireUndecided(deposit: Deposit, customer: CustomerEligibility, caller: Caller): void {
  const { status, isSenderBlocked } = deposit
  if (status !== 'HELD' && status !== 'UNMATCHED') throw nothingToDecide(deposit)
  // Whoever may say what becomes of people on lists says what becomes of their money.
  if (status === 'HELD' || isSenderBlocked) requireReviewer(caller)
  if (status === 'HELD' && customer.hasOpenMatch) throw decideReviewFirst()
  if (!needsDecision(deposit, customer)) throw nothingToDecide(deposit)
}

function nothingToDecide({ status }: Deposit): Refusal {
  return new Refusal('CONFLICT', `About a deposit that is ${status} nobody has to decide`)
}

/** What an action needs, and no other takes. RETURN finds its account by itself. */
function requireFitting(field: 'transactionId' | 'paymentAccountId', wanted: Resolution, action: Resolution['action']) {
  if (wanted.action !== action && wanted[field] !== undefined) throw badField(field, `is for ${action} only`)
  if (action === 'APPLY' && wanted.action === action && wanted[field] === undefined) {
    throw badField(field, `is required for ${action}`)
  }
}

/**
 * Only to a registered account: the one that a person named, else of the transaction that it was meant for, or the one
 * that it came from.
 */
async function returnDeposit(
  deps: DepositDeps,
  tx: Tx,
  deposit: Deposit,
  { to: named, isReleased }: { to: RefundTo | undefined; isReleased: boolean },
): Promise<void> {
  const { organizationId, customerId, transactionId } = deposit
  const transaction = transactionId ? await lockTransaction(tx, { organizationId, transactionId }) : undefined
  const to = named?.paymentAccountId ?? transaction?.sourcePaymentAccountId ?? deposit.paymentAccountId
  if (!customerId || !to || !(await isActiveAccount(tx, organizationId, to))) {
    throw new Refusal('CONFLICT', 'There is no registered account that this deposit could go back to')
  }
  const changed = await moveDeposit(deps, tx, deposit, 'oweReturn')
  if (!changed) throw alreadyDecided()
  const returned = { amount: BigInt(changed.amount), customerId, isReleased, paymentAccountId: to, ...named }
  await oweReturn(tx, changed, returned, [])
}

/** Into the wallet that it came to; else into the customer's returned funds, in the currency that it came in. */
async function credit(deps: DepositDeps, tx: Tx, deposit: Deposit): Promise<void> {
  const { organizationId, customerId: customer, paymentAccountId: account, transactionId } = deposit
  if (!customer) throw new Refusal('CONFLICT', 'Nobody knows whose customer sent this deposit')
  const type = account && !transactionId && (await readAccountType(tx, organizationId, account))
  const transaction = transactionId ? await lockTransaction(tx, { organizationId, transactionId }) : undefined
  const changed = await moveDeposit(deps, tx, deposit, 'credit')
  if (!changed) throw alreadyDecided()
  // What the bank would not take back is owed no more.
  if (transaction?.refund) await changeDetails(tx, transaction)
  const to = account && type === 'SVC_CRYPTO_WALLET' ? { wallet: account } : { customer }
  requirePosted(await deps.ledger.post(tx, resolutionBookings(changed, to)))
}

/** As if it had come with the right message. */
async function apply(
  deps: DepositDeps,
  tx: Tx,
  deposit: Deposit,
  transactionId: string,
  { status }: CustomerEligibility,
): Promise<void> {
  const { organizationId, customerId } = deposit
  const transaction = await lockTransaction(tx, { organizationId, transactionId })
  if (!transaction) throw notFound()
  if (status !== 'ACTIVE') throw new Refusal('CONFLICT', 'A transaction goes on with money of an ACTIVE customer alone')
  const isOthers = customerId !== null && customerId !== transaction.customerId
  // Tokens lie at the address of the transaction that they were sent for, and leave from there.
  const isElsewhere = !isFiat(deposit.asset) && deposit.transactionId !== transactionId
  const isReturnable = await isActiveAccount(tx, organizationId, transaction.sourcePaymentAccountId)
  const disposition = chooseDisposition({ deposit, place: 'ELSEWHERE', transaction, isCleared: true, isReturnable })
  if (isOthers || isElsewhere || disposition.type !== 'APPLY') {
    throw new Refusal('CONFLICT', 'That transaction does not wait for money of this customer in this currency')
  }
  await settleDeposit(deps, tx, deposit, disposition, transaction).catch((error: unknown) => {
    throw error instanceof LeaseLost ? alreadyDecided() : error
  })
}

function alreadyDecided(): Refusal {
  return new Refusal('CONFLICT', 'Somebody else has decided about this deposit')
}
