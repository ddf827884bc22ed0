import type { Queryable, Tx } from '../db/database.ts'

export type HeldKey = { apiKeyId: string; expiresAt: Date | null }

const works = `key.revoked_at is null and (key.expires_at is null or key.expires_at > clock_timestamp())`

/** Finds a key that works, and holds it against a revocation until the database transaction ends. */
export async function holdKey(tx: Tx, organizationId: string, apiKeyId: string): Promise<HeldKey | undefined> {
  const [held] = await tx.query<HeldKey>({
    name: 'hold api key',
    text: `select key.api_key_id as "apiKeyId", key.expires_at as "expiresAt" from svc.api_keys as key
            where key.organization_id = $1 and key.api_key_id = $2 and ${works} for key share`,
    values: [organizationId, apiKeyId],
  })
  return held
}

/** Finds the last successor of a key that works, and holds it against a revocation. None follows a revoked key. */
export async function holdSuccessor(tx: Tx, organizationId: string, apiKeyId: string): Promise<HeldKey | undefined> {
  const [held] = await tx.query<HeldKey>({
    name: 'hold successor of api key',
    text: `with recursive following as (
             select $2::uuid as id
             union
             select former.successor_api_key_id from following
               join svc.api_keys as former on former.organization_id = $1 and former.api_key_id = following.id
              where former.successor_api_key_id is not null and former.revoked_at is null)
           select key.api_key_id as "apiKeyId", key.expires_at as "expiresAt" from svc.api_keys as key
            where key.organization_id = $1 and key.api_key_id in (select id from following) and key.api_key_id <> $2
              and ${works}
            order by key.api_key_id desc limit 1 for key share`,
    values: [organizationId, apiKeyId],
  })
  return held
}

/**
 * Lists these keys with the expired keys that they succeed: what a rolled key has made during its overlap is its
 * successor's from the end of the overlap.
 */
export async function listAnsweredFor(
  database: Queryable,
  organizationId: string,
  apiKeyIds: readonly string[],
): Promise<string[]> {
  const found = await database.query<{ id: string }>({
    name: 'list keys that others answer for',
    text: `with recursive answering as (
             select unnest($2::uuid[]) as id
             union
             select former.api_key_id from answering
               join svc.api_keys as key on key.organization_id = $1 and key.api_key_id = answering.id
               join svc.api_keys as former on former.organization_id = $1
                and former.api_key_id = key.parent_api_key_id and former.successor_api_key_id = key.api_key_id
              where former.revoked_at is null and former.expires_at <= clock_timestamp())
           select id from answering order by id`,
    values: [organizationId, apiKeyIds],
  })
  return found.map(({ id }) => id)
}
