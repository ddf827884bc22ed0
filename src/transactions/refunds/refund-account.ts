import { type Asset, assetOf, assets, methodsOf } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Database, Queryable, Tx } from '../../db/database.ts'
import { notFound, Refusal } from '../../lib/refusal.ts'
import { type AccountScreeningDeps, isAccountBlocked } from '../screening/account.ts'
import { findRefundAccount, hasMoneyBack, type RefundAccount } from './refund-account-store.ts'

export type RefundDestination = { paymentAccountId: string; method: PaymentMethod }
type Owner = { organizationId: string; customerId: string }

/** Requires an account of the same customer that can take a refund of this asset. */
export async function requireRefundAccount(
  database: Queryable,
  owner: Owner,
  asset: Asset,
  paymentAccountId: string,
): Promise<RefundDestination> {
  const account = await findRefundAccount(database, owner.organizationId, paymentAccountId)
  if (account?.customerId !== owner.customerId) throw notFound()
  const method = chooseMethod(account, asset)
  if (!method) throw unusableAccount()
  return { paymentAccountId, method }
}

/**
 * Finds out how a refund or return reaches an account, and locks the account against deletion. The account's own rail
 * pays, in its own currency; undefined when an operator has to name another account.
 */
export async function findRefundDestination(
  tx: Tx,
  owner: Owner,
  asset: Asset,
  paymentAccountId: string,
): Promise<RefundDestination | undefined> {
  const account = await findRefundAccount(tx, owner.organizationId, paymentAccountId)
  const method = account?.customerId === owner.customerId ? chooseMethod(account, asset) : undefined
  return method && { paymentAccountId, method }
}

/** Chooses the rail of an ACTIVE external account that takes this asset: refunds go nowhere else. */
function chooseMethod({ status, type, currency, method }: RefundAccount, asset: Asset): PaymentMethod | undefined {
  const isExternal = ['EXTERNAL_BANK_ACCOUNT', 'EXTERNAL_CRYPTO_WALLET'].includes(type)
  const isFitting = status === 'ACTIVE' && isExternal && assetOf(currency, method) === asset
  return isFitting ? (method as PaymentMethod) : undefined
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
  return new Refusal('CONFLICT', 'This payment account cannot take the money: name another one')
}

/** Tells whether money that one of these methods can return waits for a customer. */
export function awaitsMoneyBack(database: Queryable, owner: Owner, methods: readonly string[]): Promise<boolean> {
  const returnable = assets.filter((asset) => methodsOf(asset).some((method) => methods.includes(method)))
  return hasMoneyBack(database, owner, returnable)
}
