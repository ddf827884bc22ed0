import type { Queryable } from './database.ts'

type TakenTokens = { granted: number; remaining: number }

/** Refills an organization's bucket for the time that has passed, and takes up to `wanted` tokens out of it; none below `least`. */
export async function takeTokens(
  database: Queryable,
  organizationId: string,
  tokens: { wanted: number; least: number },
  perMinute: number,
): Promise<TakenTokens> {
  const values = [organizationId, tokens.wanted, perMinute, tokens.least]
  const [taken] = await database.query<TakenTokens>({
    name: 'take rate tokens',
    text: `update svc.rate_buckets as bucket
              set tokens = filled.tokens - granted.tokens, refilled_at = clock_timestamp()
             from (select organization_id,
                          least($3::float8, tokens + $3::float8 / 60
                            * greatest(0, extract(epoch from clock_timestamp() - refilled_at))) as tokens
                     from svc.rate_buckets where organization_id = $1 for update) as filled
            cross join lateral (select case when filled.tokens < $4::float8 then 0
                                            else least($2::float8, floor(filled.tokens)) end as tokens) as granted
            where bucket.organization_id = filled.organization_id
        returning granted.tokens::int as granted, bucket.tokens as remaining`,
    values,
  })
  if (taken) return taken
  await database.query({
    name: 'create rate bucket',
    text: `insert into svc.rate_buckets (organization_id, tokens) values ($1, $2) on conflict do nothing`,
    values: [organizationId, perMinute],
  })
  return takeTokens(database, organizationId, tokens, perMinute)
}
