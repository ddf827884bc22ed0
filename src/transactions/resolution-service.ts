import { isFiat } from '../catalog/currencies.ts'
import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Queryable } from '../db/database.ts'
import { LeaseLost } from '../db/work.ts'
import type { Caller } from '../lib/caller.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import { changeDetails, requirePosted } from './change-service.ts'
import { lockTransaction } from './change-store.ts'
import { type DepositRow, disposeOf, needsDecision, type resolutions } from './deposit.ts'
import { resolutionBookings } from './deposit-bookings.ts'
import { moveDeposit, oweReturn } from './deposit-change-service.ts'
import { type DepositOptions, type DepositView, settle } from './deposit-service.ts'
import { findDeposit, isActiveAccount, readAccountType } from './deposit-store.ts'
import { presentDeposit } from './deposit-wire.ts'

export type Resolution = {
  action: (typeof resolutions)[number]
  /** Of APPLY: the transaction that it was for. */
  transactionId?: string
  /** For whoever reviews the customer: it may name people. */
  reason: string
}

/** A deposit, and the customer whose key seals what a person says about it. */
export type DepositToResolve = { deposit: DepositRow; customer: OpenCustomer }

export type ResolutionOptions = DepositOptions & { customers: Pick<CustomerService, 'open' | 'recordAct'> }

export type ResolutionService = ReturnType<typeof makeResolutions>

/** A person decides about money that nobody could match, or that a list has stopped. Once, and it is an act. */
export function makeResolutions(options: ResolutionOptions) {
  const { database, customers } = options
  return {
    openToResolve: async (caller: Caller, depositId: string): Promise<DepositToResolve> => {
      const deposit = await findDeposit(database, caller.organizationIds, depositId)
      const customer = deposit?.customerId && (await customers.open([deposit.organizationId], deposit.customerId))
      // What is nobody's belongs to no organization that could ask.
      if (!deposit || !customer) throw notFound()
      return { deposit, customer }
    },

    resolve: async (
      transaction: Queryable,
      caller: Caller,
      { deposit, customer }: DepositToResolve,
      readResolution: () => Resolution,
    ): Promise<DepositView> => {
      requireUndecided(deposit, caller)
      const { action, transactionId, reason } = readResolution()
      if ((action === 'APPLY') !== (transactionId !== undefined)) {
        throw badField('transactionId', action === 'APPLY' ? 'is required for APPLY' : 'is for APPLY only')
      }
      if (action === 'RETURN') await giveBack(options, transaction, deposit)
      if (action === 'CREDIT') await credit(options, transaction, deposit)
      if (action === 'APPLY') await apply(options, transaction, deposit, transactionId ?? '')
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
function requireUndecided(deposit: DepositRow, { scopes }: Caller): void {
  if (!needsDecision(deposit)) {
    throw new Refusal('CONFLICT', `About a deposit that is ${deposit.status} nobody has to decide`)
  }
  // Whoever may say what becomes of people on lists says what becomes of their money.
  if (deposit.isSenderBlocked && !scopes.has('reviews:write')) {
    throw new Refusal('FORBIDDEN', 'This credential lacks the scope reviews:write')
  }
}

/** Only to a registered account: of the transaction that it was meant for, or the one that it came from. */
async function giveBack(options: DepositOptions, transaction: Queryable, deposit: DepositRow): Promise<void> {
  const { organizationId, customerId, transactionId, paymentAccountId } = deposit
  const row = transactionId ? await lockTransaction(transaction, { organizationId, transactionId }) : undefined
  const to = row?.sourcePaymentAccountId ?? paymentAccountId
  if (!customerId || !to || !(await isActiveAccount(transaction, organizationId, to))) {
    throw new Refusal('CONFLICT', 'There is no registered account that this deposit could go back to')
  }
  const changed = await moveDeposit(options, transaction, deposit, 'giveBack')
  if (!changed) throw alreadyDecided()
  await oweReturn(transaction, changed, { amount: BigInt(changed.amount), paymentAccountId: to, customerId }, [])
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
): Promise<void> {
  const { organizationId, customerId } = deposit
  const row = await lockTransaction(transaction, { organizationId, transactionId })
  if (!row) throw notFound()
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
