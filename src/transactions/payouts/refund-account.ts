import { type Asset, assetOf } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Database, Queryable } from '../../db/database.ts'
import { notFound, Refusal } from '../../lib/refusal.ts'
import { type AccountScreeningDeps, isAccountBlocked } from '../screening/account.ts'
import { findRefundAccount } from './refund-account-store.ts'

export type RefundDestination = { paymentAccountId: string; method: PaymentMethod }
type Owner = { organizationId: string; customerId: string }

/** Requires an ACTIVE external account of the same customer that accepts the asset: refunds go nowhere else. */
export async function requireRefundAccount(
  database: Queryable,
  { organizationId, customerId }: Owner,
  asset: Asset,
  paymentAccountId: string,
): Promise<RefundDestination> {
  const account = await findRefundAccount(database, organizationId, paymentAccountId)
  if (account?.customerId !== customerId) throw notFound()
  const isExternal = ['EXTERNAL_BANK_ACCOUNT', 'EXTERNAL_CRYPTO_WALLET'].includes(account.type)
  const method = account.method as PaymentMethod
  if (account.status !== 'ACTIVE' || !isExternal || assetOf(account.currency, method) !== asset) throw unusableAccount()
  return { paymentAccountId, method }
}

/** Checks and screens the account that an operator names. Must run outside a database transaction. */
export async function chooseRefundAccount(
  deps: AccountScreeningDeps & { database: Database },
  owner: Owner,
  asset: Asset,
  paymentAccountId: string | undefined,
): Promise<RefundDestination | undefined> {
  if (paymentAccountId === undefined) return undefined
  const to = await requireRefundAccount(deps.database, owner, asset, paymentAccountId)
  // The reason is confidential: reviewers find it in a review of the customer.
  if (await isAccountBlocked(deps, { ...owner, ...to })) throw unusableAccount()
  return to
}

export function unusableAccount(): Refusal {
  return new Refusal('CONFLICT', 'This payment account cannot take the refund: name another one')
}
