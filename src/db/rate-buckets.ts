import type { Queryable } from './database.ts'

type TakenTokens = { granted: number; remaining: number }

/** Refills an organization's bucket for the time that has passed, and takes up to `wanted` tokens out of it. */
export async function takeTokens(
  database: Queryable,
  organizationId: string,
  wanted: number,
  perMinute: number,
): Promise<TakenTokens> {
  const values = [organizationId, wanted, perMinute]
  const [taken] = await database.query<TakenTokens>({
    name: 'take rate tokens',
    text: `update svc.rate_buckets as bucket
              set tokens = filled.tokens - least($2::float8, floor(filled.tokens)), refilled_at = clock_timestamp()
             from (select organization_id,
                          least($3::float8, tokens + $3::float8 / 60
                            * greatest(0, extract(epoch from clock_timestamp() - refilled_at))) as tokens
                     from svc.rate_buckets where organization_id = $1 for update) as filled
            where bucket.organization_id = filled.organization_id
        returning least($2::float8, floor(filled.tokens))::int as granted, bucket.tokens as remaining`,
    values,
  })
  if (taken) return taken
  await database.query({
    name: 'create rate bucket',
    text: `insert into svc.rate_buckets (organization_id, tokens) values ($1, $2) on conflict do nothing`,
    values: [organizationId, perMinute],
  })
  return takeTokens(database, organizationId, wanted, perMinute)
}
