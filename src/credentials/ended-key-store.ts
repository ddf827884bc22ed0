import type { Queryable } from '../db/database.ts'
import type { LiveKey } from './store.ts'

export type KeyOfAnyState = Pick<LiveKey, 'expiresAt' | 'allowedIps' | 'organizationIps'> & { revokedAt: Date | null }

const keyOfAnyState = `select k.revoked_at as "revokedAt", k.expires_at as "expiresAt", k.allowed_ips as "allowedIps",
    o.allowed_ips as "organizationIps"
  from svc.api_keys as k join svc.organizations as o on o.organization_id = k.organization_id`

/** Finds a key by its hash alone, also one that no longer works, to tell its holder why. */
export async function findKeyOfAnyState(database: Queryable, keyHash: Buffer): Promise<KeyOfAnyState | undefined> {
  const [found] = await database.query<KeyOfAnyState>({
    name: 'find key of any state',
    text: `${keyOfAnyState} where k.key_hash = $1`,
    values: [keyHash],
  })
  return found
}

/** Finds the key of a token, also one that ended. */
export async function findKeyOfToken(
  database: Queryable,
  { organizationId, apiKeyId }: { organizationId: string; apiKeyId: string },
): Promise<KeyOfAnyState | undefined> {
  const [found] = await database.query<KeyOfAnyState>({
    name: 'find key of a token',
    text: `${keyOfAnyState} where k.organization_id = $1 and k.api_key_id = $2`,
    values: [organizationId, apiKeyId],
  })
  return found
}
