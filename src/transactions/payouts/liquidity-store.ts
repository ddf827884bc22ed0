import type { Asset } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Tx } from '../../db/database.ts'

/** What pays: the bank account of a rail, or the treasury of a network. */
export type Pot = { organizationId: string; method: PaymentMethod; asset: Asset }

/** Held until the transaction ends: two payouts never count on the same money. New when nobody needed it before. */
export async function lockLiquidity(
  tx: Tx,
  { organizationId, method, asset }: Pot,
): Promise<{ promised: bigint; isNew: boolean }> {
  const inserted = await tx.query({
    name: 'open liquidity',
    text: `insert into svc.liquidity (organization_id, method, asset) values ($1, $2, $3)
               on conflict (organization_id, method, asset) do nothing returning method`,
    values: [organizationId, method, asset],
  })
  const [row] = await tx.query<{ promised: string }>({
    name: 'lock liquidity',
    text: `select promised from svc.liquidity
            where organization_id = $1 and method = $2 and asset = $3 for no key update`,
    values: [organizationId, method, asset],
  })
  return { promised: BigInt(row?.promised ?? 0), isNew: inserted.length > 0 }
}

/** More is promised, or, below zero, a promise was kept or fell away. */
export async function promise(tx: Tx, pot: Pot, amount: bigint): Promise<void> {
  await tx.query({
    name: 'promise liquidity',
    text: `update svc.liquidity set promised = promised + $4
            where organization_id = $1 and method = $2 and asset = $3`,
    values: [pot.organizationId, pot.method, pot.asset, amount],
  })
}
