import type { Asset } from '../../catalog/currencies.ts'
import type { Queryable, Tx } from '../../db/database.ts'

/** A change of our own money at a holding, in smallest units. The holding of a method is the one that it pays from. */
export type LiquidityChange = {
  organizationId: string
  at: { holding: string } | { method: string }
  asset: Asset
  available: bigint
  developerFees?: bigint
  /** Charges of a bank or network. */
  costs?: bigint
  /** Reversed deposits that a customer owes; negative when the debt ends. */
  reversed?: bigint
}

/** Adds to liquidity; the rows are locked in sorted order. Callers do this last, so that they hold the locks briefly. */
export async function addLiquidity(tx: Tx, changes: readonly LiquidityChange[]): Promise<void> {
  if (changes.length === 0) return
  await tx.query({
    name: 'add liquidity',
    text: `insert into svc.liquidity as liquidity (organization_id, holding, asset, available, developer_fees, costs,
                  reversed)
           select organization_id, coalesce(holding, svc.holding_of(asset, method)) as at, asset, sum(available),
                  sum(developer_fees), sum(costs), sum(reversed)
             from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::numeric[], $6::numeric[], $7::numeric[],
                  $8::numeric[])
                  as change (organization_id, holding, method, asset, available, developer_fees, costs, reversed)
            group by organization_id, at, asset order by organization_id, at, asset
               on conflict (organization_id, holding, asset) do update
              set available = liquidity.available + excluded.available,
                  developer_fees = liquidity.developer_fees + excluded.developer_fees,
                  costs = liquidity.costs + excluded.costs, reversed = liquidity.reversed + excluded.reversed`,
    values: [
      changes.map(({ organizationId }) => organizationId),
      changes.map(({ at }) => ('holding' in at ? at.holding : null)),
      changes.map(({ at }) => ('method' in at ? at.method : null)),
      changes.map(({ asset }) => asset),
      changes.map(({ available }) => available),
      changes.map(({ developerFees }) => developerFees ?? 0n),
      changes.map(({ costs }) => costs ?? 0n),
      changes.map(({ reversed }) => reversed ?? 0n),
    ],
  })
}

export type LiquidityKey = { organizationId: string; holding: string; asset: Asset }

/** Takes liquidity; false when less is available. */
export async function takeLiquidity(
  tx: Tx,
  { organizationId, holding, asset }: LiquidityKey,
  amount: bigint,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'take liquidity',
    text: `update svc.liquidity set available = available - $4
            where organization_id = $1 and holding = $2 and asset = $3 and available - costs - reversed >= $4
        returning holding`,
    values: [organizationId, holding, asset, amount],
  })
  return rows.length > 0
}

export type LiquidityTransfer = { from: LiquidityKey; to: LiquidityKey; amount: bigint; received: bigint }

/** Moves liquidity to another holding; the part that does not arrive is a cost. False when less is available. */
export async function moveLiquidity(tx: Tx, { from, to, amount, received }: LiquidityTransfer): Promise<boolean> {
  const change = ({ organizationId, holding, asset }: LiquidityKey, available: bigint, costs = 0n) => ({
    organizationId,
    at: { holding },
    asset,
    available,
    costs,
  })
  // Locks both rows in sorted order, so that opposite transfers wait for each other.
  await addLiquidity(tx, [change(from, 0n), change(to, 0n)])
  if (!(await takeLiquidity(tx, from, amount))) return false
  const cost = amount - received
  await addLiquidity(tx, [change(from, cost, cost), change(to, received)])
  return true
}

/** Takes collected developer fees. False when another payout has taken them: the row's lock guards the condition. */
export async function takeDeveloperFees(
  tx: Tx,
  { organizationId, holding, asset }: LiquidityKey,
  amount: bigint,
): Promise<boolean> {
  const taken = await tx.query({
    name: 'take collected developer fees',
    text: `update svc.liquidity set developer_fees = developer_fees - $4
            where organization_id = $1 and holding = $2 and asset = $3 and developer_fees >= $4 returning holding`,
    values: [organizationId, holding, asset, amount],
  })
  return taken.length > 0
}

/** Takes back costs that a bank or network refunded; false when fewer were charged at the holding. */
export async function refundCosts(
  tx: Tx,
  { organizationId, holding, asset }: LiquidityKey,
  amount: bigint,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'refund costs',
    text: `update svc.liquidity set costs = costs - $4
            where organization_id = $1 and holding = $2 and asset = $3 and costs >= $4 returning holding`,
    values: [organizationId, holding, asset, amount],
  })
  return rows.length > 0
}

/** Finds the accounts that the sandbox has not funded: the ledger has no posting under the reference. */
export async function findUnfunded<Account extends LiquidityKey>(
  database: Queryable,
  accounts: readonly (Account & { reference: string })[],
): Promise<Account[]> {
  const rows = await database.query<{ place: string }>({
    name: 'find unfunded accounts',
    text: `select place from unnest($1::uuid[], $2::text[]) with ordinality as account (organization_id, reference, place)
            where not exists (select from svc.postings as posting
                               where posting.organization_id = account.organization_id
                                 and posting.reference = account.reference)
            order by place`,
    values: [accounts.map(({ organizationId }) => organizationId), accounts.map(({ reference }) => reference)],
  })
  return rows.flatMap(({ place }) => accounts[Number(place) - 1] ?? [])
}
