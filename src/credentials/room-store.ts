import type { Queryable, Tx } from '../db/database.ts'

/** Lets other creations of keys of the organization wait until the database transaction ends. */
export async function lockCreations(tx: Tx, organizationId: string): Promise<void> {
  await tx.query({
    name: 'lock creations of api keys',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [JSON.stringify(['api keys', organizationId])],
  })
}

export type KeyCounts = {
  /** The keys of the organization that work. */
  live: number
  /** The keys that were created for the organization within 24 hours, revoked ones included. */
  createdInADay: number
  /** Those of them that this key has created or rolled; null when the key itself is no older. */
  ownInADay: number | null
}

/** Counts the keys of an organization, and those that one of its keys has created. */
export async function countKeys(database: Queryable, organizationId: string, apiKeyId: string): Promise<KeyCounts> {
  const [counted] = await database.query<KeyCounts>({
    name: 'count api keys',
    text: `select (select count(*)::integer from svc.api_keys where organization_id = $1 and revoked_at is null
                      and (expires_at is null or expires_at > clock_timestamp())) as live,
                  (select count(*)::integer from svc.api_keys where organization_id = $1
                      and created_at > clock_timestamp() - interval '24 hours') as "createdInADay",
                  (select (select count(*)::integer from svc.api_keys as made where made.organization_id = $1
                              and made.created_by_api_key_id = own.api_key_id
                              and made.created_at > clock_timestamp() - interval '24 hours')
                     from svc.api_keys as own where own.organization_id = $1 and own.api_key_id = $2
                      and own.created_at <= clock_timestamp() - interval '24 hours') as "ownInADay"`,
    values: [organizationId, apiKeyId],
  })
  return counted ?? { live: 0, createdInADay: 0, ownInADay: null }
}
