import { type Asset, assetOf } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Database, Queryable } from '../../db/database.ts'
import { notFound, Refusal } from '../../lib/refusal.ts'
import { type AccountScreening, isAccountBlocked } from '../screening/account.ts'
import { findRefundAccount } from './refund-account-store.ts'

export type RefundTo = { paymentAccountId: string; method: PaymentMethod }
type Owner = { organizationId: string; customerId: string }

/** A registered account of the same customer, outside, that takes this asset: money goes back to nothing else. */
export async function requireRefundAccount(
  database: Queryable,
  { organizationId, customerId }: Owner,
  asset: Asset,
  paymentAccountId: string,
): Promise<RefundTo> {
  const account = await findRefundAccount(database, organizationId, paymentAccountId)
  if (account?.customerId !== customerId) throw notFound()
  const isOutside = ['EXTERNAL_BANK_ACCOUNT', 'EXTERNAL_CRYPTO_WALLET'].includes(account.type)
  const method = account.method as PaymentMethod
  if (account.status !== 'ACTIVE' || !isOutside || assetOf(account.currency, method) !== asset) throw cannotTake()
  return { paymentAccountId, method }
}

/** The same for one that a person names, who it belongs to looked at first. Not in a transaction. */
export async function chooseRefundAccount(
  options: AccountScreening & { database: Database },
  owner: Owner,
  asset: Asset,
  paymentAccountId: string | undefined,
): Promise<RefundTo | undefined> {
  if (paymentAccountId === undefined) return undefined
  const to = await requireRefundAccount(options.database, owner, asset, paymentAccountId)
  // Why is for those who review: they find a review of the customer.
  if (await isAccountBlocked(options, { ...owner, ...to })) throw cannotTake()
  return to
}

export function cannotTake(): Refusal {
  return new Refusal('CONFLICT', 'That payment account cannot take this money back')
}
