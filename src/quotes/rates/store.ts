import type { Queryable, Tx } from '../../db/database.ts'

export type StoredRate = {
  label: string
  usd: string
  source: string
  asOf: Date
  goodUntil: Date
  doubtedUsd: string | null
  doubtedAt: Date | null
}

export function readRates(database: Queryable): Promise<StoredRate[]> {
  return database.query<StoredRate>({
    name: 'read rates',
    text: `select label, usd, source, as_of as "asOf", good_until as "goodUntil", doubted_usd as "doubtedUsd",
                  doubted_at as "doubtedAt"
             from svc.rates`,
  })
}

/** Replaces rates by accepted readings, and ends their doubts. */
export async function writeRates(
  tx: Tx,
  rates: readonly Omit<StoredRate, 'doubtedUsd' | 'doubtedAt'>[],
): Promise<void> {
  await tx.query({
    name: 'write rates',
    text: `insert into svc.rates (label, usd, source, as_of, good_until)
           select label, usd, source, as_of, good_until
             from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[])
                  as new_rates (label, usd, source, as_of, good_until)
               on conflict (label) do update
              set usd = excluded.usd, source = excluded.source, as_of = excluded.as_of,
                  good_until = excluded.good_until, doubted_usd = null, doubted_at = null`,
    values: [
      rates.map(({ label }) => label),
      rates.map(({ usd }) => usd),
      rates.map(({ source }) => source),
      rates.map(({ asOf }) => asOf),
      rates.map(({ goodUntil }) => goodUntil),
    ],
  })
}

export async function writeDoubt(tx: Tx, label: string, usd: string, at: Date): Promise<void> {
  await tx.query({
    name: 'write doubt of a rate',
    text: `update svc.rates set doubted_usd = $2, doubted_at = $3 where label = $1`,
    values: [label, usd, at],
  })
}
