import type { Queryable, Tx } from '../db/database.ts'

export type ClaimedScreening = { organizationId: string; customerId: string; fence: string }

/** Claims customers not yet screened against this version, those screened longest ago first. */
export function claimScreenings(
  database: Queryable,
  version: number,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedScreening[]> {
  return database.query<ClaimedScreening>({
    name: 'claim screenings',
    text: `with due as (
             select organization_id, customer_id from svc.screenings
              where screened_version < $1 and (lease_until is null or lease_until < clock_timestamp())
              order by screened_version limit $2 for update skip locked)
           update svc.screenings as screening
              set lease_until = clock_timestamp() + $3 * interval '1 millisecond', fence = screening.fence + 1
             from due
            where screening.organization_id = due.organization_id and screening.customer_id = due.customer_id
        returning screening.organization_id as "organizationId", screening.customer_id as "customerId",
                  screening.fence`,
    values: [version, limit, leaseMs],
  })
}

/** Records these customers as screened and returns the recorded ids. A customer whose lease was lost is left out. */
export async function finishScreenings(
  database: Queryable,
  version: number,
  claimed: readonly ClaimedScreening[],
): Promise<string[]> {
  if (claimed.length === 0) return []
  const finished = await database.query<{ customerId: string }>({
    name: 'finish screenings',
    text: `update svc.screenings as screening set screened_version = $1, lease_until = null
             from unnest($2::uuid[], $3::uuid[], $4::bigint[]) as done (organization_id, customer_id, fence)
            where screening.organization_id = done.organization_id and screening.customer_id = done.customer_id
              and screening.fence = done.fence and screening.screened_version < $1
        returning screening.customer_id as "customerId"`,
    values: [
      version,
      claimed.map((each) => each.organizationId),
      claimed.map((each) => each.customerId),
      claimed.map((each) => each.fence),
    ],
  })
  return finished.map((screening) => screening.customerId)
}

/** Counts customers not yet screened against this version. */
export async function countUnscreened(database: Queryable, version: number): Promise<number> {
  const [counted] = await database.query<{ waiting: number }>({
    name: 'count unscreened',
    text: 'select count(*)::int as waiting from svc.screenings where screened_version < $1',
    values: [version],
  })
  return counted?.waiting ?? 0
}

/** Enrols a customer to be re-screened against every new watch list. */
export async function enrolForScreening(
  tx: Tx,
  { organizationId, customerId }: { organizationId: string; customerId: string },
): Promise<void> {
  await tx.query({
    name: 'enrol for screening',
    text: `insert into svc.screenings (organization_id, customer_id) values ($1, $2) on conflict do nothing`,
    values: [organizationId, customerId],
  })
}
