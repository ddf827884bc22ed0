import { isFiat } from '../../catalog/currencies.ts'
import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { Queryable } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import type { Caller } from '../../lib/caller.ts'
import { badField, notFound, Refusal } from '../../lib/refusal.ts'
import { changeDetails, requirePosted } from '../change.ts'
import { lockTransaction } from '../change-store.ts'
import { resolutionBookings } from '../deposits/bookings.ts'
import { moveDeposit, oweReturn } from '../deposits/change.ts'
import { type DepositRow, disposeOf, needsDecision, type resolutions } from '../deposits/deposit.ts'
import { type DepositOptions, type DepositView, settle } from '../deposits/service.ts'
import { findDeposit, isActiveAccount, readAccountType } from '../deposits/store.ts'
import { presentDeposit } from '../deposits/wire.ts'
import { chooseRefundAccount, type RefundTo } from '../payouts/refund-account.ts'
import type { AccountScreening } from '../screening/account.ts'
import type { Standing } from '../screening/eligibility.ts'
import { readStanding } from '../screening/eligibility-store.ts'
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
  deposit: DepositRow
  customer: OpenCustomer
  wanted: Resolution
  to: RefundTo | undefined
}

export type ResolutionOptions = DepositOptions &
  AccountScreening & { customers: Pick<CustomerService, 'open' | 'recordAct'> }

export type ResolutionService = ReturnType<typeof makeResolutions>

/** A person decides about money that nobody could match, or that stays because of whose it is. Once, and it is an act. */
export function makeResolutions(options: ResolutionOptions) {
  const { database, customers } = options
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
      requireUndecided(deposit, await readStanding(database, customer.row), caller)
      const wanted = readResolution()
      requireFitting('transactionId', wanted, 'APPLY')
      requireFitting('paymentAccountId', wanted, 'RETURN')
      const to = await chooseRefundAccount(options, customer.row, deposit.asset, wanted.paymentAccountId)
      return { deposit, customer, wanted, to }
    },

    resolve: async (
      transaction: Queryable,
      caller: Caller,
      { deposit, customer, wanted, to }: DepositToResolve,
    ): Promise<DepositView> => {
      const { action, transactionId, reason } = wanted
      const standing = await readStanding(transaction, customer.row)
      if (action === 'RETURN') {
        const isReleased = standing.isHitConfirmed && caller.scopes.has('reviews:write')
        await giveBack(options, transaction, deposit, { to, isReleased })
      }
      if (action === 'CREDIT') await credit(options, transaction, deposit)
      if (action === 'APPLY') await apply(options, transaction, deposit, transactionId ?? '', standing)
      const { organizationId, depositId } = deposit
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'deposit.resolved', subjectId: depositId }
      await customers.recordAct(transaction, customer, { ...act, details: { action }, reason })
      const resolved = await findDeposit(transaction, [organizationId], depositId)
      if (!resolved) throw notFound()
      return presentDeposit(resolved, options.currencyOf)
    },
  }
}

/** The state is told before anything is said about the body; the update guards it once more. */
function requireUndecided(deposit: DepositRow, customer: Standing, caller: Caller): void {
  const { status, isSenderBlocked } = deposit
  if (status !== 'HELD' && status !== 'UNMATCHED') throw nothingToDecide(deposit)
  // Whoever may say what becomes of people on lists says what becomes of their money.
  if (status === 'HELD' || isSenderBlocked) requireReviewer(caller)
  if (status === 'HELD' && customer.hasOpenHit) throw decideReviewFirst()
  if (!needsDecision(deposit, customer)) throw nothingToDecide(deposit)
}

function nothingToDecide({ status }: DepositRow): Refusal {
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
async function giveBack(
  options: DepositOptions,
  transaction: Queryable,
  deposit: DepositRow,
  { to: named, isReleased }: { to: RefundTo | undefined; isReleased: boolean },
): Promise<void> {
  const { organizationId, customerId, transactionId } = deposit
  const row = transactionId ? await lockTransaction(transaction, { organizationId, transactionId }) : undefined
  const to = named?.paymentAccountId ?? row?.sourcePaymentAccountId ?? deposit.paymentAccountId
  if (!customerId || !to || !(await isActiveAccount(transaction, organizationId, to))) {
    throw new Refusal('CONFLICT', 'There is no registered account that this deposit could go back to')
  }
  const changed = await moveDeposit(options, transaction, deposit, 'giveBack')
  if (!changed) throw alreadyDecided()
  const returned = { amount: BigInt(changed.amount), customerId, isReleased, paymentAccountId: to, ...named }
  await oweReturn(transaction, changed, returned, [])
}

/** Into the wallet that it came to; else into the customer's returned funds, in the currency that it came in. */
async function credit(options: DepositOptions, transaction: Queryable, deposit: DepositRow): Promise<void> {
  const { organizationId, customerId: customer, paymentAccountId: account, transactionId } = deposit
  if (!customer) throw new Refusal('CONFLICT', 'Nobody knows whose customer sent this deposit')
  const type = account && !transactionId && (await readAccountType(transaction, organizationId, account))
  const row = transactionId ? await lockTransaction(transaction, { organizationId, transactionId }) : undefined
  const changed = await moveDeposit(options, transaction, deposit, 'credit')
  if (!changed) throw alreadyDecided()
  // What the bank would not take back is owed no more.
  if (row?.refund) await changeDetails(transaction, row)
  const to = account && type === 'SVC_CRYPTO_WALLET' ? { wallet: account } : { customer }
  requirePosted(await options.ledger.post(transaction, resolutionBookings(changed, to)))
}

/** As if it had come with the right message. */
async function apply(
  options: DepositOptions,
  transaction: Queryable,
  deposit: DepositRow,
  transactionId: string,
  { status }: Standing,
): Promise<void> {
  const { organizationId, customerId } = deposit
  const row = await lockTransaction(transaction, { organizationId, transactionId })
  if (!row) throw notFound()
  if (status !== 'ACTIVE') throw new Refusal('CONFLICT', 'A transaction goes on with money of an ACTIVE customer alone')
  const isOthers = customerId !== null && customerId !== row.customerId
  // Tokens lie at the address of the transaction that they were sent for, and leave from there.
  const isElsewhere = !isFiat(deposit.asset) && deposit.transactionId !== transactionId
  const canReturn = await isActiveAccount(transaction, organizationId, row.sourcePaymentAccountId)
  const disposition = disposeOf({ deposit, place: 'ELSEWHERE', transaction: row, mayMove: true, canReturn })
  if (isOthers || isElsewhere || disposition.type !== 'APPLY') {
    throw new Refusal('CONFLICT', 'That transaction does not wait for money of this customer in this currency')
  }
  await settle(options, transaction, deposit, disposition, row).catch((error: unknown) => {
    throw error instanceof LeaseLost ? alreadyDecided() : error
  })
}

function alreadyDecided(): Refusal {
  return new Refusal('CONFLICT', 'Somebody else has decided about this deposit')
}
