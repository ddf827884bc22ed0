import { isFiat } from '../../catalog/currencies.ts'
import type { OpenCustomer } from '../../customers/sealed-customer.ts'
import type { CustomerService } from '../../customers/service.ts'
import type { Tx } from '../../db/database.ts'
import { LeaseLost } from '../../db/work.ts'
import { type Caller, isPlatform } from '../../lib/caller.ts'
import { newId } from '../../lib/ids.ts'
import { badField, notFound, Refusal } from '../../lib/refusal.ts'
import { changeDetails, requirePosted } from '../change.ts'
import { lockTransaction, lockTransactions } from '../change-store.ts'
import { resolutionBookings } from '../deposits/bookings.ts'
import { createReturn, moveDeposit, uncountReturns } from '../deposits/change.ts'
import { chooseDisposition, type Deposit, type depositResolutions, leftOf, needsDecision } from '../deposits/deposit.ts'
import type { DepositView } from '../deposits/reads.ts'
import { isHolding } from '../deposits/recalls/recall.ts'
import { findSenderMatches, isSenderUnknown } from '../deposits/sender.ts'
import { type DepositDeps, findReturnDestination, settleDeposit } from '../deposits/service.ts'
import { findSender, forgetSender } from '../deposits/sightings/sender-store.ts'
import { findDeposit, lockAccount } from '../deposits/store.ts'
import { presentDeposit } from '../deposits/wire.ts'
import { payoutMoves } from '../payouts/payout.ts'
import { withdrawPayouts } from '../payouts/store.ts'
import { orderElsewhere, type Valuing } from '../refunds/policy.ts'
import { isToPayer, uncountPayouts } from '../refunds/policy-store.ts'
import { chooseRefundAccount, findRefundDestination, type RefundDestination } from '../refunds/refund-account.ts'
import type { AccountScreeningDeps } from '../screening/account.ts'
import type { CustomerEligibility } from '../screening/eligibility.ts'
import { readEligibility } from '../screening/eligibility-store.ts'
import { isSameHolding } from '../treasury/bank-account-store.ts'
import { addLiquidity } from '../treasury/liquidity-store.ts'
import { type MatchAuthority, requireAuthority, requireScope } from './authority.ts'
import { reviewStillOpen } from './transactions.ts'

export type DepositResolution = {
  action: (typeof depositResolutions)[number]
  /** For APPLY: the transaction that awaits it. */
  transactionId?: string
  /** For RETURN: another registered account of the customer. */
  paymentAccountId?: string
  /** For reviewers of the customer; it may hold personal data. */
  reason: string
}

/** A deposit, and the customer whose key encrypts the operator's reason. */
export type DepositToResolve = {
  deposit: Deposit
  opened: OpenCustomer
  wanted: DepositResolution
  to: RefundDestination | undefined
}

export type DepositResolutionDeps = DepositDeps &
  AccountScreeningDeps &
  Valuing & { customers: Pick<CustomerService, 'open' | 'recordAct'>; authority: MatchAuthority }

export type DepositResolutionService = ReturnType<typeof createDepositResolutionService>

/** Resolves an unmatched or held deposit by an operator's decision, once, and records it in the audit log. */
export function createDepositResolutionService(deps: DepositResolutionDeps) {
  const { database, customers, authority } = deps
  return {
    openToResolve: async (
      caller: Caller,
      depositId: string,
      readResolution: () => DepositResolution,
    ): Promise<DepositToResolve> => {
      const deposit = await findDeposit(database, await authority.organizationIdsOf(caller), depositId)
      const opened = deposit?.customerId && (await customers.open([deposit.organizationId], deposit.customerId))
      // Unattributed deposits belong to the platform: see deposits/unattributed.ts.
      if (!deposit || !opened) throw notFound()
      const isSenderBlocked = deposit.isSenderBlocked || (await isSenderDoubtful(deps, deposit))
      const customer = await readEligibility(database, opened.customer)
      const isForSuspended = isPlatform(caller) && (await deps.isSuspended(deposit.organizationId, database))
      await requireUnresolved(authority, { ...deposit, isSenderBlocked }, customer, { caller, isForSuspended })
      const wanted = readResolution()
      if (isForSuspended && wanted.action !== 'RETURN') throw onlyReturned()
      requireFieldFits('transactionId', wanted, 'APPLY')
      requireFieldFits('paymentAccountId', wanted, 'RETURN')
      const to = await chooseRefundAccount(deps, opened.customer, deposit.asset, wanted.paymentAccountId)
      return { deposit, opened, wanted, to }
    },

    resolve: async (
      tx: Tx,
      caller: Caller,
      { deposit: found, opened, wanted, to }: DepositToResolve,
    ): Promise<DepositView> => {
      const { action, transactionId, reason } = wanted
      const eligibility = await readEligibility(tx, opened.customer)
      const { deposit, freed } =
        found.status === 'RETURNING' ? await withdrawReturn(deps, tx, found) : { deposit: found, freed: [] }
      if (action === 'RETURN') {
        const isReleased =
          eligibility.isMatchConfirmed && (await authority.mayClear(caller, deposit.organizationId, tx))
        await returnDeposit(deps, tx, deposit, { to, isReleased, apiKeyId: caller.apiKeyId })
      }
      if (action === 'CREDIT') await credit(deps, tx, deposit)
      if (action === 'APPLY') await apply(deps, tx, deposit, transactionId ?? '', eligibility)
      const { organizationId, depositId } = deposit
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'deposit.resolved', subjectId: depositId }
      await customers.recordAct(tx, opened, { ...act, details: { action }, reason })
      await forgetSender(tx, deposit)
      await addLiquidity(tx, freed)
      const resolved = await findDeposit(tx, [organizationId], depositId)
      if (!resolved) throw notFound()
      return presentDeposit(resolved, deps.currencyOf)
    },
  }
}

/** True when a list that is newer than an unmatched deposit names its sender, or no current list can tell. */
async function isSenderDoubtful(deps: DepositDeps, deposit: Deposit): Promise<boolean> {
  if (deposit.status !== 'UNMATCHED') return false
  const sender = await findSender(deps.database, deposit)
  return (await isSenderUnknown(deps, deposit, sender)) || (await findSenderMatches(deps, deposit, sender)).length > 0
}

/** Refuses by state before the body is read. The update guards the state again. */
async function requireUnresolved(
  authority: MatchAuthority,
  deposit: Deposit,
  customer: CustomerEligibility,
  { caller, isForSuspended }: { caller: Caller; isForSuspended: boolean },
): Promise<void> {
  const { organizationId, status, isSenderBlocked, transactionId } = deposit
  if (isHolding(deposit.recall)) throw new Refusal('CONFLICT', 'A bank recalls this deposit: answer the recall first')
  // A return that a confirmed match blocks waits for a reviewer, who resolves its transaction if it has one.
  const isBlocked = status === 'RETURNING' && transactionId === null && customer.isMatchConfirmed
  if (isBlocked && (await authority.mayClear(caller, organizationId))) {
    if (customer.hasOpenMatch) throw reviewStillOpen()
    return
  }
  if (status !== 'HELD' && status !== 'UNMATCHED') throw nothingToResolve(deposit)
  const isMatch = isSenderBlocked || (status === 'HELD' && customer.isMatchConfirmed)
  // The keys of a suspended organization are refused: the platform gives its payers their money back.
  if (!isForSuspended || isMatch) await requireAuthority(authority, caller, { organizationId, isMatch })
  // Money of a customer who is not ACTIVE needs a reviewer's scope.
  if (status === 'HELD') requireScope(caller, 'reviews:write')
  if (status === 'HELD' && customer.hasOpenMatch) throw reviewStillOpen()
  if (!isForSuspended && !needsDecision(deposit, customer)) throw nothingToResolve(deposit)
}

function onlyReturned(): Refusal {
  return new Refusal(
    'CONFLICT',
    'The organization is suspended: the operator of Svc can RETURN its deposits, or resume it',
  )
}

function nothingToResolve({ status }: Deposit): Refusal {
  return new Refusal('CONFLICT', `A deposit that is ${status} needs no decision`)
}

/** Withdraws a return that has not left, so that a reviewer decides about the deposit anew. */
async function withdrawReturn(deps: DepositDeps, tx: Tx, deposit: Deposit) {
  const { organizationId, depositId } = deposit
  const key = { organizationId, depositId }
  const withdrawn = await withdrawPayouts(tx, key, payoutMoves.withdraw, ['RETURN'], 'decided_anew')
  if (withdrawn.length === 0) throw alreadyResolved()
  await uncountPayouts(tx, withdrawn)
  const freed = await uncountReturns(deps, tx, withdrawn)
  const undecided = await moveDeposit(deps, tx, deposit, 'leaveToOperator')
  if (!undecided) throw alreadyResolved()
  return { deposit: undecided, freed }
}

/** Requires the field of an action and refuses it for others. RETURN has a default account. */
function requireFieldFits(
  field: 'transactionId' | 'paymentAccountId',
  wanted: DepositResolution,
  action: DepositResolution['action'],
) {
  if (wanted.action !== action && wanted[field] !== undefined) throw badField(field, `is for ${action} only`)
  if (action === 'APPLY' && wanted.action === action && wanted[field] === undefined) {
    throw badField(field, `is required for ${action}`)
  }
}

/** Owes a return to the account that the operator named, else the transaction's source account, else the sender's. */
async function returnDeposit(
  deps: DepositDeps & Valuing,
  tx: Tx,
  deposit: Deposit,
  { to: named, isReleased, apiKeyId }: { to: RefundDestination | undefined; isReleased: boolean; apiKeyId: string },
): Promise<void> {
  const { organizationId, customerId, transactionId } = deposit
  const transaction = transactionId ? await lockTransaction(tx, { organizationId, transactionId }) : undefined
  const account = named?.paymentAccountId ?? transaction?.sourcePaymentAccountId ?? deposit.paymentAccountId
  const owner = customerId !== null && { organizationId, customerId }
  const to = owner && account ? await findRefundDestination(tx, owner, deposit.asset, account) : undefined
  if (!customerId || !to) {
    throw new Refusal(
      'CONFLICT',
      'No registered account can take this return: name one in `paymentAccountId`, or credit the customer',
    )
  }
  const order = {
    organizationId,
    customerId,
    apiKeyId,
    payoutId: newId(),
    asset: deposit.asset,
    amount: leftOf(deposit),
  }
  if (!(await isToPayer(tx, deposit, to.paymentAccountId))) await orderElsewhere(deps, tx, order, to)
  const changed = await moveDeposit(deps, tx, deposit, 'startReturn')
  if (!changed) throw alreadyResolved()
  const { payoutId, amount } = order
  await createReturn(tx, changed, { payoutId, amount, customerId, isReleased, to }, [])
}

/** Credits the wallet that received it, or the customer's returned funds, in the currency of the deposit. */
async function credit(deps: DepositDeps, tx: Tx, deposit: Deposit): Promise<void> {
  const { organizationId, customerId: customer, paymentAccountId: account, transactionId } = deposit
  if (!customer) throw new Refusal('CONFLICT', 'This deposit has no customer to credit')
  const receiver = transactionId ? undefined : await lockAccount(tx, organizationId, account)
  const wallet = receiver?.type === 'SVC_CRYPTO_WALLET' ? account : null
  if (wallet && receiver?.status !== 'ACTIVE') {
    throw new Refusal(
      'CONFLICT',
      'The wallet that received this deposit is deleted: RETURN it to a registered account of the customer',
    )
  }
  const transaction = transactionId ? await lockTransaction(tx, { organizationId, transactionId }) : undefined
  const changed = await moveDeposit(deps, tx, deposit, 'credit')
  if (!changed) throw alreadyResolved()
  // The refused return is no longer owed.
  if (transaction?.refund) await changeDetails(tx, transaction)
  requirePosted(await deps.ledger.post(tx, resolutionBookings(changed, wallet ? { wallet } : { customer })))
}

/** Applies the deposit as if it had carried the transaction's message. */
async function apply(
  deps: DepositDeps,
  tx: Tx,
  deposit: Deposit,
  transactionId: string,
  { status }: CustomerEligibility,
): Promise<void> {
  const { organizationId, customerId } = deposit
  const { transactionId: former } = deposit
  const locked = await lockTransactions(tx, organizationId, former === null ? [transactionId] : [former, transactionId])
  const transaction = locked.find((each) => each.transactionId === transactionId)
  if (!transaction) throw notFound()
  if (status !== 'ACTIVE') throw new Refusal('CONFLICT', 'The customer must be ACTIVE to apply a deposit')
  const isOtherCustomer = customerId !== null && customerId !== transaction.customerId
  // Tokens leave from the address of the transaction that they were sent to, so only that one can use them.
  const isElsewhere = !isFiat(deposit.asset) && deposit.transactionId !== transactionId
  const returnTo = await findReturnDestination(tx, deposit, transaction)
  const isReturnable = returnTo !== undefined
  const isExpectedHolding = await isSameHolding(tx, deposit.method, transaction.sourceMethod)
  const disposition = chooseDisposition({
    deposit: { ...deposit, amount: String(leftOf(deposit)) },
    place: 'ELSEWHERE',
    transaction,
    isCleared: true,
    isReturnable,
    isExpectedHolding,
  })
  if (isOtherCustomer || isElsewhere || disposition.type !== 'APPLY') {
    throw new Refusal('CONFLICT', 'The transaction does not await money of this customer in this currency')
  }
  await settleDeposit(deps, tx, deposit, disposition, { transaction, returnTo }).catch((error: unknown) => {
    throw error instanceof LeaseLost ? alreadyResolved() : error
  })
  // A return of this deposit that the bank refused is no longer owed, in its former transaction neither.
  for (const each of locked) if (each.refund) await changeDetails(tx, each)
}

function alreadyResolved(): Refusal {
  return new Refusal('CONFLICT', 'Another decision has already resolved this deposit')
}
