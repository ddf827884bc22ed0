import type { Tx } from '../db/database.ts'
import type { ApiKey } from './api-key.ts'
import { columns } from './store.ts'

export type KeyAddress = { organizationId: string; apiKeyId: string; address: string }

/** Records that keys were used from these addresses, and returns those that no process has seen before. */
export async function recordAddresses(tx: Tx, seen: readonly KeyAddress[]): Promise<KeyAddress[]> {
  const values = [
    seen.map((each) => each.organizationId),
    seen.map((each) => each.apiKeyId),
    seen.map((each) => each.address),
  ]
  const fresh = await tx.query<KeyAddress>({
    name: 'insert addresses of keys',
    text: `insert into svc.api_key_addresses (organization_id, api_key_id, address)
           select organization_id, api_key_id, address
             from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality
                  as seen (organization_id, api_key_id, address, place)
            order by place
               on conflict do nothing
        returning organization_id as "organizationId", api_key_id as "apiKeyId", address`,
    values,
  })
  await tx.query({
    name: 'touch addresses of keys',
    text: `update svc.api_key_addresses as known set last_seen_at = clock_timestamp()
             from unnest($1::uuid[], $2::uuid[], $3::text[]) as seen (organization_id, api_key_id, address)
            where known.organization_id = seen.organization_id and known.api_key_id = seen.api_key_id
              and known.address = seen.address and known.last_seen_at < clock_timestamp() - interval '1 hour'`,
    values,
  })
  return fresh
}

/** Raises the version of a key for an event, which locks the key against another event. */
export async function raiseKeyVersion(
  tx: Tx,
  organizationId: string,
  apiKeyId: string,
): Promise<(ApiKey & { version: number }) | undefined> {
  const [raised] = await tx.query<ApiKey & { version: number }>({
    name: 'raise version of an api key',
    text: `update svc.api_keys set version = version + 1
            where organization_id = $1 and api_key_id = $2 returning ${columns}, version`,
    values: [organizationId, apiKeyId],
  })
  return raised
}

/** Counts the addresses of a key, and those first seen within a day. */
export async function countAddresses(
  tx: Tx,
  organizationId: string,
  apiKeyId: string,
): Promise<{ all: number; today: number }> {
  const [counted] = await tx.query<{ all: number; today: number }>({
    name: 'count addresses of a key',
    text: `select count(*)::integer as all,
                  count(*) filter (where first_seen_at > clock_timestamp() - interval '1 day')::integer as today
             from svc.api_key_addresses where organization_id = $1 and api_key_id = $2`,
    values: [organizationId, apiKeyId],
  })
  return counted ?? { all: 0, today: 0 }
}

/** Keeps the hundred addresses of a key that were seen last. */
export async function forgetOldAddresses(tx: Tx, organizationId: string, apiKeyId: string): Promise<void> {
  await tx.query({
    name: 'forget old addresses of a key',
    text: 'select svc.forget_key_addresses($1, $2)',
    values: [organizationId, apiKeyId],
  })
}
