import type { Network } from '../../catalog/currencies.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import type { Due } from '../../db/work.ts'
import { allDue, businessNow, literal } from '../../db/workers/due.ts'

/** Holds while a network that is scanned was not compared on this day of business time. */
export function isComparisonDue(network: Network): Due {
  return allDue(
    `exists (select from svc.chain_scans where network = ${literal(network)})`,
    `not exists (select from svc.chain_comparisons where network = ${literal(network)} and is_daily and problem is null
       and day = (${businessNow} at time zone 'UTC')::date)`,
  )
}

/** An open item; the service knows the kinds. */
type NewItem = { state: 'MISSING' | 'UNEXPECTED'; kind: string; reference: string; amount: bigint }
type NewSet = { account: string; asset: string; ledger: bigint; outside: bigint; addresses: number; items: NewItem[] }

export type NewComparison = {
  comparisonId: string
  network: Network
  isDaily: boolean
  block: { number: bigint; hash: string } | undefined
  problem: string | undefined
}

/** Inserts a comparison. False when another worker has recorded that of the day, or when the same problem goes on. */
export async function insertComparison(tx: Tx, comparison: NewComparison): Promise<boolean> {
  const { comparisonId, network, isDaily, block, problem } = comparison
  const inserted = await tx.query({
    name: 'insert chain comparison',
    text: `insert into svc.chain_comparisons (comparison_id, network, day, compared_at, is_daily, block_number, block_hash,
                  problem)
           select $1, $2, (svc.now() at time zone 'UTC')::date, svc.now(), $3, $4, $5, $6
            where $6::text is null or not exists (
                  select from (select problem, day from svc.chain_comparisons where network = $2
                                order by compared_at desc, comparison_id desc limit 1) as last
                   where last.problem = $6 and last.day = (svc.now() at time zone 'UTC')::date)
               on conflict do nothing returning comparison_id`,
    values: [comparisonId, network, isDaily, block?.number, block?.hash, problem],
  })
  return inserted.length > 0
}

export async function insertSets(tx: Tx, comparisonId: string, sets: readonly NewSet[]): Promise<void> {
  await tx.query({
    name: 'insert chain comparison sets',
    text: `insert into svc.chain_comparison_sets (comparison_id, account, asset, ledger, outside, addresses)
           select $1, account, asset, ledger, outside, addresses
             from unnest($2::text[], $3::text[], $4::numeric[], $5::numeric[], $6::integer[])
               as given (account, asset, ledger, outside, addresses)`,
    values: [
      comparisonId,
      sets.map(({ account }) => account),
      sets.map(({ asset }) => asset),
      sets.map(({ ledger }) => ledger),
      sets.map(({ outside }) => outside),
      sets.map(({ addresses }) => addresses),
    ],
  })
}

/** Inserts the items of a comparison. One that the comparison before had, too, keeps its first day. */
export async function insertItems(
  tx: Tx,
  { comparisonId, network }: Pick<NewComparison, 'comparisonId' | 'network'>,
  sets: readonly NewSet[],
): Promise<void> {
  const items = sets.flatMap(({ account, items }) => items.map((item, position) => ({ ...item, account, position })))
  await tx.query({
    name: 'insert chain comparison items',
    text: `with before as (
             select comparison_id from svc.chain_comparisons
              where network = $2 and problem is null and comparison_id <> $1
              order by compared_at desc, comparison_id desc limit 1),
           known as (
             select item.account, item.state, item.kind, item.reference, min(item.since) as since
               from svc.chain_comparison_items as item join before using (comparison_id)
              group by item.account, item.state, item.kind, item.reference)
           insert into svc.chain_comparison_items (comparison_id, account, position, state, kind, reference, amount, since)
           select $1, account, position, state, kind, reference, amount,
                  coalesce(known.since, (svc.now() at time zone 'UTC')::date)
             from unnest($3::text[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::numeric[])
               as given (account, position, state, kind, reference, amount)
             left join known using (account, state, kind, reference)`,
    values: [
      comparisonId,
      network,
      items.map(({ account }) => account),
      items.map(({ position }) => position),
      items.map(({ state }) => state),
      items.map(({ kind }) => kind),
      items.map(({ reference }) => reference),
      items.map(({ amount }) => amount),
    ],
  })
}

/** The comparison that tells how a day ended on a network, or why there is none. */
export type ComparisonOfDay = {
  network: string
  /** Null when nothing could be compared. */
  comparisonId: string | null
  blockNumber: string | null
  blockHash: string | null
  comparedAt: Date | null
  problem: string | null
}

/** The age from which the newest comparison no longer tells how a network is now. */
const staleHours = 26

/**
 * Finds for each network the comparison that tells how a day ended: the first one on the day after. For the present day it
 * is the newest one. A network is listed from its first comparison on, and at present also before it.
 */
export function readComparisons(
  database: Queryable,
  networks: readonly string[],
  { date, today }: { date: string; today: string },
): Promise<ComparisonOfDay[]> {
  if (date === today) return readNewest(database, networks)
  return database.query<ComparisonOfDay>({
    name: 'read chain comparisons of a day',
    text: `select known.network, first.comparison_id as "comparisonId", first.block_number::text as "blockNumber",
                  first.block_hash as "blockHash", first.compared_at as "comparedAt",
                  case when first.comparison_id is null
                       then coalesce(failed.problem, 'no worker compared it on the day after') end as problem
             from (select network, min(day) as day from svc.chain_comparisons group by network) as known
             left join lateral (
                  select comparison_id, block_number, block_hash, compared_at from svc.chain_comparisons as each
                   where each.network = known.network and each.day = $1::date + 1 and each.problem is null
                   order by compared_at, comparison_id limit 1) as first on true
             left join lateral (
                  select problem from svc.chain_comparisons as each
                   where each.network = known.network and each.day = $1::date + 1
                   order by compared_at desc, comparison_id desc limit 1) as failed on true
            where known.day <= $1::date + 1 order by known.network`,
    values: [date],
  })
}

/**
 * Finds the newest comparison of each network. One without nodes by now is listed as long as money was there when it was
 * last compared, or its last comparison failed.
 */
export function readNewest(database: Queryable, networks: readonly string[]): Promise<ComparisonOfDay[]> {
  return database.query<ComparisonOfDay>({
    name: 'read newest chain comparisons',
    text: `select network, case when problem is null then comparison_id end as "comparisonId",
                  block_number::text as "blockNumber", block_hash as "blockHash", compared_at as "comparedAt", problem
             from (select known.network, newest.comparison_id, newest.block_number, newest.block_hash, newest.compared_at,
                          case when newest.comparison_id is null then 'no worker has compared it yet'
                               when newest.problem is not null then newest.problem
                               when newest.compared_at < svc.now() - $2 * interval '1 hour'
                               then 'no worker has compared it since ' || to_char(newest.compared_at at time zone 'UTC',
                                      'YYYY-MM-DD HH24:MI') || ' UTC' end as problem
                     from (select unnest($1::text[]) as network
                            union select distinct network from svc.chain_comparisons) as known
                     left join lateral (
                          select comparison_id, block_number, block_hash, compared_at, problem from svc.chain_comparisons as each
                           where each.network = known.network
                           order by compared_at desc, comparison_id desc limit 1) as newest on true
                    where known.network = any($1) or newest.problem is not null or exists (
                          select from svc.chain_comparison_sets as held
                           where held.comparison_id = newest.comparison_id and (held.ledger <> 0 or held.outside <> 0))
                  ) as found order by network`,
    values: [networks, staleHours],
  })
}

export async function readToday(database: Queryable): Promise<string> {
  const [clock] = await database.query<{ today: string }>({
    name: 'read business day of comparisons',
    text: `select (svc.now() at time zone 'UTC')::date::text as today`,
  })
  return clock?.today ?? ''
}

export type StoredSet = { comparisonId: string; account: string; asset: string; ledger: string; outside: string }

export function readSets(database: Queryable, comparisonIds: readonly string[]): Promise<StoredSet[]> {
  return database.query<StoredSet>({
    name: 'read chain comparison sets',
    text: `select comparison_id as "comparisonId", account, asset, ledger::text as ledger, outside::text as outside
             from svc.chain_comparison_sets where comparison_id = any($1) order by account`,
    values: [comparisonIds],
  })
}

export type StoredItem = {
  comparisonId: string
  account: string
  state: 'MISSING' | 'UNEXPECTED'
  kind: string
  reference: string
  amount: string
  since: string
}

export function readItems(database: Queryable, comparisonIds: readonly string[]): Promise<StoredItem[]> {
  return database.query<StoredItem>({
    name: 'read chain comparison items',
    text: `select comparison_id as "comparisonId", account, state, kind, reference, amount::text as amount,
                  since::text as since
             from svc.chain_comparison_items where comparison_id = any($1) order by account, position`,
    values: [comparisonIds],
  })
}
