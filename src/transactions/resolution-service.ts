import type { Queryable } from '../db/database.ts'
import { LeaseLost } from '../db/work.ts'
import type { Caller } from '../lib/caller.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import { requirePosted } from './change-service.ts'
import { lockTransaction } from './change-store.ts'
import { type DepositRow, disposeOf } from './deposit.ts'
import { resolutionBookings } from './deposit-bookings.ts'
import { moveDeposit, oweReturn } from './deposit-change-service.ts'
import { type DepositOptions, type DepositView, settle } from './deposit-service.ts'
import { findDeposit, isActiveAccount } from './deposit-store.ts'
import { presentDeposit } from './wire.ts'

export const resolutions = ['RETURN', 'CREDIT', 'APPLY'] as const
export type Resolution = {
  action: (typeof resolutions)[number]
  /** Of APPLY: the transaction that it was for. */
  transactionId?: string
  /** For the audit log. */
  reason: string
}

/** A person decides about money that nobody could match. It is an act: audited, with its reason. */
export function makeResolutions(options: DepositOptions) {
  return {
    resolve: async (
      transaction: Queryable,
      caller: Caller,
      deposit: DepositRow,
      { action, transactionId, reason }: Resolution,
    ): Promise<DepositView> => {
      if ((action === 'APPLY') !== (transactionId !== undefined)) {
        throw badField('transactionId', action === 'APPLY' ? 'is required for APPLY' : 'is for APPLY only')
      }
      if (deposit.status !== 'UNMATCHED') {
        throw new Refusal('CONFLICT', `A deposit that is ${deposit.status} needs no decision`)
      }
      if (action === 'RETURN') await giveBack(options, transaction, deposit)
      if (action === 'CREDIT') await credit(options, transaction, deposit)
      if (action === 'APPLY') await apply(options, transaction, deposit, transactionId ?? '')
      const { organizationId, depositId: subjectId } = deposit
      const act = { actor: `api_key:${caller.apiKeyId}`, action: 'deposit.resolved', subjectId }
      await options.audit.append(transaction, { organizationId, ...act, details: { action, reason } })
      const resolved = await findDeposit(transaction, [organizationId], deposit.depositId)
      if (!resolved) throw notFound()
      return presentDeposit(resolved, options.currencyOf)
    },
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

/** Into the customer's returned funds, in the currency that it came in: they can use it for a new quote. */
async function credit(options: DepositOptions, transaction: Queryable, deposit: DepositRow): Promise<void> {
  const { customerId: customer } = deposit
  if (!customer) throw new Refusal('CONFLICT', 'Nobody knows whose customer sent this deposit')
  const changed = await moveDeposit(options, transaction, deposit, 'credit')
  if (!changed) throw alreadyDecided()
  requirePosted(await options.ledger.post(transaction, resolutionBookings(changed, { customer })))
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
  const canReturn = await isActiveAccount(transaction, organizationId, row.sourcePaymentAccountId)
  const disposition = disposeOf({ deposit, isInWallet: false, transaction: row, mayMove: true, canReturn })
  if (isOthers || disposition.type !== 'APPLY') {
    throw new Refusal('CONFLICT', 'That transaction does not wait for money of this customer in this currency')
  }
  await settle(options, transaction, deposit, disposition, row).catch((error: unknown) => {
    throw error instanceof LeaseLost ? alreadyDecided() : error
  })
}

function alreadyDecided(): Refusal {
  return new Refusal('CONFLICT', 'Somebody else has decided about this deposit')
}
