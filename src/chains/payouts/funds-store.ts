import type { Network } from '../../catalog/currencies.ts'
import type { Queryable } from '../../db/database.ts'

/** Our funds in one asset on a network. The amounts are in its smallest unit. */
export type Funds = {
  network: Network
  asset: string
  holder: 'RELAYER' | 'TREASURY'
  balance: bigint
  least: bigint
  /** False where nothing tells yet that funds are needed. */
  isExpected: boolean
}

/** Records funds; answers those that have become low with this measurement. Funds once seen are expected for ever. */
export function recordFunds(database: Queryable, funds: readonly Funds[]): Promise<{ asset: string }[]> {
  return database.query<{ asset: string }>({
    name: 'record chain funds',
    text: `with given as (
             select network, asset, holder, balance, least, is_expected
               from unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::numeric[], $6::boolean[])
                 as given (network, asset, holder, balance, least, is_expected)),
           formerly as (
             select given.network, given.asset, former.is_expected and former.balance < former.least as was_low
               from given left join svc.chain_funds as former using (network, asset)),
           recorded as (
             insert into svc.chain_funds as former (network, asset, holder, balance, least, is_expected)
             select network, asset, holder, balance, least, is_expected from given order by network, asset
                 on conflict (network, asset) do update
                set balance = excluded.balance, least = excluded.least, measured_at = clock_timestamp(),
                    is_expected = former.is_expected or excluded.is_expected
             returning network, asset, is_expected and balance < least as is_low)
           select recorded.asset from recorded join formerly using (network, asset)
            where recorded.is_low and formerly.was_low is not true`,
    values: [
      funds.map(({ network }) => network),
      funds.map(({ asset }) => asset),
      funds.map(({ holder }) => holder),
      funds.map(({ balance }) => balance),
      funds.map(({ least }) => least),
      funds.map(({ isExpected }) => isExpected),
    ],
  })
}

/** Counts the relayers and the tokens of treasuries that are low, on these networks. */
export async function countLowFunds(
  database: Queryable,
  networks: readonly Network[],
): Promise<{ relayers: number; treasuries: number }> {
  const [counted] = await database.query<{ relayers: number; treasuries: number }>({
    name: 'count low chain funds',
    text: `select count(*) filter (where holder = 'RELAYER')::integer as relayers,
                  count(*) filter (where holder = 'TREASURY')::integer as treasuries
             from svc.chain_funds where is_expected and balance < least and network = any($1)`,
    values: [networks],
  })
  return counted ?? { relayers: 0, treasuries: 0 }
}
