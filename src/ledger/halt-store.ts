import type { Queryable, Tx } from '../db/database.ts'

/** VIOLATED: a check found a violation. NOT_CHECKED: a check has not succeeded for longer than the set age. */
export type HaltKind = 'VIOLATED' | 'NOT_CHECKED'

/** A halt of payouts in one asset, or in all of them when the asset is null; and the checks that caused it. */
export type PayoutHalt = { kind: HaltKind; asset: string | null; checks: string[] }

/** Reads the open halts, and when an operator last excused overdue checks. */
export async function readOpenHalts(
  database: Queryable,
): Promise<{ halts: PayoutHalt[]; checksExcusedAt: Date | null }> {
  const [found] = await database.query<{ halts: PayoutHalt[] | null; checksExcusedAt: Date | null }>({
    name: 'read open payout halts',
    text: `select json_agg(json_build_object('kind', kind, 'asset', asset, 'checks', violated) order by halted_at)
                    filter (where resumed_at is null) as halts,
                  max(resumed_at) filter (where excuses_checks) as "checksExcusedAt"
             from svc.payout_halts`,
  })
  return { halts: found?.halts ?? [], checksExcusedAt: found?.checksExcusedAt ?? null }
}

/** Halts payouts, or adds the checks to the open halt, and answers its id; undefined when both were known. */
export async function insertHalt(
  tx: Tx,
  haltId: string,
  { kind, asset, checks }: PayoutHalt,
): Promise<string | undefined> {
  const [inserted] = await tx.query<{ haltId: string }>({
    text: `insert into svc.payout_halts as halt (halt_id, kind, asset, violated) values ($1, $2, $3, $4)
               on conflict (kind, (coalesce(asset::text, ''))) where resumed_at is null do update
              set violated = halt.violated || array(
                    select name from unnest(excluded.violated) as name where name <> all (halt.violated))
            where not excluded.violated <@ halt.violated returning halt_id as "haltId"`,
    values: [haltId, kind, asset, checks],
  })
  return inserted?.haltId
}

/** Ends the open halts of these kinds and answers them. */
export function endHalts(
  tx: Tx,
  kinds: readonly HaltKind[],
  { reason, excusesChecks }: { reason: string; excusesChecks: boolean },
): Promise<(PayoutHalt & { haltId: string })[]> {
  return tx.query<PayoutHalt & { haltId: string }>({
    text: `update svc.payout_halts
              set resumed_at = clock_timestamp(), resume_reason = $1, excuses_checks = kind = 'NOT_CHECKED' and $3
            where resumed_at is null and kind = any($2)
        returning halt_id as "haltId", kind, asset, violated as checks`,
    values: [reason, kinds, excusesChecks],
  })
}
