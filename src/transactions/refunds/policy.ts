import type { Asset } from '../../catalog/currencies.ts'
import type { Tx } from '../../db/database.ts'
import { refusedByPolicy } from '../../policies/refusal.ts'
import { hasPolicy, isToPayer, orderPayout, type ReceivedMoney } from './policy-store.ts'
import type { RefundDestination } from './refund-account.ts'

/** Values an amount in cents of USD; undefined while there is no price. */
export type Valuing = { valueNow(asset: Asset, amount: bigint): bigint | undefined }

/** A payout that an operator orders with a key. */
export type Order = {
  organizationId: string
  customerId: string
  apiKeyId: string
  payoutId: string
  asset: Asset
  amount: bigint
}

/**
 * Orders a payout to an account that the money neither came from nor was paid to before. A policy weighs and counts it
 * as any payment, except that it cannot wait for an approval: a rule that demands one refuses it.
 */
export async function orderElsewhere(
  { valueNow }: Valuing,
  tx: Tx,
  { asset, amount, ...order }: Order,
  { paymentAccountId, method }: RefundDestination,
  field = 'paymentAccountId',
): Promise<void> {
  const usdCents = valueNow(asset, amount) ?? null
  const refusing = await orderPayout(tx, { ...order, paymentAccountId, method, usdCents })
  if (refusing) throw refusedByPolicy(field, refusing)
}

/** True when money may go back without an order: to the account that it came from, or where no policy binds. */
export async function mayGoBack(tx: Tx, money: ReceivedMoney, paymentAccountId: string): Promise<boolean> {
  return (await isToPayer(tx, money, paymentAccountId)) || !(await hasPolicy(tx, money.organizationId))
}
