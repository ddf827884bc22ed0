import type { Asset } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Tx } from '../../db/database.ts'

/** An account that pays: the bank account of a rail, or the treasury of a network. */
export type PayingAccount = { organizationId: string; method: PaymentMethod; asset: Asset }

/** Locks liquidity until the database transaction ends, so that two payouts never use the same money. */
export async function lockLiquidity(
  tx: Tx,
  { organizationId, method, asset }: PayingAccount,
): Promise<{ promised: bigint; isNew: boolean }> {
  const inserted = await tx.query({
    name: 'open liquidity',
    text: `insert into svc.liquidity (organization_id, method, asset) values ($1, $2, $3)
               on conflict (organization_id, method, asset) do nothing returning method`,
    values: [organizationId, method, asset],
  })
  const [liquidity] = await tx.query<{ promised: string }>({
    name: 'lock liquidity',
    text: `select promised from svc.liquidity
            where organization_id = $1 and method = $2 and asset = $3 for no key update`,
    values: [organizationId, method, asset],
  })
  return { promised: BigInt(liquidity?.promised ?? 0), isNew: inserted.length > 0 }
}

/** Adds to the promised liquidity; a negative amount releases a promise. */
export async function promiseLiquidity(tx: Tx, account: PayingAccount, amount: bigint): Promise<void> {
  await tx.query({
    name: 'promise liquidity',
    text: `update svc.liquidity set promised = promised + $4
            where organization_id = $1 and method = $2 and asset = $3`,
    values: [account.organizationId, account.method, account.asset, amount],
  })
}
