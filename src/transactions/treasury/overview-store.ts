import type { Asset } from '../../catalog/currencies.ts'
import type { Queryable, Tx } from '../../db/database.ts'

/** Lets the following reads of the database transaction share one snapshot. */
export async function readOneMoment(tx: Tx): Promise<void> {
  await tx.query({ text: 'set transaction isolation level repeatable read, read only' })
}

export type HoldingKey = { organizationId: string; holding: string; asset: Asset }
export type HeldLiquidity = HoldingKey & {
  available: bigint
  developerFees: bigint
  costs: bigint
  reversed: bigint
}

/** Lists liquidity; that of all organizations without an id. `available` is what payouts may use. */
export async function listLiquidity(database: Queryable, organizationId: string | undefined): Promise<HeldLiquidity[]> {
  const rows = await database.query<HoldingKey & Record<keyof Omit<HeldLiquidity, keyof HoldingKey>, string>>({
    name: 'list liquidity',
    text: `select organization_id as "organizationId", holding, asset, available - costs - reversed as available,
                  developer_fees as "developerFees", costs, reversed
             from svc.liquidity where organization_id = coalesce($1, organization_id)`,
    values: [organizationId ?? null],
  })
  return rows.map(({ available, developerFees, costs, reversed, ...key }) => ({
    ...key,
    available: BigInt(available),
    developerFees: BigInt(developerFees),
    costs: BigInt(costs),
    reversed: BigInt(reversed),
  }))
}

export type OpenPayouts = HoldingKey & { waiting: bigint; sent: bigint }

/** Sums open payouts by the holding that pays: those that wait, and those that the rail may have. */
export async function sumOpenPayouts(database: Queryable, organizationId: string | undefined): Promise<OpenPayouts[]> {
  const rows = await database.query<HoldingKey & { waiting: string; sent: string }>({
    name: 'sum open payouts',
    text: `select organization_id as "organizationId", coalesce(pays_from, 'CUSTODY') as holding, asset,
                  coalesce(sum(amount) filter (where status = 'WAITING'), 0) as waiting,
                  coalesce(sum(amount) filter (where status <> 'WAITING'), 0) as sent
             from svc.payouts
            where organization_id = coalesce($1, organization_id) and status in ('WAITING', 'SENDING', 'SENT')
            group by organization_id, coalesce(pays_from, 'CUSTODY'), asset`,
    values: [organizationId ?? null],
  })
  return rows.map(({ waiting, sent, ...key }) => ({ ...key, waiting: BigInt(waiting), sent: BigInt(sent) }))
}
